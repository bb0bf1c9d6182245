#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Firefox without a screen, driven by WebDriver BiDi: as much of what selenium's drivers can do as page.py needs. (Debian
has no geckodriver, which selenium would need for it.)

Elements stay in the page, in the list elementsOfTest; here is only where in it they are."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Request, TextMessage

PREFERENCES = {'browser.shell.checkDefaultBrowser': False, 'app.update.disabledForTesting': True,
               'datareporting.policy.dataSubmissionEnabled': False,
               'network.captive-portal-service.enabled': False, 'network.connectivity-service.enabled': False}
CALL = '''(async () => {
    const keep = window.elementsOfTest = window.elementsOfTest || [], key = "element of the test";
    const show = (v) => v instanceof Element ? { [key]: keep.push(v) - 1 } : Array.isArray(v) ? v.map(show) : v;
    const find = (v) => v && typeof v === "object" && key in v ? keep[v[key]] : v;
    return JSON.stringify(show(await (function () { %s }).apply(null, %s.map(find))));
})()'''


class Element:
    def __init__(self, driver, place):
        self.driver, self.place = driver, place

    def get_attribute(self, name):
        return self.driver.execute_script('return arguments[0].getAttribute(arguments[1])', self, name)

    def send_keys(self, text):
        self.driver.execute_script('arguments[0].focus()', self)
        actions = [{'type': kind, 'value': key} for key in text for kind in ('keyDown', 'keyUp')]
        self.driver.ask('input.performActions', actions=[{'type': 'key', 'id': 'keyboard', 'actions': actions}])


class Firefox:
    def __init__(self, width, height):
        self.folder = tempfile.mkdtemp(prefix='efgtrace-firefox.')
        with open(f'{self.folder}/user.js', 'w', encoding='ascii') as file:
            file.writelines(f'user_pref("{name}", {json.dumps(value)});\n' for name, value in PREFERENCES.items())
        self.process = subprocess.Popen(
            [shutil.which('firefox-esr') or 'firefox', '--headless', '--no-remote', '--profile', self.folder, '--remote-debugging-port=0'],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, 'HOME': self.folder})
        self.switch_to, self.number, self.logged, self.context = self, 0, [], {}
        try:
            self.begin(width, height)
        except BaseException:
            self.quit()
            raise

    def begin(self, width, height):
        self.socket, self.web = self.connect(), WSConnection(ConnectionType.CLIENT)
        self.socket.sendall(self.web.send(Request(host='127.0.0.1:%d' % self.socket.getpeername()[1], target='/session')))
        while not any(isinstance(event, AcceptConnection) for event in self.web.events()):
            self.receive()
        self.ask('session.new', capabilities={})
        self.ask('session.subscribe', events=['log.entryAdded'])
        self.context = {'context': self.ask('browsingContext.getTree')['contexts'][0]['context']}
        self.ask('browsingContext.setViewport', viewport={'width': width, 'height': height})

    def connect(self):
        for _ in range(600):
            try:
                with open(f'{self.folder}/WebDriverBiDiServer.json', encoding='ascii') as file:
                    return socket.create_connection(('127.0.0.1', json.load(file)['ws_port']), timeout=60)
            except (OSError, ValueError):
                time.sleep(.1)
        raise TimeoutError('Firefox does not answer')

    def receive(self):
        received = self.socket.recv(1 << 16)
        if not received:
            raise EOFError('Firefox has gone')
        self.web.receive_data(received)

    def messages(self):
        text = ''
        while True:
            for event in self.web.events():
                if isinstance(event, TextMessage):
                    text += event.data
                    if event.message_finished:
                        yield json.loads(text)
                        text = ''
            self.receive()

    def ask(self, method, **parameters):
        self.number += 1
        command = {'id': self.number, 'method': method, 'params': {**parameters, **self.context}}
        self.socket.sendall(self.web.send(TextMessage(json.dumps(command))))
        for message in self.messages():
            if message.get('method') == 'log.entryAdded':
                self.logged.append({'message': message['params']['text']})
            elif message.get('id') == self.number:
                if message['type'] == 'error':
                    raise RuntimeError(f"{method}: {message['error']}: {message['message']}")
                return message['result']

    def get(self, address):
        self.logged.clear()
        self.ask('browsingContext.navigate', url=address, wait='complete')

    def execute_script(self, script, *arguments):
        values = [{'element of the test': a.place} if isinstance(a, Element) else a for a in arguments]
        context, self.context = self.context, {}
        try:
            got = self.ask('script.evaluate', expression=CALL % (script, json.dumps(values)), target=context, awaitPromise=True)
        finally:
            self.context = context
        if got['type'] == 'exception':
            raise RuntimeError(got['exceptionDetails']['text'])
        return self.wrap(json.loads(got['result'].get('value', 'null')))

    def wrap(self, value):
        if isinstance(value, dict) and 'element of the test' in value:
            return Element(self, value['element of the test'])
        return [self.wrap(item) for item in value] if isinstance(value, list) else value

    def find_elements(self, _, selector):
        return self.execute_script('return [...document.querySelectorAll(arguments[0])]', selector)

    @property
    def active_element(self):
        return self.execute_script('return document.activeElement')

    @property
    def title(self):
        return self.execute_script('return document.title')

    def get_log(self, _):
        """What the page logged since the last time."""
        logged, self.logged = self.logged, []
        return logged

    def quit(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
