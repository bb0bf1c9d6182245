#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Counters: they count what the program does, where it does it; threads and children apart; what cannot be counted is
# said, with what to do about it; and whatever the kernel does or the program closes, the program does as it would.
#
# usage: tests/counters.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

sources=$root/tests/counters
cd "$work" || exit 2
$MPICC -g -O1 "$sources/counted.c" -o counted -lpthread || exit 2
cc -g -O1 -shared -fPIC "$sources/kernel.c" -o kernel.so -ldl || exit 2
clocks="task-clock, context-switches, page-faults"

# counted NAME RANKS OPTION...: such a run is as the program is
counted() {
    local name=$1 number=$2
    shift 2
    traced_by "$number" "$name" --counters "$clocks" -- ./counted 150 "$@"
    same "$name: the program ends" done "$(tail -n 1 traced.out)"
    "$tool" report -o "$name.json" "$name"
    verdict "$name: what was counted$(for one; do printf ' %s' "$one"; done)" \
        "$("$python" "$root/tests/counted.py" "$name/run.efg" "$name.json" 150 "$@" 2>&1 >said | tail -n 1)"
}

if EFGTRACE_COUNTERS=$clocks "$tool" check | grep -q "here: $clocks"; then
    counted plain 2
    has "the summary has them" "Counters     " plain/summary.txt
    has "of each iteration" "page-faults 8" plain/summary.txt
    "$tool" report plain >report
    has "the report has what is between calls" "MPI_Barrier to MPI_Allreduce  counted.c:" report
    verdict "nothing is cut" "$(awk '/\.\.\.$/' report)"
    traced_by 1 asked --counters "" -- ./counted 20
    hasnt "nothing asked for, nothing said" Counters asked/summary.txt
    same "nor in the trace" 0 "$(otf2-print -G asked/traces.otf2 | grep -c METRIC)"
    hasnt "nor kept" "counters task" asked/run.efg
    "$tool" report -o asked.json asked
    hasnt "nor in the report" '"counters"' asked.json
    counted_in() { # DIR [full]: the trace has what the report has
        "$tool" report -o "$1.json" "$1"
        verdict "$1: the trace has as much as the report" "$(
            "$python" "$root/tests/counted_trace.py" "$1/traces.otf2" "$1.json" ${2-} 2>&1 >said | tail -n 1)"
    }
    counted_in plain
    verdict "plain: the checker accepts the trace" "$(faults plain/traces.otf2 --iterations 10 | head -n 2)"
    traced_by 2 full --mode full --counters "$clocks" -- ./counted 20
    counted_in full full
    same "the trace says what they are" "context-switches page-faults task-clock" "$(
        otf2-print -G plain/traces.otf2 | sed -n 's/^METRIC_MEMBER .*Name: "\([^"]*\)".*/\1/p' | sort | xargs)"
    traced_by 2 nested --counters "$clocks" -- ./counted 150 nested
    "$tool" report -o nested.json nested
    verdict "each loop has what was counted in an iteration of it" "$("$python" -c '
import json
loops = {loop["name"].split()[0] + str(loop["depth"]): loop for loop in json.load(open("nested.json"))["loops"]}
said = {name: loop["counters"]["page-faults"] for name, loop in loops.items() if "counters" in loop}
[main] = [said[name] for name, loop in loops.items() if loop["is_main"]]
[inner] = [said[name] for name, loop in loops.items() if loop["depth"] == 1]
assert 13.9 < main < 15.4 and 1.9 < inner < 2.2, said' 2>&1 | tail -n 1)"
    "$tool" report nested >report
    has "the report has them" "Counters in an iteration of each loop" report
    counted fork 1 fork
    cp traced.out listed
    hasnt "a program that is executed has none of the files" "perf_event" listed
    has "but it has some" "/proc" listed
    counted threads 1 threads
    traced_by 1 close --counters "$clocks" -- ./counted 150 close
    same "a program that closes the files: it ends" done "$(tail -n 1 traced.out)"
    has "that is said" "counters cannot be read any more" traced.err
else
    skip "what is counted" "perf_event_open is not allowed here"
fi

# --- what is asked for is not there ---

ranks 1 "$tool" run --counters task-clock,instrutions ./counted 1 >out 2>err
verdict "an unknown one stops the job" "$([ $? -ne 0 ] || echo 'exit code 0')"
has "and the nearest one is named" "did you mean instructions" err
for wrong in a,b,c task-clock,task-clock; do
    EFGTRACE_COUNTERS=$wrong "$tool" check >out 2>&1
    same "check: $wrong is wrong" 1 $?
done

# on KERNEL COUNTERS: a run on such a kernel; what is said is in said
on() {
    ranks 1 env LD_PRELOAD="$work/kernel.so" KERNEL="$1" "$tool" run -o "on $1" --counters "$2" ./counted 30 \
        >out 2>said
    same "kernel $1: the program ends" done "$(cat out)"
    env LD_PRELOAD="$work/kernel.so" KERNEL="$1" EFGTRACE_COUNTERS="$2" "$tool" check >checked
}

on forbid "task-clock,cycles"
has "forbidden: that is said, of all in one line" "counters task-clock, cycles: perf_event_open is forbidden" said
has "check says it" "here: none of them" checked
on files "task-clock"
has "no file is left: that is said" "see ulimit -n" said
on none "task-clock"
has "no perf_event_open: that is said" "this kernel has no perf_event_open" said
on user "context-switches,page-faults"
has "without the kernel: what only happens there is refused" "counters context-switches: " said
has "the rest counts" "page-faults" "on user/summary.txt"
has "and it is said what" "what the kernel does" said
on pmu=2 "instructions,cycles,branches"
has "3 where 2 fit: that is said" "branches: the processor cannot count it besides the others" said
has "check says it, too" "here: instructions, cycles" checked
has "instructions and cycles: their ratio" "IPC 1.0" "on pmu=2/summary.txt"
same "of each loop, too" 1.0 "$("$tool" report --json "on pmu=2" | "$python" -c '
import json, sys
print(*{round(loop["counters"]["ipc"], 1) for loop in json.load(sys.stdin)["loops"] if "counters" in loop})')"
(ulimit -n 40 && ranks 1 "$tool" run -o few --counters "$clocks, major-faults,minor-faults,cpu-migrations" \
    ./counted 30 threads >out 2>said)
same "few files: the program ends" done "$(cat out)"
has "few files: what is not counted is said" "ulimit -n" said
finish
