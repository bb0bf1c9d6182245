#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs of which only some ranks are traced, or whose ranks are configured differently (tests/half): the
# other program of an MPMD job runs bare, is switched off, does not find our runtime, or is a
# server that a library keeps in MPI_Init. They end as they do bare, with the same output; the ranks
# that are traced have the same iterations; and the summary says who was not.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/half.sh [CASE...]     the cases: tests/half
#
# environment: that of frame.sh; HALF_TIMES: each job so many times (default 1); it is said how many hung
. "$(dirname "$0")/frame.sh"
sources=$root/tests/half
times=${HALF_TIMES:-1}
any=$work/any

$MPICC -O1 "$sources/any.c" -o "$any" || exit 1
for kind in LAST FIRST NOBODY; do
    $MPICC -O1 -fPIC -shared -DKEEP_$kind "$sources/keeper.c" -o "$work/keep_$kind.so" || exit 1
done
mkdir "$work/alone" && cp "$library" "$work/alone/" || exit 1

# wd FOLDER: the launcher's option for the folder to run in
wd() {
    echo "-wdir $PWD/$1"
}

# job COMMAND...: of any launcher; fills ./out (sorted) and ./err, $code and $hung
job() {
    launched "$@" >out.raw 2>err
    code=$?
    sort out.raw >out
    [ $code != 124 ] && [ $code != 137 ] || hung=$((hung + 1))
}

# --- as bare ---

# bare COMMAND...: its ./out.bare and $wanted; of many cases it is the same command, which is run once
declare -A bare_code bare_out
bare() {
    local command="$*"
    if [ -z "${bare_code[$command]-}" ]; then
        job "$@"
        bare_code[$command]=$code bare_out[$command]=$(cat out)
    fi
    wanted=${bare_code[$command]}
    echo "${bare_out[$command]}" >out.bare
}

# as_bare NAME BARE... -- TRACED...: the two command lines of the launcher, the second one $times
# times; the folder of the last run is $folder
as_bare() {
    local name=$1 command=() wrong=0 i last wanted
    shift
    while [ "$1" != -- ]; do command+=("$1"); shift; done
    shift
    hung=0
    bare "${command[@]}"
    for ((i = 0; i < times; i++)); do
        rm -rf trace*
        job "$@"
        [ $code = "$wanted" ] && cmp -s out out.bare && continue
        wrong=$((wrong + 1))
        last="exit code $code: $(head -n 3 out err)"
    done
    folder=trace
    same "$name: as bare, $times times" "0 wrong, 0 hung" "$wrong wrong, $hung hung${last:+ ($last)}"
}

# says NAME TEXT...: what the summary of $folder says
says() {
    local name=$1 text
    shift
    for text in "$@"; do
        has "$name: the summary says \"$text\"" "$text" "$folder/summary.txt"
    done
}

# iterations RANK: the numbers of those that it has recorded
iterations() {
    print_trace --location $1 "$folder/traces.otf2" 2>/dev/null | numbers_of $1
}

# numbers_of RANK: of what otf2-print says
numbers_of() {
    sed -n "s/^PARAMETER[A-Z_0-9]*  *$1 .*Parameter: \"iteration\".* Value: \([0-9]*\).*/\1/p" | paste -sd ,
}

# recorded NAME RANKS UNTRACED: the same iterations on these RANKS, nothing of others, and a trace that
# can be read
recorded() {
    local name=$1 rank first= got
    verdict "$name: otf2-print accepts the trace" "$(unreadable "$folder/traces.otf2")"
    print_trace "$folder/traces.otf2" >printed 2>/dev/null
    for rank in $2; do
        got=$(numbers_of $rank <printed)
        [ -n "$first" ] || first=$got
        [ -n "$got" ] && [ "$got" = "$first" ] && continue
        verdict "$name: the same iterations" "rank $rank has '$got', not '$first'"
        return
    done
    verdict "$name: the same iterations" ""
    for rank in ${3:-}; do
        same "$name: nothing of rank $rank" "" "$(numbers_of $rank <printed)"
    done
    same "$name: one folder" "1 folder" "$(ls -d trace* | wc -l) folder"
}

export EFGTRACE_OUTPUT=trace
with="env LD_PRELOAD=$library"
bare="-np 4 $any"

in_full || set -- configured kept representatives some wrong_keys
cases "$@"
finish
