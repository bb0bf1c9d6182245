#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# When iterations are recorded: while MPI_Pcontrol allows it, with pcontrol = record, and for which the key `when`
# holds. The same iterations on all ranks, with all of their messages.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/when.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

cd "$work" || exit 2

# complete NAME: the trace in out has the same iterations on all ranks, and all messages; it is printed to ./printed
complete() {
    print_trace out/traces.otf2 >printed
    verdict "$1: the checker accepts the trace" "$(faults out/traces.otf2 --min-matched 1.0 | head -n 2)"
    has "$1: on all ranks" "numbered alike True" checked
}

# tags LEAST MOST: those of the messages in the trace that are not in between
tags() {
    sed -n 's/^MPI_SEND .*Tag: \([0-9]*\).*/\1/p' printed |
        awk -v least="$1" -v most="$2" '$1 < least || $1 > most' | sort -n | uniq | head -n 5 | paste -sd ' '
}

# --- MPI_Pcontrol ---

# levels NAME OPTIONS -- COMMAND...: only iterations of second halves are recorded, in three windows
levels() {
    local name=$1 options=()
    shift
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    rm -rf out
    traced out --pcontrol record "${options[@]}" "$@"
    complete "$name"
    same "$name: nothing while it is off" "" "$(tags 1000 2000)"
    has "$name: each time that it is on" "20 iterations, asked for by the program" out/summary.txt
}

$MPICC -g -O1 "$root/tests/when/levels.c" -o levels || exit 2
levels "MPI_Pcontrol from C" -- ./levels 3
same "the output" "done 3" "$(cat traced.out)"
if in_full; then
    if command -v "$MPIFORT" >/dev/null; then
        $MPIFORT -g -O1 "$root/tests/when/levels.f90" -o levels_f || exit 2
        levels "MPI_Pcontrol from Fortran" -- ./levels_f
    else
        skip "MPI_Pcontrol from Fortran" "no $MPIFORT"
    fi
    rm -rf out
    traced out --pcontrol record -n 800 ./levels 3
    complete "a window that is cut by MPI_Pcontrol(0)"
    same "a window that is cut by MPI_Pcontrol(0): nothing behind it" "" "$(tags 1000 2000)"
    rm -rf out
    traced out --pcontrol record ./levels 1 0.001
    has "it is off nearly always: that is said" "MPI_Pcontrol(1) was in force for too short a time" out/summary.txt
    rm -rf out
    traced out ./levels 3
    hasnt "without the key, levels mean nothing" "asked for by the program" out/summary.txt
fi

# --- times ---

# first_and_last: when iterations of the trace begin first and last, ms since the run began
first_and_last() {
    sed -n '/^Traced/,/^ *the same/s/.*from \([0-9.]*\) \(m\?s\) to \([0-9.]*\) \(m\?s\).*/\1 \2 \3 \4/p' out/summary.txt |
        awk '{print int($1 * ($2 == "s" ? 1000 : 1)), int($3 * ($4 == "s" ? 1000 : 1))}'
}

# timed NAME FROM TO SECONDS OPTIONS: of a run of so many SECONDS at most, all that is recorded is between FROM and
# TO, ms
timed() {
    local name=$1 from=$2 to=$3 seconds=$4
    shift 4
    rm -rf out
    traced out "$@" ./levels 12 "$seconds"
    [ -z "$(first_and_last)" ] || complete "$name"
    verdict "$name: in time" "$(first_and_last | awk -v from="$from" -v to="$to" '$1 < from || $2 > to')"
}
something() { # NAME
    verdict "$1: something is recorded" "$([ -n "$(first_and_last)" ] || grep Traced out/summary.txt)"
}

timed "from a time on" 400 1000000 10 --when "time in 400ms.."
something "from a time on"
if in_full; then
    timed "windows between two times" 300 20000 10 --when "time in 300ms..20s" --windows 3
    something "windows between two times"
    timed "a window that is not over in time" 300 900 1.5 --when "time in 300ms..900ms" -n 100000
fi
rm -rf out
traced out --when "time in 1h..2h" ./levels 3
has "a time that never comes" "Traced       nothing" out/summary.txt
has "a time that never comes: which" "             when = time in 1h..2h" out/summary.txt

# --- what is known when an iteration is over ---

# chosen CONDITION SELECT TAGS OPTIONS: five iterations, or more in all, are recorded, and nothing else; their
# messages have one of these tags
chosen() {
    local condition=$1 select=$2 tags=$3 name="when $1, $2"
    rm -rf out
    traced out -n 5 --when "$condition" --select "$select" ./varied 1500
    same "$name: the output" "done 1500" "$(cat traced.out)"
    complete "$name"
    verdict "$name: the tags" "$(tags "$tags" "$tags")"
    same "$name: five iterations, all of this kind" 5 "$("$python" "$root/tests/asked.py" out/traces.otf2 when |
        tr ' ' '\n' | awk '{n += $1} END {print n}')"
    has "$name: nothing else" "Traced       5 iterations, chosen by the key when" out/summary.txt
    has "$name: the summary says the conditions" "             when = $condition" out/summary.txt
    same "$name: so does each iteration of the trace" "$(grep -c '"kept" .*; "when"' printed)" \
        "$(grep -c "\"when\" <[0-9]*>; STRING; \"$condition\"" printed)"
    same "$name: and the report" "$condition when" "$("$tool" report --json out | "$python" -c '
import json, sys
run = json.load(sys.stdin)
print(run["overview"]["recorded"]["when"], *{w["why"] for w in run["curve"]["windows"]})')"
}

$MPICC -g -O1 -I"$root/libefgtrace/user" "$root/tests/when/varied.c" -o varied || exit 2
for select in first $(in_full && echo spread slow); do
    chosen "region rebuild" $select 10
    in_full && chosen "region output" $select 15
done
in_full && chosen "region rebuild, mpi > 1%" first 10
chosen "region sleep, mpi < 30%, iteration > 1.5x" slow 5

if EFGTRACE_COUNTERS=page-faults "$tool" check | grep -q "here: page-faults"; then
    chosen "page-faults > 50" first 7
    in_full && chosen "faults / task-clock > 0.000001, page-faults > 50" spread 7
else
    skip "conditions on counters" "perf_event_open is not allowed here"
fi
if in_full && ! EFGTRACE_COUNTERS=cycles "$tool" check | grep -q "here: cycles"; then
    rm -rf out
    traced out --when "ipc < 0.5" ./varied 500
    has "a counter that there is not" "Traced       nothing" out/summary.txt
    has "a counter that there is not: it is said" "ipc < 0.5: not all that this needs" traced.err
fi

if in_full; then
    # Not what the program does, but what the machine does as well: some other rank may wait for its processor.
    rm -rf out
    traced out -n 5 --when "mpi < 30%, iteration > 3x" --select slow ./varied 1500
    complete "how long, how much in MPI"
    has "how long, how much in MPI: what sleeps" "Tag: 5," printed

    rm -rf out
    traced out --when "region no_such_function" ./varied 1000
    has "a region that there is not" "Traced       nothing" out/summary.txt
fi

printf "when = mpi > 60%%\nselect = first, slow\n" >when.conf
"$tool" check when.conf >checked 2>&1
same "conditions and two words of select: an error" 1 $?
has "conditions and two words of select: said" "is not one of first, spread, slow" checked
echo "when = time in 10m..20m, iteration > 2.5x, mpi > 60%, region solve" >when.conf
"$tool" check when.conf >checked || verdict "efgtrace check" "$(cat checked)"
has "efgtrace check explains conditions" "2.5 times the median" checked
has "efgtrace check explains where they are looked at" "on some rank" checked

finish
