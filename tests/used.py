# SPDX-License-Identifier: BSD-3-Clause
"""
Whether the summary has, of communicators, RMA windows and files, what the trace has. The JSON of a report
comes from standard input; the first difference is an AssertionError.
"""
import json
import re
import sys

LINE = re.compile(r" {13}(\S.*): ([\d.]+) (ns|us|ms|s)(?: a rank, least .* on rank \d+)?; (\d+) calls, ([\d.]+) (B|kB|MB)$")
NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
BYTES = {"B": 1, "kB": 1e3, "MB": 1e6}

document = json.load(sys.stdin)
lines = document["overview"]["summary"]
begin = next(i for i, line in enumerate(lines) if line.startswith("Calls "))
said = []
for line in lines[begin + 1:]:
    found = LINE.match(line)
    if not found:
        break
    name, time, unit, calls, size, size_unit = found.groups()
    said.append((name, float(time) * NS[unit], int(calls), float(size) * BYTES[size_unit]))
read = document["waiting"]["objects"]
assert len(said) == min(3, len(read)), (lines, read)
left = re.match(r" *(\d+) more:", lines[begin + 1 + len(said)])
assert (int(left[1]) if left else 0) == len(read) - len(said), (lines, len(read))
for (name, time, calls, size), thing in zip(said, read):
    assert (name, calls) == (thing["name"], thing["calls"]), (name, calls, thing)
    assert abs(time * thing["locations"] - thing["time"]) <= 0.006 * thing["time"], (name, time, thing)
    assert abs(size - thing["bytes"]) <= 0.006 * thing["bytes"], (name, size, thing)
