# SPDX-License-Identifier: BSD-3-Clause
# What the scripts of this folder have in common: where things are, the verdicts and their sum,
# programs to compile, ranks to start, traces to check. For sh and bash; each script begins with
#
#   . "$(dirname "$0")/frame.sh"
#
# says its tests by `verdict` and what is made of it, and ends with `finish`.
#
# environment: BUILD        where the build is (default build)
#              CHECK_TRACE  a checker of traces with the options of lib/check_trace.py, for a second opinion of
#                           each trace (default: none)
#              CHECK_LEVEL  some: only what `make check` has; all (default): what `make check-all` has
#              MPICC        of the MPI that the build is for (default mpicc, of Open MPI)
#              PYTHON       one that has the packages of Debian (default /usr/bin/python3)
set -u

root=$(cd "$(dirname "$0")" && until [ -f tests/frame.sh ] || [ "$PWD" = / ]; do cd ..; done && pwd)
build=$(cd "$root" && cd "${BUILD:-build}" && pwd) || exit 2
tool=$build/efgtrace
library=$build/libefgtrace.so
programs=$build/tests/programs # compiled ones
python=${PYTHON:-/usr/bin/python3}
checker=$root/tests/lib/check_trace.py
CHECK_TRACE=${CHECK_TRACE-}
passed=0
failed=0
skipped=0
patience=600 # seconds, then something hangs: far more than anything takes beside a load of 40

case ${MPICC:=mpicc} in
*mpich*)
    mpi=MPICH
    MPICC="$MPICC -Wno-stringop-overflow" # of MPI_STATUSES_IGNORE
    MPICXX=mpicxx.mpich MPIFORT=mpifort.mpich MPIRUN=mpiexec.mpich
    export MPIR_CVAR_POLLS_BEFORE_YIELD=1 ;; # there are fewer cores than ranks
*) mpi="Open MPI" MPICXX=mpicxx MPIFORT=mpifort MPIRUN="mpirun --oversubscribe" ;;
esac
kind=$("$root/config/mpi.sh" name "${MPICC%% *}")
runtime=libefgtrace-runtime-$kind.so
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_reachable=${OMPI_MCA_reachable-weighted} # Open MPI 5 else says it cannot reach its own host
# What Open MPI takes on one node, without a look for networks, which is half the time of a start.
export OMPI_MCA_pml=${OMPI_MCA_pml-ob1}

# Ranks start as those of users do: for scripts about what users meet. What hwloc reads is check.sh's.
start_as_users_do() {
    unset OMPI_MCA_pml HWLOC_XMLFILE HWLOC_THISSYSTEM HWLOC_PLUGINS_PATH
}

export MPIRUN
unset LD_PRELOAD $(env | sed -n 's/^\(EFGTRACE_[A-Za-z0-9_]*\)=.*/\1/p')

# A folder that goes when the script ends, however it does. A script that has more to clean up
# has its own clean_up, which removes $work as well.
script=$(basename "$0" .sh)
work=$(mktemp -d "${TMPDIR:-/tmp}/efgtrace-$script.$$.XXXXXX") || exit 2
clean_up() {
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$root" && mkdir -p "$programs" || exit 2

# --- verdicts ---

# verdict NAME WHY: ok if there is no reason why not
verdict() {
    if [ -z "$2" ]; then
        passed=$((passed + 1))
        echo "ok $1"
    else
        failed=$((failed + 1))
        echo "FAIL $1: $2"
    fi
}

# same NAME WANTED GOT
same() {
    if [ "$2" = "$3" ]; then verdict "$1" ""; else verdict "$1" "expected '$2', got '$3'"; fi
}

# contains NAME TEXT PART
contains() {
    case $2 in *"$3"*) verdict "$1" "" ;; *) verdict "$1" "no '$3' in: $2" ;; esac
}

# has NAME TEXT FILE; hasnt NAME TEXT FILE
has() {
    if grep -qF -e "$2" "$3"; then verdict "$1" ""; else verdict "$1" "no '$2' in: $(tail -n 8 "$3")"; fi
}
hasnt() {
    verdict "$1" "$(grep -F -m 2 -e "$2" "$3")"
}

# in_full: whether all is run, as `make check-all` does, and a script by itself. Where not, for `make check`, what is
# more of the same is left out, without a word: `in_full && CASE`, or `in_full || set -- CASE...` for those that stay. A
# script that asks says in its head "Of two levels: in_full is what only `make check-all` has."
in_full() {
    [ "${CHECK_LEVEL:-all}" = all ]
}

# skip NAME WHY
skip() {
    skipped=$((skipped + 1))
    echo "skip $1: $2"
}

# cases [CASE...]: those that the script has, or only these, one after the other. A case is a file
# tests/SCRIPT/CASE.sh: one thing that is tested. It is read with all that the script has defined, in an empty
# folder of its own below $work.
cases() {
    local case
    [ $# -gt 0 ] || set -- $(basename -s .sh "$root/tests/$script"/*.sh)
    for case in "$@"; do
        if [ -f "$root/tests/$script/$case.sh" ] && mkdir -p "$work/$case" && cd "$work/$case"; then
            . "$root/tests/$script/$case.sh"
        else
            verdict "$case" "there is no tests/$script/$case.sh"
        fi
    done
}

# aside NAME COMMAND...: in the background, in an empty folder NAME of its own below $work; MOST (default 4) at a time.
# What they print comes with `gather`, in their order, and their verdicts count.
asides=
aside() {
    [ "$(echo $asides | wc -w)" -lt "${MOST:-4}" ] || gather
    mkdir "$work/$1"
    (name=$1 && shift && cd "$work/$name" && "$@") >"$work/$1.said" 2>&1 &
    asides="$asides $!:$1"
}
gather() {
    for one in $asides; do
        wait "${one%%:*}"
        cat "$work/${one#*:}.said"
        passed=$((passed + $(grep -c '^ok ' "$work/${one#*:}.said")))
        failed=$((failed + $(grep -c '^FAIL ' "$work/${one#*:}.said")))
    done
    asides=
}

# The last line, and the exit code.
finish() {
    if [ $skipped -gt 0 ]; then
        echo "$passed passed, $failed failed, $skipped skipped"
    else
        echo "$passed passed, $failed failed"
    fi
    [ $failed -eq 0 ]
    exit
}

# --- programs ---

# compile NAME...: tests/programs/NAME.*, or of bench/kernels; FOLDER/NAME: tests/FOLDER/NAME.c, as NAME
compile() {
    local name
    for name in "$@"; do compile_one "$name" || return; done
}

# Unless it is there and newer.
compile_one() {
    local source compiler program=$programs/${1##*/}
    for source in "$root/tests/programs/$1".c "$root/tests/programs/$1".cpp "$root/tests/programs/$1".f90 \
        "$root/bench/kernels/$1".c "$root/tests/$1".c; do
        [ -f "$source" ] && break
    done
    [ "$program" -nt "$source" ] && [ "$program" -nt "$root/tests/programs/program.h" ] && return
    case $source in
    *.c) compiler=$MPICC ;;
    *.cpp) compiler=$MPICXX ;;
    *.f90) compiler=$MPIFORT ;;
    esac
    # Made aside: another script may be running the old one.
    $compiler -g -O1 "$source" -o "$program.$$" -lm -lpthread && mv "$program.$$" "$program"
}

# sample ARGUMENT...: test_summary, which writes files of runs that are known; made if it is not there
sample() {
    local unit=${BUILD:-build}/tests/test_summary
    [ -x "$build/tests/test_summary" ] || flock "$build" make -s -C "$root" BUILD="${BUILD:-build}" "$unit" >&2 || return
    "$build/tests/test_summary" "$@"
}

# is_of_mpi FILE: whether this program or library, installed, is for the MPI of the build
is_of_mpi() {
    case $mpi in MPICH) ldd "$1" | grep -q 'libmpich\.so' ;; *) ldd "$1" | grep -q 'libmpi\.so' ;; esac
}

# has_lammps; has_mpi4py: for this MPI
has_lammps() {
    command -v lmp >/dev/null && is_of_mpi "$(command -v lmp)" && [ -f /usr/share/lammps/examples/melt/in.melt ]
}
has_mpi4py() {
    is_of_mpi "$("$python" -c 'from importlib.util import find_spec; print(find_spec("mpi4py.MPI").origin)' \
        2>/dev/null)" 2>/dev/null
}

# split WORD... -- WORD...: $options are the words before "--", "shift $after" leaves those behind it
split() {
    options=
    after=1
    while [ "$1" != -- ]; do
        options="$options $1"
        after=$((after + 1))
        shift
    done
}

# launched ARGUMENT...: the launcher, with these; exit code 124 if it hangs. The launcher of Debian 13 crashes if
# there are several programs: there, a shell becomes the one or the other.
launched() {
    case " $* " in
    *" : "*) is_able_of_several ||
        set -- -np "$(write_chooser "$@")" sh "$work/chooser" ;;
    esac
    timeout -k 5 $patience $MPIRUN "$@" </dev/null
}

is_able_of_several() {
    [ -n "${several:-}" ] || { TMPDIR=$work $MPIRUN -np 1 true : -np 1 true </dev/null >/dev/null 2>&1; several=$?; }
    return $several
}

# write_chooser ARGUMENT...: that shell's program, for -np N [-wdir FOLDER] COMMAND... : ...; prints how many
# ranks there are
write_chooser() {
    local ranks=0 folder command
    : >"$work/chooser"
    set -- "$@" :
    while [ $# -gt 0 ]; do
        folder=. command=
        while [ "$1" = -np ] || [ "$1" = -wdir ]; do
            case $1 in -np) ranks=$((ranks + $2)) ;; *) folder=$2 ;; esac
            shift 2
        done
        while [ "$1" != : ]; do
            command="$command '$(printf %s "$1" | sed "s/'/'\\\\''/g")'"
            shift
        done
        shift
        echo "[ \$OMPI_COMM_WORLD_RANK -ge $ranks ] || { cd '$folder' && exec $command; }" >>"$work/chooser"
    done
    echo $ranks
}

# ranks N COMMAND...: with options of the launcher before it; exit code 124 if it hangs
ranks() {
    local number=$1
    shift
    launched -np "$number" "$@"
}

# traced_by NUMBER DIR OPTION... [--] COMMAND...: so many ranks under `efgtrace run`, to the folder DIR
traced_by() {
    local number=$1 folder=$2
    shift 2
    ranks "$number" "$tool" run -o "$folder" --summary off "$@" >"$work/traced.out" 2>"$work/traced.err" ||
        verdict "$folder: the run" "exit code $?: $(tail -n 3 "$work/traced.err")"
}

# traced DIR OPTION... [--] COMMAND...: 4 ranks
traced() {
    traced_by 4 "$@"
}

# windowed DIR OPTION... -- PROGRAM STEPS ARGUMENT...: `traced`, with as many more STEPS as it takes until ranks that
# get no processor have agreed on a window
windowed() {
    split "$@"
    shift $after
    local folder=${options# } program=$1 steps=$2
    folder=${folder%% *}
    shift 2
    for _ in 1 2 3; do
        rm -rf "$folder"
        traced $options -- "$program" "$steps" "$@"
        [ ! -f "$folder/traces.otf2" ] || return 0
        steps=$((4 * steps))
    done
}

# graphed DIR NUMBER OPTION... [--] COMMAND...: so many ranks, of which nothing is recorded
graphed() {
    local folder=$1 number=$2
    shift 2
    traced_by "$number" "$folder" --mode graph "$@"
}

# agrees NAME SCRIPT ARGUMENT...: what the tool says is what a script of this folder finds by itself; what
# that prints is then in $said
agrees() {
    local name=$1 script=$2
    shift 2
    if said=$("$python" "$root/tests/$script" "$tool" "$@" 2>"$work/agrees.err"); then
        verdict "$name: $said" ""
    else
        verdict "$name" "$said $(tail -n 1 "$work/agrees.err")"
    fi
}

# --- traces ---

# otf2-print has 200 MB of tables, which it goes through although nearly all are empty: with large pages that takes
# a fifth of the processor time.
export large_pages=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=268435456

# print_trace ARGUMENT...: otf2-print
print_trace() {
    GLIBC_TUNABLES=$large_pages timeout $patience otf2-print "$@"
}

# unreadable TRACE: what otf2-print has against it, or that it ended without a word
unreadable() {
    local said code
    said=$(print_trace --silent -Werror "$1" 2>&1)
    code=$?
    echo "$said" | grep -v -e '^$' -e '^=== OTF2-PRINT ===$' | head -n 2 | grep . ||
        [ $code -eq 0 ] || echo "otf2-print ended with exit code $code"
}

# faults TRACE ARGUMENT...: what the checker finds with these ARGUMENTs, and then what the other one finds, if
# there is one; all that the first says is in $work/checked
faults() {
    found_by "$checker" "$work/checked" "$@"
    [ -z "$CHECK_TRACE" ] || found_by "$CHECK_TRACE" "$work/checked.second" "$@"
}

# found_by CHECKER FILE TRACE ARGUMENT...: one that ends without its last line has found that nobody knows
found_by() {
    local one=$1 said=$2
    shift 2
    timeout $patience "$python" "$one" "$@" >"$said" 2>&1
    set -- $?
    grep -E '^FAIL|cannot|no python' "$said" || grep -q '^[0-9]* passed' "$said" ||
        echo "$one ended with exit code $1, and without a verdict: $(tail -n 1 "$said")"
}

# agreed NAME: what the other checker, if there is one, says of that trace is what ours does. Which fault is the
# first one, of several, they may see in another way. Call sites are those defined here and those of events there; behind
# a window that was cut, some are of calls that are not in it.
agreed() {
    [ -z "$CHECK_TRACE" ] || verdict "$1: the other checker says the same" "$(
        comparable "$work/checked.second" >"$work/comparable"
        comparable "$work/checked" | diff - "$work/comparable" | head -n 3)"
}
comparable() {
    sed 's/ | .*//; s/, call sites [0-9]*$//' "$1"
}

# counted NAME DIR: the report has as many messages and requests as the checker found in the trace: matched, sends and
# receives without a partner but for those that the trace lacks, requests that never ended
counted() {
    local found
    found=$(sed -n -e 's/.* matched \([0-9]*\), unmatched sends \([0-9]*\), unmatched receives \([0-9]*\),.*/\1 \2 \3/p' \
        -e 's/^[oF].* never completed \([0-9]*\).*/\1/p' "$work/checked" | xargs | awk '{ print $1, $2 + $3, $4 }')
    same "$1: matched, lone ends, requests without end: $found" "$found" "$("$tool" report "$2" | awk '
        /messages? with both ends/ { matched = $1 }
        /sends whose receives|receives whose sends/ { lone += $1 }
        /that the trace lacks/ { lone -= $1 }
        /(sends|receives|collectives) that never ended$/ { never += $1 }
        END { print matched + 0, lone + 0, never + 0 }')"
}

# clock_error DIR: ns, how well clocks of hosts were compared, as the summary says
clock_error() {
    awk 'BEGIN { unit["s"] = 1e9; unit["ms"] = 1e6; unit["us"] = 1e3; unit["ns"] = 1 }
        /^Clocks .* at worst$/ { print int($(NF - 3) * unit[$(NF - 2)]) }' "$1/summary.txt"
}

# accepted NAME TRACE ARGUMENT...: otf2-print and the checker (with ARGUMENTs) find nothing
accepted() {
    local name=$1
    shift
    verdict "$name: otf2-print accepts the trace" "$(unreadable "$1")"
    verdict "$name: the checker accepts the trace" "$(faults "$@" | head -n 2)"
}
