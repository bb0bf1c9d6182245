#!/bin/sh
# All tests that `make check` runs: unit tests, then scripts, as many at once as there are cores. Every
# test program or script prints what it did; here is only added up. Last line: "N passed, N failed[, N
# skipped]".
#
# usage: tests/check.sh [PART...]     default: all parts
# environment: BUILD  where the build is (default build)
#              JOBS   how many parts at once (default: as there are cores)
set -u
cd "$(dirname "$0")/.." || exit 2

# All scripts of this folder are parts, but for OTHERS; LONG ones come first, so that the last ones are short.
long="programs conformance accidents expand saved neighbours wrong cut half traffic life threads page"
others="align builds check debian13 frame seeds"

# tell PART FILE: what the part has printed, all of it if it failed
tell() {
    echo "== $1"
    if [ "$(cat "$2.code")" -ne 0 ]; then cat "$2"; else grep -E '^(ok|FAIL|note|skip)|passed' "$2" | tail -n 3; fi
}

# run_script FOLDER PART: run it, and tell how it ended; by `check.sh --run FOLDER PART`
run_script() {
    started=$(date +%s)
    case $2 in
    conformance) set -- "$1" "$2" tests/conformance.sh --some ;;
    apps) set -- "$1" "$2" env RINGTEST_LOOPS=100000 tests/apps.sh lammps ringtest ;;
    *) set -- "$1" "$2" "tests/$2.sh" ;;
    esac
    folder=$1 name=$2 out=$1/$2
    shift 2
    "$@" >"$out" 2>&1
    echo $? >"$out.code"
    {
        tell "$name" "$out"
        echo "   $(($(date +%s) - started)) s"
    } >"$out.told"
    flock "$folder" cat "$out.told"
}

[ "${1:-}" = --run ] && { run_script "$2" "$3"; exit; }

BUILD=${BUILD:-build}
JOBS=${JOBS:-$(nproc)}
export BUILD
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1} # what it finds fails the test
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
CHECK_TRACE=${CHECK_TRACE:-$PWD/../shared/tools/check_trace.py}
[ -f "$CHECK_TRACE" ] && export CHECK_TRACE || unset CHECK_TRACE

passed=0
failed=0
skipped=0
work=$(mktemp -d "${TMPDIR:-/tmp}/efgtrace-check.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# add_up NAME KIND: what the part has printed, which is in its file
add_up() {
    said=$work/$1
    case $2 in
    unit)
        p=$(grep -c '^\[       OK \]' "$said")
        f=$(grep '^\[  FAILED  \] [a-z_0-9]*$' "$said" | sort -u | wc -l) # also listed at the end
        s=$(grep '^\[  SKIPPED \] [a-z_0-9]*$' "$said" | sort -u | wc -l) ;;
    *)
        last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$said" | tail -n 1)
        p=$(echo "$last" | sed -n 's/^\([0-9]*\) passed.*/\1/p')
        f=$(echo "$last" | sed -n 's/.*, \([0-9]*\) failed.*/\1/p')
        s=$(echo "$last" | sed -n 's/.*, \([0-9]*\) skipped.*/\1/p') ;;
    esac
    passed=$((passed + ${p:-0}))
    skipped=$((skipped + ${s:-0}))
    [ "$(cat "$said.code")" -ne 0 ] && [ "${f:-0}" -eq 0 ] && f=1 # died before it could say so
    failed=$((failed + ${f:-0}))
    ran="$ran $1 "
}

# wanted NAME
wanted() {
    [ -z "$parts" ] && return
    case " $parts " in *" $1 "*) ;; *) return 1 ;; esac
}

# name_of UNIT_TEST: of the part that it is
name_of() {
    case $1 in
    */sanitized/*) echo "$(basename "$1"), sanitized" ;;
    *) basename "$1" ;;
    esac
}

# run_units UNIT_TEST...
run_units() {
    for test in "$@"; do
        wanted "$(name_of "$test")" && printf '%s\0%s\0' "$test" "$work/$(name_of "$test")"
    done | xargs -0 -r -n 2 -P "$JOBS" sh -c '"$0" >"$1" 2>&1; echo $? >"$1.code"'
    for test in "$@"; do
        name=$(name_of "$test")
        wanted "$name" || continue
        add_up "$name" unit
        tell "$name" "$work/$name"
    done
}

# All scripts, long ones first.
list_scripts() {
    for name in $long $(basename -s .sh tests/*.sh); do
        case " $others $listed " in *" $name "*) continue ;; esac
        listed="$listed $name"
        wanted "$name" && echo "$name"
    done
}

parts="$*" ran='' listed=''
# shellcheck disable=SC2046 # names have no spaces
run_units $(ls "$BUILD"/tests/test_* "$BUILD"/sanitized/tests/test_* 2>/dev/null | grep -v '\.d$')
scripts=$(list_scripts)
echo "$scripts" | xargs -r -n 1 -P "$JOBS" tests/check.sh --run "$work"
for name in $scripts; do
    add_up "$name" shell
done

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
