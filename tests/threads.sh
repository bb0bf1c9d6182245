#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs with threads: the level that they asked for, a graph and a location for each thread, no call lost,
# messages matched; and what is kept of threads that come and go.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/threads.sh [CASE...]     the cases: tests/threads
# environment: that of frame.sh, and
#              HEAVY  how many runs of everything at once, and of how many rounds (default 2,150)
. "$(dirname "$0")/frame.sh"
sources=$root/tests/threads
bin=$work/bin
mkdir "$bin"
$MPICC -g -O1 "$sources/threads.c" -o "$bin/threads" -lpthread -ldl &&
    $MPICC -g -O1 "$sources/heavy.c" -o "$bin/heavy" -lpthread &&
    $MPICC -g -O1 "$sources/small.c" -o "$bin/small" -lpthread &&
    $MPICC -g -O1 -shared -fPIC -w "$sources/locks.c" -o "$bin/locks.so" -ldl &&
    $MPICXX -g -O1 "$sources/std_thread.cpp" -o "$bin/std_thread" -lpthread &&
    $MPICC -g -O1 -fopenmp "$sources/openmp.c" -o "$bin/openmp" &&
    $MPIFORT -g -O1 -fopenmp -J "$work" "$sources/level.f90" -o "$bin/level" || exit 2

# both NAME OPTIONS COMMAND...: two ranks, bare and traced to the folder NAME: the same
both() {
    local name=$1 options=$2 bare
    shift 2
    bare=$(ranks 2 "$@" 2>&1; echo "exit $?")
    same "$name: as without" "$bare" \
        "$(ranks 2 "$tool" run --summary off -o "$name" $options "$@" 2>&1; echo "exit $?")"
}

# calls DIR RANK THREAD: how many of each
calls() {
    "$tool" expand -r "$2" -t "$3" "$1" | grep -o 'MPI_[A-Za-z]*' | sort | uniq -c | xargs
}

# locations DIR: of all ranks
locations() {
    ls "$1/traces" | grep -c '\.evt$'
}

# matched DIR
matched() {
    verdict "$1: otf2-print accepts the trace" "$(unreadable "$1/traces.otf2")"
    verdict "$1: messages are matched" "$(faults "$1/traces.otf2" --full --iterations 0 | head -n 2)"
}

in_full || set -- each heavy leaves levels locks small
cases "$@"
finish
