#!/bin/sh
# All tests that `make check` runs: unit tests as many at once as there are cores, then scripts, one
# after the other. Every test program or script prints what it did; here is only added up. Last
# line: "N passed, N failed[, N skipped]".
#
# usage: tests/check.sh [PART...]     default: all parts
# environment: BUILD  where the build is (default build)
set -u
cd "$(dirname "$0")/.." || exit 2

BUILD=${BUILD:-build}
export BUILD
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1} # what it finds fails the test
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
CHECK_TRACE=${CHECK_TRACE:-$PWD/../shared/tools/check_trace.py}
[ -f "$CHECK_TRACE" ] && export CHECK_TRACE || unset CHECK_TRACE

passed=0
failed=0
skipped=0
work=$(mktemp -d "${TMPDIR:-/tmp}/efgtrace-check.XXXXXX") || exit 2
log=$work/log
trap 'rm -rf "$work"' EXIT

# count NAME: add up what $log says, with $1 as the exit code
count() {
    case $2 in
    unit)
        p=$(grep -c '^\[       OK \]' "$log")
        f=$(grep '^\[  FAILED  \] [a-z_0-9]*$' "$log" | sort -u | wc -l) # also listed at the end
        s=$(grep '^\[  SKIPPED \] [a-z_0-9]*$' "$log" | sort -u | wc -l) ;;
    *)
        last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
        p=$(echo "$last" | sed -n 's/^\([0-9]*\) passed.*/\1/p')
        f=$(echo "$last" | sed -n 's/.*, \([0-9]*\) failed.*/\1/p')
        s=$(echo "$last" | sed -n 's/.*, \([0-9]*\) skipped.*/\1/p') ;;
    esac
    passed=$((passed + ${p:-0}))
    skipped=$((skipped + ${s:-0}))
    [ "$1" -ne 0 ] && [ "${f:-0}" -eq 0 ] && f=1 # died before it could say so
    failed=$((failed + ${f:-0}))
}

# wanted NAME
wanted() {
    [ -z "$parts" ] && return
    case " $parts " in *" $1 "*) ;; *) return 1 ;; esac
}

# part NAME KIND COMMAND...
part() {
    name=$1 kind=$2
    shift 2
    wanted "$name" || return
    ran="$ran $name "
    echo "== $name"
    started=$(date +%s)
    "$@" >"$log" 2>&1
    code=$?
    count $code "$kind"
    if [ $code -ne 0 ]; then cat "$log"; else grep -E '^(ok|FAIL|note|skip)|passed' "$log" | tail -n 3; fi
    echo "   $(($(date +%s) - started)) s"
}

# name_of UNIT_TEST: of the part that it is
name_of() {
    case $1 in
    */sanitized/*) echo "$(basename "$1"), sanitized" ;;
    *) basename "$1" ;;
    esac
}

# What UNIT_TEST has printed, with its exit code: run_units ran it.
told() {
    cat "$work/$(name_of "$1")"
    return "$(cat "$work/$(name_of "$1").code")"
}

# run_units UNIT_TEST...
run_units() {
    for test in "$@"; do
        wanted "$(name_of "$test")" && printf '%s\0%s\0' "$test" "$work/$(name_of "$test")"
    done | xargs -0 -r -n 2 -P "$(nproc)" sh -c '"$0" >"$1" 2>&1; echo $? >"$1.code"'
}

parts="$*" ran=
units=$(ls "$BUILD"/tests/test_* "$BUILD"/sanitized/tests/test_* 2>/dev/null | grep -v '\.d$')
run_units $units
for test in $units; do
    part "$(name_of "$test")" unit told "$test"
done
for script in floors table tree preload neighbours half tool docs report page hostile graph runfile expand profile compare saved life accidents wrong traffic signature recorded representative memory cost threads spawn soak mpich mpi4 cut ends deadlock skew hosts checker bench loops fuzz programs; do
    [ -x tests/$script.sh ] || continue
    part $script shell "tests/$script.sh"
done
part conformance shell tests/conformance.sh --some
part apps shell env RINGTEST_LOOPS=100000 tests/apps.sh lammps ringtest

for name in $parts; do
    case $ran in *" $name "*) continue ;; esac
    echo "FAIL there is no part \"$name\" (unit tests: make unit)"
    failed=$((failed + 1))
done

if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
