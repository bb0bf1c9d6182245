#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Whatever happens to a job, it ends as it would without us, and what was recorded is readable
# (tests/accidents/accidents.py says more).
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/accidents.sh             what happens to jobs: a minute
#   tests/accidents.sh --every     and every call to the system that our libraries make, failing:
#                                  some 6300 jobs, 26 minutes on 2 cores;
#                                  --step N: only every N-th; --jobs N: so many at a time
#   tests/accidents.sh --table FILE [NAME...]      NAME: of an accident; "files full" of --every
#
# environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
start_as_users_do
sources=$root/tests/accidents
$MPICC -g -O1 "$sources/program.c" -o "$work/program" -ldl -lpthread &&
    $MPICC -g -O1 -shared -fPIC "$sources/module.c" -o "$work/module.so" &&
    $MPICC -g -O1 -shared -fPIC -DLIBRARY "$sources/late.c" -o "$work/liblate.so" &&
    ${CC:-gcc} -g -O1 "$sources/late.c" -o "$work/late" -ldl &&
    ${CC:-gcc} -g -O1 -shared -fPIC -fno-optimize-sibling-calls "$sources/mishap.c" -o "$work/mishap.so" -ldl ||
    exit 2
in_full || set -- kill "SIGTERM handled" exec "crash, full" "fork and exec" "MPI_Init from a library" "file size 1000, full" \
    "memory limited" "memory used up" "files used up" "folder removed" "logs cut" "quota reached" \
    "clock put back" "a path that is no UTF-8"
"$python" "$sources/accidents.py" --build "$build" --work "$work" "$@"
