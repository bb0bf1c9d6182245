# SPDX-License-Identifier: BSD-3-Clause
"""A job in a session of its own: however it ends, nothing of it is left."""
import os
import signal
import subprocess


def end(leader):
    """Whatever LEADER has started, and is still there."""
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            if os.getsid(int(pid)) == leader:
                os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass


def run(command, limit, **options):
    """The exit code of COMMAND, or 'hangs' when it takes more than LIMIT seconds, its output and
    its errors. OPTIONS: of subprocess.Popen."""
    options = dict({'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE},
                   **options)
    with subprocess.Popen(command, start_new_session=True, text=True, errors='replace', **options) as job:
        try:
            output, errors = job.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            job.send_signal(signal.SIGTERM)  # mpirun then ends its ranks, also those on other hosts
            try:
                job.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                pass
            end(job.pid)
            return 'hangs', '', ''
        end(job.pid)
    return job.returncode, output, errors
