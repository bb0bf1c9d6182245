#!/bin/sh
# Real applications whose ranks are stopped at random, for 1 to 30 ms at a time: still the same
# iterations on all ranks, and their messages matched. Many runs, so not a part of `make check`.
#
# usage: tests/align.sh [APP...]      default: lammps icofoam pw
# environment: that of frame.sh, and
#              RUNS         of each application, default 20
#              SEED         of the delays, default 1; run N has SEED + N
#              MIN_MATCHED  default 0.99
#              EFGTRACE     another tool
. "$(dirname "$0")/frame.sh"
tool=${EFGTRACE:-$tool}
runs=${RUNS:-20}
[ -x "$tool" ] || { echo "align: no $tool; run make first" >&2; exit 2; }
clean_up() {
    [ $failed -gt 0 ] && echo "align: what failed is in $work" >&2 || rm -rf "$work"
}

program_of() {
    case $1 in
    lammps) echo lmp ;;
    icofoam) echo icoFoam ;;
    pw) echo pw.x ;;
    *) echo "$1" ;;
    esac
}

# disturb SESSION PROGRAM SEED: until there is nothing left of the session
disturb() {
    "$python" - "$@" <<'END'
import os, random, signal, subprocess, sys, time
session, program, seed = sys.argv[1:]
draw = random.Random(int(seed))
stops = 0
def living(*what):
    return [int(pid) for pid in subprocess.run(["pgrep", "-s", session, "-r", "D,R,S,T", *what], capture_output=True, text=True).stdout.split()]
while living():
    ranks = living("-x", program)
    for _ in range(50 if ranks else 0):
        try:
            pid = draw.choice(ranks)
            os.kill(pid, signal.SIGSTOP)
            time.sleep(draw.uniform(0.001, 0.030))
            os.kill(pid, signal.SIGCONT)
            stops += 1
        except ProcessLookupError:
            break
        time.sleep(draw.uniform(0, 0.060))
    if not ranks:
        time.sleep(0.1)
print(stops)
END
}

# one APP NUMBER: why it went wrong; nothing if it did not
one() {
    dir=$work/$1.$2
    setsid sh -c 'exec bench/apps.sh run "$@"' run "$1" "$work/$1" "$tool" run -o "$dir" >"$dir.out" 2>"$dir.err" &
    job=$!
    stops=$(disturb $job "$(program_of "$1")" $((${SEED:-1} + $2)))
    wait $job || { echo "exit code $?: $(tail -n 1 "$dir.err")"; return; }
    [ "$stops" -gt 0 ] || echo "no rank was ever stopped"
    faults "$dir/traces.otf2" --iterations 10 --min-matched "${MIN_MATCHED:-0.99}" | head -n 3
}

for app in ${*:-lammps icofoam pw}; do
    good=0
    run=0
    while [ $run -lt "$runs" ]; do
        run=$((run + 1))
        why=$(one "$app" $run)
        if [ -z "$why" ]; then
            good=$((good + 1))
            rm -rf "$work/$app.$run"*
        else
            echo "FAIL $app, run $run: $why"
        fi
    done
    echo "$app: $good of $runs"
    passed=$((passed + good))
    failed=$((failed + runs - good))
done
finish
