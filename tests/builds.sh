#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The same program, built in other ways: gcc and clang, optimised while it is linked and not at all,
# for Open MPI, for MPICH, and for Open MPI 5 in Debian 13 (debian13.sh). Each is built without a
# warning, and passes the unit tests and the parts of `make check` that are about what a compiler or
# an MPI library could break.
#
#   tests/builds.sh [NAME...]       default: all of them
#
# Prints a table, and as the last line "N passed, N failed": tests of all builds. What each of them
# said is in build/builds/NAME.made and NAME.log.
set -u
cd "$(dirname "$0")/.." || exit 2
logs=build/builds
mkdir -p $logs

# variables NAME: for make
variables() {
    case $1 in
    gcc) echo "CC=gcc" ;;
    clang) echo "CC=clang" ;;
    lto) echo "CC=gcc CFLAGS=-O2\\ -g\\ -flto=auto" ;;
    O0) echo "CC=gcc CFLAGS=-O0\\ -g" ;;
    mpich) echo "MPICC=mpicc.mpich" ;;
    openmpi5) echo "MPICC=mpicc" ;;
    *) return 1 ;;
    esac
}

# parts NAME: of `make check`
parts() {
    echo table tree preload life
    case $1 in gcc) echo slurm ;; mpich | openmpi5) echo mpi4 ;; esac
}

# said NAME: how many warnings, and what the tests came to
said() {
    tests=$(grep -E '^[0-9]+ passed, [0-9]+ failed' $logs/"$1".log | tail -n 1)
    count=$(echo "$tests" | sed -n 's/^\([0-9]*\) passed.*/\1/p')
    bad=$(echo "$tests" | sed -n 's/.*passed, \([0-9]*\) failed.*/\1/p')
    warnings=$(grep -c 'warning:' $logs/"$1".made)
}

# inside NAME: what runs its commands in the system that it is for
inside() {
    case $1 in openmpi5) echo tests/debian13.sh ;; *) echo env ;; esac
}

passed=0 failed=0
printf '%-8s %9s %9s %9s %9s\n' build warnings passed failed seconds
for name in ${*:-gcc clang lto O0 mpich openmpi5}; do
    eval "set -- $(variables "$name")" && [ $# -gt 0 ] || { echo "there is no build \"$name\""; exit 2; }
    started=$SECONDS
    folder=$logs/$name
    inside=$(inside "$name")
    $inside true >$logs/"$name".made 2>&1
    if [ $? -eq 77 ]; then
        printf '%-8s skipped: %s\n' "$name" "$(tail -n 1 $logs/"$name".made)"
        continue
    fi
    $inside make --no-print-directory -s -j2 "$@" BUILD="$folder" all unit >$logs/"$name".made 2>&1
    code=$?
    : >$logs/"$name".log
    if [ $code -eq 0 ]; then
        $inside env "$@" BUILD="$folder" tests/check.sh --all \
            $(cd "$folder/tests" && ls | grep '^test_[a-z_0-9]*$') $(parts "$name") >$logs/"$name".log 2>&1
    fi
    said "$name"
    [ $code -eq 0 ] && [ "$warnings" -eq 0 ] && passed=$((passed + 1)) || failed=$((failed + 1))
    passed=$((passed + ${count:-0})) failed=$((failed + ${bad:-1}))
    printf '%-8s %9s %9s %9s %9s\n' "$name" "$warnings" "${count:--}" "${bad:-not built}" \
        $((SECONDS - started))
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
