# SPDX-License-Identifier: BSD-3-Clause
"""A trace as lists: its definitions, and the events of each location in their order.

For this the lower layer of python3-otf2 is read, which hands out ids as they are in the file: the upper
one gives up on ids that are there twice and on intercommunicators.
"""
import os

import _otf2 as otf2

UNDEFINED = {2**8 - 1, 2**32 - 1, 2**64 - 1}

# Records of definitions: where their ids are counted (None: they have none), and the definitions that they
# refer to, by the place of the argument; with "?" they may refer to none.
DEFINITIONS = {
    'ClockProperties': (None, {}),
    'String': ('String', {}),
    'Paradigm': ('Paradigm', {1: 'String'}),
    'IoParadigm': ('IoParadigm', {1: 'String', 2: 'String'}),
    'Attribute': ('Attribute', {1: 'String', 2: 'String?'}),
    'SystemTreeNode': ('SystemTreeNode', {1: 'String', 2: 'String', 3: 'SystemTreeNode?'}),
    'SystemTreeNodeDomain': (None, {0: 'SystemTreeNode'}),
    'LocationGroup': ('LocationGroup', {1: 'String', 3: 'SystemTreeNode', 4: 'LocationGroup?'}),
    'Location': ('Location', {1: 'String', 4: 'LocationGroup'}),
    'Region': ('Region', {1: 'String', 2: 'String', 3: 'String?', 7: 'String?'}),
    'Group': ('Group', {1: 'String'}),
    'Comm': ('Comm', {1: 'String', 2: 'Group', 3: 'Comm?'}),
    'InterComm': ('Comm', {1: 'String', 2: 'Group', 3: 'Group', 4: 'Comm?'}),
    'Parameter': ('Parameter', {1: 'String'}),
    'RmaWin': ('RmaWin', {1: 'String', 2: 'Comm'}),
    'CartDimension': ('CartDimension', {1: 'String'}),
    'CartTopology': ('CartTopology', {1: 'String', 2: 'Comm'}),
    'CartCoordinate': (None, {0: 'CartTopology'}),
    'SourceCodeLocation': ('SourceCodeLocation', {1: 'String'}),
    'IoRegularFile': ('IoFile', {1: 'String', 2: 'SystemTreeNode?'}),
    'IoDirectory': ('IoFile', {1: 'String', 2: 'SystemTreeNode?'}),
    'IoHandle': ('IoHandle', {1: 'String', 2: 'IoFile?', 3: 'IoParadigm', 5: 'Comm?', 6: 'IoHandle?'}),
}


def plain(value):
    """The number of an enumerator."""
    return getattr(value, 'value', value)


class Trace:
    """definitions: {kind: {id: arguments}}, by kind those without ids: [arguments]; events: {location:
    [(time, record, arguments)]}; faults: what is wrong with ids and references."""

    def __init__(self, anchor):
        self.definitions = {space or name: {} if space else [] for name, (space, _) in DEFINITIONS.items()}
        self.kinds = {}         # of communicators: Comm or InterComm
        self.faults = []
        self.loops = set()      # regions, of which attributes are read
        self.events = {}
        self.callbacks = []     # functions that the library calls
        self.folder = os.path.splitext(anchor)[0]
        self.reader = otf2.Reader_Open(anchor)
        otf2.Reader_SetSerialCollectiveCallbacks(self.reader)
        self.read_definitions()
        self.read_events()
        otf2.Reader_Close(self.reader)

    def __getitem__(self, kind):
        return self.definitions[kind]

    def name(self, number):
        return self['String'].get(number, f'(string {number})')

    def clock(self):
        """Ticks a second, first one, length, real time; no bounds if there is none."""
        return self['ClockProperties'][0] if self['ClockProperties'] else (10**9, 0, 2**64, 0)

    def nanoseconds(self, ticks):
        return ticks * 10**9 // (self.clock()[0] or 1)

    # --- definitions ---

    def read_definitions(self):
        reader = otf2.Reader_GetGlobalDefReader(self.reader)
        callbacks = otf2.GlobalDefReaderCallbacks_New()
        for name in DEFINITIONS:
            self.register(f'GlobalDefReaderCallbacks_Set{name}Callback', callbacks, self.definer(name))
        otf2.Reader_RegisterGlobalDefCallbacks(self.reader, reader, callbacks, None)
        otf2.GlobalDefReaderCallbacks_Delete(callbacks)
        otf2.Reader_ReadAllGlobalDefinitions(self.reader, reader)
        otf2.Reader_CloseGlobalDefReader(self.reader, reader)
        self.loops = {number for number, region in self['Region'].items() if region[4] == otf2.REGION_ROLE_LOOP.value}

    def register(self, setter, callbacks, function):
        self.callbacks.append(function)
        getattr(otf2, setter)(callbacks, function)

    def definer(self, name):
        space, references = DEFINITIONS[name]

        def define(_, *arguments):
            arguments = [plain(argument) for argument in arguments]
            if not space:
                self[name].append(arguments)
            elif arguments[0] in self[space]:
                self.faults.append(f'two definitions {space} {arguments[0]}')
            else:
                self[space][arguments[0]] = arguments[1] if name == 'String' else arguments
            if space == 'Comm':
                self.kinds.setdefault(arguments[0], name)
            for place, kind in references.items():
                self.refer(f'{name} {arguments[0]}', kind, arguments[place])
        return define

    def refer(self, who, kind, number):
        optional = kind.endswith('?')
        if number not in self[kind.rstrip('?')] and not (optional and number in UNDEFINED):
            self.faults.append(f'{who} refers to {kind.rstrip("?")} {number}, which is not defined before it')

    # --- events ---

    def read_events(self):
        self.events = {location: [] for location in self['Location']}
        there = [location for location in self.events if os.path.exists(f'{self.folder}/{location}.evt')]
        for location in there:
            otf2.Reader_SelectLocation(self.reader, location)
        self.read_corrections(there)
        otf2.Reader_OpenEvtFiles(self.reader)
        for location in there:
            otf2.Reader_GetEvtReader(self.reader, location)
        reader = otf2.Reader_GetGlobalEvtReader(self.reader)
        callbacks = otf2.GlobalEvtReaderCallbacks_New()
        for setter in dir(otf2):
            if setter.startswith('GlobalEvtReaderCallbacks_Set'):
                name = setter[len('GlobalEvtReaderCallbacks_Set'):-len('Callback')]
                self.register(setter, callbacks, self.keep_enters() if name == 'Enter' else self.keeper(name))
        otf2.Reader_RegisterGlobalEvtCallbacks(self.reader, reader, callbacks, None)
        otf2.GlobalEvtReaderCallbacks_Delete(callbacks)
        otf2.Reader_ReadAllGlobalEvents(self.reader, reader)
        otf2.Reader_CloseGlobalEvtReader(self.reader, reader)
        otf2.Reader_CloseEvtFiles(self.reader)

    def read_corrections(self, locations):
        """Clock offsets and tables of ids of each location: the library applies them to its events."""
        otf2.Reader_OpenDefFiles(self.reader)
        for location in locations:
            reader = otf2.Reader_GetDefReader(self.reader, location)
            if reader:
                otf2.Reader_ReadAllLocalDefinitions(self.reader, reader)
                otf2.Reader_CloseDefReader(self.reader, reader)
            elif os.path.exists(f'{self.folder}/{location}.def'):   # it may have none
                raise OSError(f'{location}.def is damaged')
        otf2.Reader_CloseDefFiles(self.reader)

    def keeper(self, name):
        events = self.events

        def keep(location, time, _, attributes, *arguments):
            events[location].append((time, name, arguments))
        return keep

    def keep_enters(self):
        events, loops = self.events, self.loops

        def keep_enter(location, time, _, attributes, region):
            numbers = numbers_of(attributes) if attributes and region in loops else {}
            events[location].append((time, 'Enter', (region, numbers)))
        return keep_enter


def numbers_of(attributes):
    """{attribute: number} of those that are UINT64."""
    numbers = {}
    for place in range(otf2.AttributeList_GetNumberOfElements(attributes)):
        attribute, kind, value = otf2.AttributeList_GetAttributeByIndex(attributes, place)
        if kind == otf2.TYPE_UINT64:
            numbers[attribute] = otf2.AttributeList_GetUint64(attributes, attribute)
    return numbers
