#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What a user meets around a run: wrong configuration, folders that cannot be made, jobs that
# are killed or end in other ways, disks and logs that are full, and what the keys do. The
# program is mostly tests/programs/stencil2d, on 4 ranks.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/life.sh [CASE...]     the cases: tests/life; environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
start_as_users_do
job= small=

clean_up() {
    [ -n "$job" ] && kill "$job" 2>/dev/null && wait "$job" 2>/dev/null
    mountpoint -q "$small" && umount "$small"
    rm -rf "$work"
}

compile stencil2d nested_solver life/ending || exit 2

# launch COMMAND...: on 4 ranks, to ./out, ./err, $code
launch() {
    ranks 4 "$@" >out 2>err
    code=$?
}

# of_steps STEPS [SIZE]: what the program is asked for from here on
of_steps() {
    steps=$1 stencil=("$programs/stencil2d" "$1" "${2:-500}")
}

# traced OPTION...: with samples at 20 ms the main loop is found within 0.2 s
traced() {
    launch "$tool" run --interval 20ms "$@" "${stencil[@]}"
}

# as_bare NAME: the job ended as it should
as_bare() {
    same "$1: exit code" 0 "$code"
    same "$1: output" "ok stencil2d: $steps steps" "$(cat out)"
}

# ours: our lines of ./err before the summary
ours() {
    grep '^efgtrace: ' err
}

# begin DIR OPTION...: a long job in the background; returns when its window is closed
begin() {
    local dir=$1 i
    shift
    $MPIRUN -np 4 "$tool" run -o "$dir" --interval 20ms -v "$@" \
        "$programs/stencil2d" 4000 500 >out 2>err </dev/null &
    job=$!
    for ((i = 0; i < 300; i++)); do
        grep -q "recorded up to iteration" err && break
        sleep 0.1
    done
    sleep 0.3 # rank 0 said so: the others are as far within some iterations
}

in_full || set -- configuration folders full_disk keys killed library preloaded running sanitizer
cases "$@"
finish
