#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# efgtrace expand: it gives the calls of each rank as the full trace of the same run has them, call
# for call, with their paths (tests/expanded.py). Of programs of different structure, where the graph
# merges nodes in between, and where segments were written out in between. And its options.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/expand.sh [CASE...]     the cases: tests/expand
# environment: that of frame.sh; APPS: whole runs of these applications of bench/apps.sh, instead of a few steps
#              of LAMMPS
. "$(dirname "$0")/frame.sh"

# full DIR RANKS OPTIONS... -- COMMAND...: a full trace
full() {
    local dir=$1 number=$2
    shift 2
    ranks "$number" "$tool" run --mode full --summary off -o "$dir" "$@" >out 2>err ||
        verdict "$dir: the run" "exit code $?: $(tail -n 3 err)"
}

# lossless DIR: what differs between the trace and the sequences
lossless() {
    local name=${1##*/}
    timeout 900 "$python" "$root/tests/expanded.py" "$tool" "$1" >same 2>&1
    verdict "$name: the calls of the trace, $(grep -c 'calls are the same$' same) threads" \
        "$([ $? = 0 ] && grep -v 'calls are the same$' same | head -n 3)"
    verdict "$name: there are calls" "$(grep -q ': [1-9][0-9]* calls are the same$' same || cat same)"
}

# orders DIR: how many different sequences run.efg has
orders() {
    "$python" "$root/tests/read_run.py" "$1/run.efg" | grep -c '^sequence '
}

# traces NAME...: full traces of these programs, in the folders $work/NAME; made once
traces() {
    local name
    for name in "$@"; do
        [ -d "$work/$name" ] || trace_of $name
    done
}

# trace_of NAME
trace_of() {
    case $1 in
    shuffled) full "$work/shuffled" 2 -- "$work/many" shuffled 120000 ;;
    *)
        compile $1 || exit 2
        full "$work/$1" 4 -- "$programs/$1" $([ -f "$root/bench/kernels/$1.c" ] && echo 10 || echo 100 100) ;;
    esac
}

# lines ARGUMENTS...: what expand writes, and what it says
lines() {
    "$tool" expand "$@" >lines 2>said
}

$MPICC -g -O1 "$root/tests/memory/many.c" -o "$work/many" || exit 2

in_full || set -- options otf2 programs refused
cases "$@"
finish
