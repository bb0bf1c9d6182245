#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs of which only some ranks are traced (tests/half), beside a library that defines MPI functions
# (tests/neighbours): how many end as bare and how many hang, in each place of the library and each way to
# start the job, and what the summary says. Not part of make check, which has the two one by one.
#
#   tests/accidents/neighbours.sh [--table FILE] [TIMES [NEIGHBOUR...]]
#
# TIMES: each job (default 5). NEIGHBOUR: none, counts, next, last, first, or keeper (default none and last).
# --table: puts the rows of this MPI and these neighbours at the end of FILE, in place of those that are there.
#
# environment: that of frame.sh
. "$(dirname "$0")/../frame.sh"
table=
if [ "${1:-}" = --table ]; then
    table=$(realpath "$2")
    shift 2
fi
times=${1:-5}
shift $(($# > 0))
[ $# -gt 0 ] || set -- none last

# source NEIGHBOUR: and what it is compiled with
source() {
    case $1 in
    counts) echo "neighbours/counts.c" ;;
    next) echo "neighbours/counts.c -DUSE_NEXT" ;;
    last) echo "neighbours/subworld.c" ;;
    first) echo "neighbours/subworld.c -DSERVER_IS_FIRST" ;;
    keeper) echo "half/keeper.c -DKEEP_LAST" ;;
    *) echo "neighbours.sh: there is no neighbour $1" >&2; exit 2 ;;
    esac
}

mkdir "$work/alone" && cp "$library" "$work/alone/" || exit 1
alone=$work/alone/libefgtrace.so # without its runtime
any="$MPICC -O1 tests/half/any.c"
$any -o "$work/any" || exit 1
for neighbour in "$@"; do
    [ $neighbour != none ] || continue
    its=$(source $neighbour) || exit
    $MPICC -O1 -fPIC -shared tests/$its -o "$work/lib$neighbour.so" &&
        $MPICC -O1 -c tests/$its -o "$work/$neighbour.o" &&
        $any "$work/$neighbour.o" -o "$work/any.$neighbour.within" &&
        $any -Wl,--no-as-needed -L"$work" -l$neighbour -Wl,-rpath,"$work" -o "$work/any.$neighbour.linked" || exit 1
done
cd "$work" || exit 1

# --- jobs ---

# part PLACE US SETTING...: $part is the launcher's part for two ranks; US, which may be nothing, is preloaded
part() {
    local place=$1 us=$2 preloaded program=./any
    shift 2
    case $place in
    before) preloaded="$work/lib$neighbour.so $us" ;;
    behind) preloaded="$us $work/lib$neighbour.so" ;;
    linked | within) preloaded=$us program+=.$neighbour.$place ;;
    -) preloaded=$us ;;
    esac
    part=(-np 2 env ${preloaded:+"LD_PRELOAD=$preloaded"} "$@" $program $steps)
}

# job PLACE LAUNCH: $job is the command line of four ranks
job() {
    local here=$library there=$library other=()
    case $2 in
    bare) here= there= ;;
    "half traced") there= ;;
    "half configured") other=(EFGTRACE_MODE=full EFGTRACE_WINDOWS=3 EFGTRACE_SAVE=0s EFGTRACE_SEQUENCE=off) ;;
    "half without the runtime") there=$alone ;;
    esac
    part "$1" "$here"
    job=("${part[@]}")
    part "$1" "$there" "${other[@]}"
    job+=(: "${part[@]}")
}

# run PLACE LAUNCH: fills ./out (sorted) and ./err, and $code
run() {
    job "$1" "$2"
    rm -rf trace
    launched "${job[@]}" >out.raw 2>err
    code=$?
    sort out.raw >out
}

# --- what they say ---

# said: what the summary says, in one line
said() {
    if [ -f trace/summary.txt ]; then
        sed -n '1s/.*, \([0-9]* ranks\) on.*/\1/p
            s/^.* \([0-9]* of [0-9]* ranks ran without efgtrace: rank [-0-9, ]*\).*/\1/p
            s/^Traced *nothing.*/nothing recorded/p
            s/^ *\(the same iterations on all [0-9]* ranks\).*/\1/p
            s/^ *\(iterations of these numbers on .*ranks\)$/\1/p
            s/^ *\(not the same iterations on all ranks\).*/\1/p
            s/^Messages .*\(([0-9.]*%)\).*/messages \1/p
            s/^Messages *\(in doubt\).*/messages \1/p
            s/.*\(rank [0-9]* is configured differently\).*/\1/p' trace/summary.txt | paste -sd ';' | sed 's/;/; /g'
    else
        echo "no summary"
    fi
}

# each FILE: its lines, the most frequent one first, and how often each, if there are several
each() {
    sort "$1" | uniq -c | sort -rn | awk '{
        count[NR] = $1
        sub(/^ *[0-9]* /, "")
        line[NR] = $0
    } END {
        for (i = 1; i <= NR; i++)
            printf("%s%s%s", i == 1 ? "" : "<br>", line[i], NR == 1 ? "" : " (" count[i] ")")
    }'
}

# cell PLACE LAUNCH
cell() {
    local name="$neighbour $1, $2" i wrong=0 hung=0 last=
    run "$1" bare
    cp out out.bare
    local bare=$code
    : >saids
    for ((i = 0; i < times; i++)); do
        run "$1" "$2"
        [ $code = 124 ] || [ $code = 137 ] && hung=$((hung + 1))
        said >>saids
        [ $code = $bare ] && cmp -s out out.bare && continue
        wrong=$((wrong + 1))
        last="exit code $code, not $bare: $(head -n 3 out err)"
    done
    same "$name: as bare, $times times" "0 wrong, 0 hung" "$wrong wrong, $hung hung${last:+ ($last)}"
    echo "| $name_of_mpi | $neighbour | $1 | $2 | $((times - wrong)) of $times | $hung | $(each saids) |" | tee -a rows
}

# A server makes no calls; the others are not to wait until the end for it.
export EFGTRACE_OUTPUT=$work/trace EFGTRACE_PATIENCE=100ms
case $mpi in MPICH) steps=70 ;; *) steps=600 ;; esac # half a second on two idle cores
case $($MPIRUN --version 2>/dev/null) in *"Open MPI) 5."*) name_of_mpi="Open MPI 5" ;; *) name_of_mpi=$mpi ;; esac
for neighbour in "$@"; do
    places="before behind linked within"
    [ $neighbour != none ] || places=-
    for place in $places; do
        for launch in "all traced" "half traced" "half configured" "half without the runtime"; do
            cell $place "$launch"
        done
    done
    [ -z "$table" ] || sed -i "/^| $name_of_mpi | $neighbour |/d" "$table"
done
[ -z "$table" ] || cat rows >>"$table"
finish
