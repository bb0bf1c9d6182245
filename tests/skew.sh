#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# No receive before its send, where a clock was wrong in the middle of the run. Ranks 2 and 3 are
# taken for those of another host,
#
#     by `efgtrace trace`   in logs of a run on this host that were bent: as if the clock had been
#                           late 300 s away from its comparisons
#     by MPI_Finalize       in runs whose host names and clocks are bent (tests/skew/bent.c)
#
# and the clock is corrected from the messages.
#
#   tests/skew.sh           environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
logs=$root/tests/skew/logs.py
export EFGTRACE_CLOCK=system # what tests/skew/bent.c bends
cd "$work" || exit 2

# Steps of 20 ms: a clock that is late by less than half of it cannot be taken for a message of
# the step before.
mpicc -g -O1 "$root/tests/programs/stencil2d.c" -o stencil2d -lm &&
    mpicc -g -O1 -shared -fPIC "$root/tests/skew/bent.c" -o bent.so -ldl || exit 1

# runs NAME OPTION...: with the OPTIONs of mpirun
runs() {
    local name=$1
    shift
    timeout 60 mpirun -np 4 --oversubscribe "$@" "$tool" run -o "$name" --interval 20ms --skip 20 \
        --keep-logs ./stencil2d 140 20000 >out 2>err </dev/null
    same "$name: runs" "0 ok stencil2d: 140 steps" "$? $(cat out)"
}

# bent NAME LATE2 LATE3: the logs of the run, bent by so many ns
bent() {
    cp -r run "$1" && rm -r "$1"/traces* && "$python" "$logs" bend "$@"
}

# checked NAME: every message matched, none early
checked() {
    if [ -z "${CHECK_TRACE:-}" ]; then
        echo "skip $1: no check_trace.py (set CHECK_TRACE)"
        skipped=$((skipped + 1))
        return
    fi
    timeout 60 "$python" "$CHECK_TRACE" "$1/traces.otf2" --min-matched 1.0 --iterations 10 >checked 2>&1
    verdict "$1: the trace is right, all messages matched" "$(grep -E '^FAIL|cannot' checked | head -n 2)"
    grep -q 'clock violations 0,' checked
    same "$1: no message is received before it is sent" 0 $?
}

# --- efgtrace trace ---

# converts NAME: to a trace; what is said is in ./said; the logs stay as they are
converts() {
    cat "$1"/logs/* | cksum >before
    "$tool" trace "$1" >out 2>said
    same "$1: a trace" "0 $1/traces.otf2" "$? $(cat out)"
    same "$1: the logs are as they were" "$(cat before)" "$(cat "$1"/logs/* | cksum)"
}

runs run
same "run: no receive before its send" 0 "$("$python" "$logs" count run)"

bent right 0 0
converts right
same "right: nothing to be said" "" "$(cat said)"
checked right

for late in 3000000 -3000000; do
    name=late.$late
    bent $name $late $late
    early=$("$python" "$logs" count $name)
    verdict "$name: receives before their sends, in the logs" "$([ "$early" -gt 0 ] || echo "$early")"
    converts $name
    same "$name: it is said" 1 \
        "$(grep -Ec "clocks of hosts are off by (2\.[89]|3\.0).* ms .*, $early receives .*: corrected$" said)"
    checked $name
done

# Without a comparison at the end.
bent killed 3000000 3000000
for log in killed/logs/*; do
    dd if=/dev/zero of="$log" bs=8 seek=7 count=2 conv=notrunc 2>/dev/null # sync[1]
done
converts killed
same "killed: it is said" 1 "$(grep -Ec 'clocks of hosts .*: corrected$' said)"
checked killed

# Ranks of one host that are not of one mind.
bent torn 3000000 -3000000
converts torn
same "torn: it is said" 1 "$(grep -c ': contradictory$' said)"

# --- MPI_Finalize ---

# bent_run NAME LATE2 LATE3 WANTED: what the summary is to say of the clocks
bent_run() {
    runs "$1" -x LD_PRELOAD="$work/bent.so" -x LATE2="$2" -x LATE3="$3"
    same "$1: two hosts" 1 "$(grep -c ', 4 ranks on 2 hosts, ' "$1/summary.txt")"
    verdict "$1: the summary says it" \
        "$(grep -Eq "$4" "$1/summary.txt" || echo "no '$4' in: $(grep -A 1 Clocks "$1/summary.txt")")"
}

for late in 1000000 -1000000; do
    name=run.late.$late
    bent_run $name $late $late '^ +off by (9..|1\.0.).* in the window, [1-9][0-9]* receives .*: corrected$'
    checked $name
    same "$name: the logs are right as well" 0 "$("$python" "$logs" count $name)"
    "$tool" report $name >said
    same "$name: and the report says it" 1 "$(grep -c 'receives before their sends: corrected' said)"
done
bent_run run.torn 1000000 -1000000 'receives before their sends: contradictory$'
early=$("$python" "$logs" count run.torn)
verdict "run.torn: receives stay before their sends" "$([ "$early" -gt 0 ] || echo "$early")"

finish
