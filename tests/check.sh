#!/bin/sh
# All tests that `make check` runs, or `make check-all`, some at once: unit tests, and scripts. Each prints what it did;
# here it is only added up. Behind each part: how long it took, and how much processor time that cost. A part that has
# failed is run again, alone, twice at most; if it then passes, it is unsteady, which is a defect of its own. Last
# lines: the unsteady parts, the second checker, the level, and "N passed, N failed[, N skipped]".
#
# usage: tests/check.sh [PART...]           default: all parts; of each what `make check` has
#        tests/check.sh --all [PART...]     of each all, as `make check-all` does
#        tests/check.sh --quick             some of each kind: those of `make check-quick`
#        tests/check.sh --optimised         says which unit tests `make check` runs as they are compiled for users, too
#
# A part is a script of this folder (report is report.sh) or a unit test (test_graph is unit/test_graph.c;
# sanitized/test_graph is the same, built with sanitizers). One that is not there has failed.
#
# Of which a script has two levels it says itself (in_full of frame.sh). A unit test is run once for `make check`: with
# sanitizers, where it is built so, but for those of OPTIMISED, for which it matters how they are compiled.
#
# environment: BUILD  where the build is (default build)
#              JOBS   how many parts at once (default: two more than there are cores; ranks often sleep)
#              CHECK_TRACE  a second checker (default ../shared/tools/check_trace.py, if it is there): asked by
#                     some parts only
set -u
cd "$(dirname "$0")/.." || exit 2

# All scripts of this folder are parts, but for OTHERS. LONG ones come first, so that the last ones are short.
long="programs stuck checker conformance threads saved wrong expand neighbours cut slow half life accidents ends mpi4 traffic page site simgrid openmp when apps phases representative user"
others="align builds check debian13 frame seeds slurm"

# What `make check-all` has, or who names it; for `make check`, others show the same (README.md).
rest="conformance loops"

optimised="test_array test_callpath test_sequence test_signals"

# The traces of these are given to the second checker, too.
compared="checker programs apps"

# What is written down, how programs are preloaded, their traces, and what is made of these.
quick="floors format docs table preload programs ends deadlock report recorded"
quick_programs="stencil2d ring_f08 threads"

# command_of PART
command_of() {
    case " $compared " in *" $1 "*) echo "env CHECK_TRACE=$SECOND" ;; esac
    case $1 in
    sanitized/*) echo "$BUILD/sanitized/tests/${1#*/}" ;;
    test_*) echo "$BUILD/tests/$1" ;;
    conformance) echo tests/conformance.sh --some ;;
    programs) echo tests/programs.sh ${PROGRAMS-} ;;
    apps) echo env LAMMPS_STEPS=1000 RINGTEST_LOOPS=50000 tests/apps.sh lammps ringtest ;;
    *) echo "tests/$1.sh" ;;
    esac
}

# processor_time FILE: of a shell and its children, whose `times` are in it
processor_time() {
    tr ms '  ' <"$1" | awk '{ sum += 60 * ($1 + $3) + $2 + $4 } END { printf "%.1f", sum }'
}

# tell PART FILE: what the part has printed, all of it if it failed
tell() {
    echo "== $1"
    if [ "$(cat "$2.code")" -ne 0 ]; then cat "$2"; else grep '^skip ' "$2"; grep -E '^(ok|FAIL|note)|passed' "$2" | tail -n 3; fi
    echo "   $3 s, $(processor_time "$2.times") s of processor time"
}

# run_part FOLDER PART: run it, and tell how it ended; by `check.sh --run FOLDER PART`
run_part() {
    started=$(date +%s)
    # shellcheck disable=SC2046 # words
    $(command_of "$2") >"$1/$2" 2>&1
    echo $? >"$1/$2.code"
    times >"$1/$2.times"
    tell "$2" "$1/$2" $(($(date +%s) - started)) >"$1/$2.told"
    flock "$1" cat "$1/$2.told"
}

BUILD=${BUILD:-build}
case ${1:-} in
--optimised) echo "$optimised"; exit ;;
--all) export CHECK_LEVEL=all && shift ;;
--run) ;;
*) export CHECK_LEVEL=some ;;
esac
[ "${1:-}" = --run ] && { run_part "$2" "$3"; exit; }

JOBS=${JOBS:-$(($(nproc) + 2))}
export BUILD
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1} # what it finds fails the test
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
SECOND=${CHECK_TRACE:-$PWD/../shared/tools/check_trace.py}
[ -f "$SECOND" ] || SECOND=
export SECOND
unset CHECK_TRACE

passed=0
failed=0
skipped=0
work=$(mktemp -d "${TMPDIR:-/tmp}/efgtrace-check.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/sanitized"

# Each rank of Open MPI has hwloc look at the machine, with plug-ins that bring libraries for displays: a third of the
# processor time of a start. Here all read what it found once. Scripts about what users meet unset it (frame.sh).
if lstopo-no-graphics --of xml "$work/machine.xml" 2>/dev/null; then
    export HWLOC_XMLFILE="$work/machine.xml" HWLOC_THISSYSTEM=1 HWLOC_PLUGINS_PATH="$work/none"
fi

# count WORD FILE: the unit tests of which cmocka says this; it says so again at the end
count() {
    grep "^\[ *$1 *\] [a-z_0-9]*$" "$2" | sort -u | wc -l
}

# sum WORD FILE: of the last line of a script
sum() {
    grep -E '^[0-9]+ passed, [0-9]+ failed' "$2" | tail -n 1 | sed -n "s/^\(.*, \)*\([0-9]*\) $1.*/\2/p"
}

# add_up PART
add_up() {
    said=$work/$1
    case $1 in
    *test_*) p=$(count OK "$said") f=$(count FAILED "$said") s=$(count SKIPPED "$said") ;;
    *) p=$(sum passed "$said") f=$(sum failed "$said") s=$(sum skipped "$said") ;;
    esac
    passed=$((passed + ${p:-0}))
    skipped=$((skipped + ${s:-0}))
    [ "$(cat "$said.code")" -ne 0 ] && [ "${f:-0}" -eq 0 ] && f=1 # died before it could say so
    failed=$((failed + ${f:-0}))
}

# run_again PART: if it has failed, alone, until it passes, twice at most
run_again() {
    times=0
    while [ "$(cat "$work/$1.code")" -ne 0 ] && [ $times -lt 2 ]; do
        times=$((times + 1))
        echo "-- $1 has failed: once more, alone"
        tests/check.sh --run "$work" "$1"
    done
    [ $times -eq 0 ] || [ "$(cat "$work/$1.code")" -ne 0 ] || unsteady="$unsteady $1 ($times of $((times + 1)) failed)"
}

# units FOLDER: one for each source
units() {
    for source in tests/unit/test_*.c; do echo "$1$(basename "$source" .c)"; done
}

all() {
    [ $CHECK_LEVEL = all ] && left= || left=$rest
    {
        echo "$long" | tr ' ' '\n'
        [ ! -d "$BUILD/sanitized" ] || units sanitized/
        if [ -d "$BUILD/sanitized" ] && [ $CHECK_LEVEL = some ]; then echo "$optimised"; else units ''; fi | tr ' ' '\n'
        basename -s .sh tests/*.sh | grep -vxF "$(echo "$long $others" | tr ' ' '\n')"
    } | grep -vxF "$(echo "$left" | tr ' ' '\n')"
}

case ${1:-} in
'') parts=$(all) ;;
--quick)
    parts="$(units '') $quick"
    export PROGRAMS="$quick_programs" ;;
*) parts="$*" ;;
esac
echo "$parts" | xargs -n 1 -P "$JOBS" tests/check.sh --run "$work"
unsteady=
for part in $parts; do
    run_again "$part"
    add_up "$part"
done

[ -z "$unsteady" ] || echo "unsteady, passed when run again:$unsteady"
echo "second checker: ${SECOND:-none}${SECOND:+, asked by $compared}"
case $CHECK_LEVEL in
some) echo "level: some of each part; \`make check-all\` has the rest" ;;
all) echo "level: all of each part" ;;
esac
if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
