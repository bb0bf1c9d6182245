#!/bin/sh
# Blocks from all ranks to rank 0 and back (runtime/tree.c), under sanitizers, on 1 to 11 ranks.
#
# usage: tests/tree.sh
# environment: BUILD  where the build is (default build)
set -u
cd "$(dirname "$0")/.." || exit 2

build=$(cd "${BUILD:-build}" && pwd) || exit 2
passed=0
failed=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS=detect_leaks=0 # Open MPI has its own

mpicc -g -O1 -Wall -Wextra -fsanitize=address,undefined -fno-sanitize-recover=undefined -DEFG_TREE_PIECE=1000 \
    -Ilibefgtrace tests/tree/tree.c libefgtrace/runtime/tree.c libefgtrace/files/buffer.c -o "$build/tests/tree" || exit 2
for ranks in 1 2 3 5 8 11; do
    if why=$(timeout 60 mpirun -np $ranks --oversubscribe "$build/tests/tree" 32 2>&1); then
        passed=$((passed + 1))
        echo "ok $ranks ranks"
    else
        failed=$((failed + 1))
        echo "FAIL $ranks ranks: $(echo "$why" | grep -m 3 -E 'FAIL|ERROR|error')"
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
