#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Processes that MPI_Comm_spawn makes: they are traced in a folder beside that of their makers, the
# summaries of the two know of each other, and where they are not traced the summary says so. The
# output is that of the bare run.
# Of two levels: in_full is what only `make check-all` has.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export TMPDIR="$work"
$MPICC -g -O1 "$root/tests/spawn/spawn.c" -o "$work/spawn" || exit 2
case $MPICC-$($MPIRUN --version 2>/dev/null) in *mpich*) knows= ;; *"Open MPI) "[45].*) knows=1 ;; *) knows= ;; esac
cd "$work" || exit 2

if ! ranks 2 "$work/spawn" 1 plain >"$work/out" 2>&1; then
    skip "spawned" "this MPI library cannot spawn here: $(grep -m 1 -i spawn "$work/out")"
    finish
fi

# spawned NAME OPTIONS ARGUMENTS: bare and traced; the summaries are in $dir and what is beside it
number=0
spawned() {
    number=$((number + 1))
    dir=$work/$number
    ranks 2 "$work/spawn" $3 2>"$work/bare.err" | sort >"$work/bare"
    ranks 2 $before "$tool" run -o "$dir" $2 "$work/spawn" $3 >"$work/out" 2>"$work/err"
    same "$1: exit code" 0 $?
    verdict "$1: output" "$(sort "$work/out" | diff "$work/bare" - | head -n 3)"
}
before=

# untraced NAME HOW_MANY
untraced() {
    has "$1: says that they are not traced" "$2 spawned processes are not traced" "$dir/summary.txt"
    has "$1: nothing to compare" "148 messages with spawned processes: their summary, if there is one" "$dir/summary.txt"
    same "$1: nothing beside" "" "$(ls -d "$dir".* 2>/dev/null)"
}

# matched NAME MESSAGES: says who ended last, of the two
matched() {
    cat "$dir/summary.txt" "$dir.spawned"*/summary.txt >"$work/summaries"
    contains "$1: messages matched" "$(sed -n 's/.* \([0-9]* of [0-9]*\) messages with .*matched$/\1/p' "$work/summaries" | sort -u | xargs)" "$2"
}

# notes NAME TEXT FILE: the lines of FILE, one after the other, have TEXT: the name of $work may be long
notes() {
    contains "$1" "$(tr -s ' \n' ' ' <"$3")" "$2"
}

# beside NAME [MATCHED]: a folder of the spawned ones; each knows of the other
beside() {
    notes "$1: says where they are traced" "spawned processes are traced in $dir.spawned" "$dir/summary.txt"
    notes "$1: they say who made them" "spawned by the program in $dir" "$dir.spawned/summary.txt"
    matched "$1" "${2:-148 of 148}"
    same "$1: two ranks" "2" "$(sed -n '1s/.*, \([0-9]*\) ranks.*/\1/p' "$dir.spawned/summary.txt")"
}

if [ -z "$knows" ]; then
    spawned "spawned" "" "1 plain"
    untraced "spawned" 2
    skip "traced" "nothing tells this MPI library the environment of spawned processes"
    finish
fi

spawned "a full trace" "--mode full" "1 plain"
beside "a full trace"
has "a full trace: rank 1 has spawned them" "rank 1: 2 spawned" "$dir/summary.txt"
accepted "a full trace: of the makers" "$dir/traces.otf2"
accepted "a full trace: of the made ones" "$dir.spawned/traces.otf2"
"$tool" report "$dir.spawned" >"$work/report" 2>&1
notes "a full trace: the report, too" "spawned by the program in $dir" "$work/report"

if in_full; then
    spawned "an environment of its own" "" "1 info"
    same "an environment of its own: is still there" 2 "$(grep -c '^child.*OWN 1$' "$work/out")"
    beside "an environment of its own"

    if ranks 2 "$work/spawn" 1 multiple >"$work/out" 2>&1; then
        spawned "several programs" "" "1 multiple"
        beside "several programs"
    else
        skip "several programs" "this launcher cannot: $(tail -n 1 "$work/out")"
    fi

    spawned "twice" "" "2 plain"
    notes "twice: counts all" "4 spawned processes are traced in $dir.spawned and .spawned.2" "$dir/summary.txt"
    notes "twice: the second" "spawned by the program in $dir" "$dir.spawned.2/summary.txt"
fi

# One that is not traced has sent 37 of the messages, and received as many.
number=$((number + 1)) dir=$work/$number
launched -np 1 "$tool" run -o "$dir" "$work/spawn" 1 info : -np 1 "$work/spawn" 1 info >"$work/out" 2>"$work/err"
same "a maker untraced: exit code" 0 $?
beside "a maker untraced" "74 of 148"

# --- where they are not traced ---

spawned "settings that are too long" "--loop $(printf '%0250d' 0)" "1 plain"
untraced "settings that are too long" 2

if in_full; then
    before="env LD_PRELOAD=$(ldd "$tool" | sed -n 's/.*=> \(.*libm\.so[^ ]*\) .*/\1/p')"
    spawned "another library is preloaded" "" "1 plain"
    untraced "another library is preloaded" 2
    before=

    cp "$work/spawn" "$work/sanitized" && printf 'libasan.so' >>"$work/sanitized"
    spawned "a program with a sanitizer" "" "1 plain $work/sanitized"
    untraced "a program with a sanitizer" 2
fi

finish
