#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What the tool reads in the trace of a run: `efgtrace export` against python3-otf2 (recorded.py),
# its limits, and traces that are missing, cut short, damaged or of another program.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/recorded.sh       environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
compile stencil2d threads waitany probes persistent sendrecv_self || exit 2
cd "$work" || exit 2

# refused NAME WORDS DIR: export says why not, and leaves no file
refused() {
    local why=
    "$tool" export -o export.json "$3" >out 2>err
    code=$?
    [ $code = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "$2" err ||
        why="exit code $code, says: $(head -c 300 err)"
    [ -e export.json ] && why="$why; it leaves a file"
    verdict "$1" "$why"
    rm -f export.json
}

traced windows --windows 2 -- "$programs/stencil2d"
for program in threads $(in_full && echo waitany probes persistent sendrecv_self); do
    traced $program --mode full -- "$programs/$program" 20 100
done
for dir in windows threads $(in_full && echo waitany probes persistent sendrecv_self); do
    agrees "$dir: calls, iterations, messages" recorded.py $dir
done

# --- names that are hostile to JSON ---

odd='a "b" \ <c>'
cp "$programs/stencil2d" "$odd"
traced odd -- "./$odd"
agrees "odd names: calls, iterations, messages" recorded.py odd
"$tool" export -f json odd >json
hasnt "no '<' in texts" '<' json
latin=$(printf '\374ber')
cp "$programs/stencil2d" "$latin"
traced latin --mode full -- "./$latin" 20 100
for format in perfetto json; do
    "$tool" export -f $format latin | "$python" -c 'import json, sys; json.load(sys.stdin.buffer)' 2>err
    verdict "$format of a name that is no UTF-8" "$(tail -n 1 err)"
done

# --- limits ---

# Of the second trace, calls are dropped while it is read.
in_full && traced many --iterations 600 -- "$programs/stencil2d" 1200 100
limits() {
    "$tool" export -f json "$1" | "$python" -c '
import json, subprocess, sys
whole = json.load(sys.stdin)["timeline"]
count = sum(len(one["calls"]) // 3 for one in whole["locations"])
for limit in count, count // 2, count // 40, 3:
    text = subprocess.check_output([sys.argv[1], "export", "-f", "json", "-c", str(limit), sys.argv[2]])
    part = json.loads(text)["timeline"]
    calls = sum(len(one["calls"]) // 3 for one in part["locations"])
    messages = len(part["messages"]) // 5
    assert calls <= limit and messages <= limit, (limit, calls, messages)
    assert calls >= min(limit, 3) and (limit < count // 10 or calls > 0.8 * limit), (limit, calls)
    assert (part["left_out"] == "") == (calls == count), part["left_out"]
    for one, other in zip(whole["locations"], part["locations"]):
        assert one["calls"][:len(other["calls"])] == other["calls"]
    if limit == count // 2:     # whole iterations, of all
        assert len(part["locations"]) == len(whole["locations"])
        numbers = [{number for number in one["iterations"][::3]} for one in part["locations"]]
        assert all(one == numbers[0] for one in numbers) and numbers[0], numbers
' "$tool" "$1" >out 2>&1
    verdict "$1: limits: whole iterations, from the first one on" "$(tail -n 1 out)"
}
limits windows
in_full && limits many

# --- traces that are not as they should be ---

copy() {
    rm -rf bad && cp -r odd bad
}

copy && rm -r bad/traces*
refused "no trace" 'there is no trace in bad' bad
traced graph --mode graph -- "$programs/stencil2d" 50 100
refused "a run without a trace" 'there is no trace' graph
copy && rm bad/traces/*
refused "no event files" 'the trace cannot be read: its events are damaged' bad
copy && truncate -s -10 bad/traces/2.evt
refused "an event file that is cut short" 'its file traces/2.evt is cut short' bad
copy && truncate -s -1 bad/traces.def
refused "definitions that are cut short" 'its file traces.def is cut short' bad
copy && echo rubbish >bad/traces.otf2
refused "an anchor file that is none" 'it is no OTF2 trace' bad
copy && rm -r bad/traces* && "$tool" expand -f otf2 -o bad odd >out 2>&1
refused "a rebuilt trace" 'its times are rebuilt' bad
ranks 2 "$tool" run -o two -m full --summary off "$programs/threads" 5 100 >out 2>err
copy && rm -r bad/traces* && cp -r two/traces* bad
refused "the trace of fewer ranks" 'it is of another run, with fewer ranks' bad
copy && rm -r bad/traces* && "$python" -c '
import otf2
with otf2.writer.open("bad", timer_resolution=1000) as trace:
    node = trace.definitions.system_tree_node("node")
    group = trace.definitions.location_group("a process", system_tree_parent=node)
    writer = trace.event_writer_from_location(trace.definitions.location("a thread", group=group))
    function = trace.definitions.region("a function")
    writer.enter(1, function)
    writer.leave(2, function)' >out 2>&1
refused "the trace of another program" 'it does not name call paths: another program' bad

attempts=$(in_full && echo 60 || echo 15)
# damaged TOOL...: bytes changed anywhere in events and definitions get an answer
damaged() {
    "$python" - "$tool" $attempts <<'END'
import random, shutil, subprocess, sys
random.seed(20261122)
for attempt in range(int(sys.argv[2])):
    shutil.rmtree("bad", ignore_errors=True)
    shutil.copytree("odd", "bad")
    path = random.choice(["bad/traces/0.evt", "bad/traces/3.evt", "bad/traces.def", "bad/traces/1.def"])
    with open(path, "r+b") as file:
        content = bytearray(file.read())
        for _ in range(random.randint(1, 6)):
            content[random.randrange(len(content))] = random.randrange(random.choice((12, 256)))
        file.seek(0)
        file.write(content)
    done = subprocess.run([sys.argv[1], "export", "bad"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, errors="replace", timeout=120)
    lines = done.stderr.splitlines()
    if done.returncode not in (0, 1) or len(lines) != done.returncode:
        print(f"{path}, attempt {attempt}: exit code {done.returncode}, {lines[:3]}")
        break
END
}
verdict "$attempts damaged traces: an answer each" "$(damaged 2>&1)"

# As a table: its sums are those of the graph, its texts are what a reader of such tables finds.
mkdir paths && sample --write-paths paths/run.efg || exit 1
for run in */run.efg; do
    run=${run%/run.efg}
    "$tool" export -o "$run.csv" "$run" && "$tool" graph -f json -o "$run.graph" "$run"
    verdict "$run: a table of all calls" "$("$python" - "$run" 2>&1 <<'END' | tail -n 1
import csv, json, sys
from collections import Counter
rows = list(csv.DictReader(open(sys.argv[1] + ".csv", newline="")))
graph = json.load(open(sys.argv[1] + ".graph"))
found, wanted, before = Counter(), Counter(), Counter()
for row in rows:
    assert None not in row and None not in row.values(), row
    for name in ("calls", "polls", "bytes", "time_ns"):
        found[row["hash"], row["call"], name] += int(row[name])
    before["found"] += int(row["before_ns"])
    assert int(row["least_ns"]) * int(row["calls"]) <= int(row["time_ns"]), row
for node in graph["nodes"]:
    values = {"calls": node["count"], "polls": node["polls"], "bytes": node["bytes"],
              "time_ns": node["time"]["sum"] + node["poll_time"]}
    for name, value in values.items():
        wanted["0x%016x" % int(node["hash"], 16), node["call"], name] += value
assert rows and found == wanted, [pair for pair in (found - wanted).items()][:3]
assert before["found"] == sum(edge["time"]["sum"] for edge in graph["edges"]), before
END
)"
done
finish
