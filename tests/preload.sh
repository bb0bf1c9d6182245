#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What a user of the preloaded library meets, with a runtime that only counts (fake_runtime.c): each
# call exactly once from every language, and nothing disturbed.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/preload.sh [CASE...]     the cases: tests/preload; environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
start_as_users_do
CC=${CC:-gcc}
tests=$root/tests/preload

cp "$library" "$work/" || exit 1
library=$work/libefgtrace.so
$MPICC -std=gnu11 -fPIC -shared -fvisibility=hidden -Ilibefgtrace tests/fake_runtime.c \
    libefgtrace/runtime/calls/calls.c -o "$work/$runtime" || exit 1
$MPICC -std=gnu11 "$tests/end.c" -o "$work/end" || exit 1

# run NP COMMAND...: fills $out, $err (sorted by rank, ours only), $code
run() {
    local np=$1 setting=(-x LD_PRELOAD="$library")
    shift
    [ "$mpi" = MPICH ] && setting=(-genv LD_PRELOAD "$library")
    ranks "$np" "${setting[@]}" "$@" >"$work/out" 2>"$work/err"
    code=$?
    out=$(sort "$work/out")
    err=$(grep -a '^\[[0-9]*\] ' "$work/err" | sort -s -t' ' -k1,1)
}
bare() {
    local np=$1
    shift
    out_bare=$(ranks "$np" "$@" 2>"$work/err_bare"; echo "exit $?")
    out_bare=$(sort <<<"$out_bare")
}
# counted NAME NP COUNTS COMMAND...: every rank shows these lines, the output is that of a bare run
counted() {
    local name=$1 np=$2 counts=$3 expected="" rank
    shift 3
    bare "$np" "$@"
    run "$np" "$@"
    for ((rank = 0; rank < np; rank++)); do
        expected+=$(sed "s/^ */[$rank] /" <<<"$counts")$'\n'
    done
    same "$name: output" "$out_bare" "$(printf '%s\n' ${out:+"$out"} "exit $code" | sort)"
    same "$name: calls" "$(sort <<<"${expected%$'\n'}")" "$(sort <<<"$err")"
}

in_full || set -- c fortran other_mpi python threads undisturbed
cases "$@"
finish
