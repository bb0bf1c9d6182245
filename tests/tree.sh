#!/bin/sh
# Blocks from all ranks to rank 0 and back (runtime/job/tree.c), under sanitizers, on 1 to 11 ranks.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/tree.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

export ASAN_OPTIONS=detect_leaks=0 # Open MPI has its own

$MPICC -g -O1 -Wall -Wextra -fsanitize=address,undefined -fno-sanitize-recover=undefined -DEFG_TREE_PIECE=1000 \
    -Ilibefgtrace tests/tree/tree.c libefgtrace/runtime/job/tree.c libefgtrace/base/buffer.c \
    -o "$build/tests/tree" || exit 2
for ranks in 5 $(in_full && echo 1 2 3 8 11); do
    said=$(ranks $ranks "$build/tests/tree" 32 2>&1) && why= ||
        why="exit code $?: $(echo "$said" | grep -m 3 -E 'FAIL|ERROR|error')"
    verdict "$ranks ranks" "$why"
done
finish
