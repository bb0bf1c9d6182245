#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs of which only some ranks are traced, or whose ranks are configured differently (tests/half): the
# other program of an MPMD job runs bare, is switched off, does not find our runtime, or is a
# server that a library keeps in MPI_Init. They end as they do bare, with the same output; the ranks
# that are traced have the same iterations; and the summary says who was not.
#
#   tests/half.sh [TIMES]     each job so many times (default 1); says how many hung
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
sources=$root/tests/half
times=${1:-1}

$MPICC -O1 "$sources/any.c" -o "$work/any" || exit 1
for kind in LAST FIRST NOBODY; do
    $MPICC -O1 -fPIC -shared -DKEEP_$kind "$sources/keeper.c" -o "$work/keep_$kind.so" || exit 1
done
mkdir "$work/alone" "$work/here" "$work/there" && cp "$library" "$work/alone/" || exit 1
cd "$work" || exit 1

# wd FOLDER: the launcher's option for the folder to run in
wd() {
    echo "-wdir $work/$1"
}

# job COMMAND...: of any launcher; fills ./out (sorted) and ./err, $code and $hung
job() {
    launched "$@" >out.raw 2>err
    code=$?
    sort out.raw >out
    [ $code != 124 ] && [ $code != 137 ] || hung=$((hung + 1))
}

# --- as bare ---

# as_bare NAME BARE... -- TRACED...: the two command lines of the launcher, the second one $times
# times; the folder of the last run is $folder
as_bare() {
    local name=$1 bare=() wrong=0 i last
    shift
    while [ "$1" != -- ]; do bare+=("$1"); shift; done
    shift
    hung=0
    job "${bare[@]}"
    cp out out.bare
    local wanted=$code
    for ((i = 0; i < times; i++)); do
        rm -rf "$work/trace"*
        job "$@"
        [ $code = $wanted ] && cmp -s out out.bare && continue
        wrong=$((wrong + 1))
        last="exit code $code: $(head -n 3 out err)"
    done
    folder=$work/trace
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
    otf2-print --location $1 "$folder/traces.otf2" 2>/dev/null |
        sed -n 's/^PARAMETER.*Parameter: "iteration".* Value: \([0-9]*\).*/\1/p' | paste -sd ,
}

# recorded NAME RANKS UNTRACED: the same iterations on these RANKS, nothing of others, and a trace that
# can be read
recorded() {
    local name=$1 rank first= got
    verdict "$name: otf2-print accepts the trace" "$(unreadable "$folder/traces.otf2")"
    for rank in $2; do
        got=$(iterations $rank)
        [ -n "$first" ] || first=$got
        [ -n "$got" ] && [ "$got" = "$first" ] && continue
        verdict "$name: the same iterations" "rank $rank has '$got', not '$first'"
        return
    done
    verdict "$name: the same iterations" ""
    for rank in ${3:-}; do
        same "$name: nothing of rank $rank" "" "$(iterations $rank)"
    done
    same "$name: one folder" "1 folder" "$(ls -d "$work"/trace* | wc -l) folder"
}

export EFGTRACE_OUTPUT=$work/trace
with="env LD_PRELOAD=$library"

# --- only some are traced ---

bare="-np 4 ./any"
as_bare "all" $bare -- -np 4 $with ./any
says "all" "4 ranks on" "on all 4 ranks"
hasnt "all: nobody is said to be untraced" "ntraced" trace/summary.txt
recorded "all" "0 1 2 3"

as_bare "the first half" $bare -- -np 2 $with ./any : -np 2 ./any
says "the first half" "2 of 4 ranks ran without efgtrace: rank 2-3" "on all 2 ranks" "(100%)"
recorded "the first half" "0 1" "2 3"

as_bare "the second half" $bare -- -np 2 ./any : -np 2 $with ./any
says "the second half" "2 of 4 ranks ran without efgtrace: rank 0-1" "on all 2 ranks" "(100%)"
recorded "the second half" "2 3" "0 1"

as_bare "in between" -np 6 ./any -- -np 1 ./any : -np 1 $with ./any : -np 2 ./any : -np 2 $with ./any
says "in between" "3 of 6 ranks ran without efgtrace: rank 0, 2, 3" "on all 3 ranks"
recorded "in between" "1 4 5" "0 2 3"

as_bare "one" $bare -- -np 3 ./any : -np 1 $with ./any
says "one" "3 of 4 ranks ran without efgtrace: rank 0-2"
recorded "one" "3" "0 1 2"

as_bare "the untraced one is late" -np 4 ./any 100 2 5 -- -np 3 $with ./any 100 2 5 : -np 1 ./any 100 2 5
says "the untraced one is late" "1 of 4 ranks ran without efgtrace: rank 3"

as_bare "mode off on some" $bare -- -np 1 $with EFGTRACE_MODE=off ./any : -np 3 $with ./any
says "mode off on some" "1 of 4 ranks ran without efgtrace: rank 0" "on all 3 ranks"
recorded "mode off on some" "1 2 3" "0"

as_bare "the runtime is missing on some" $bare -- -np 2 $with ./any : -np 2 env LD_PRELOAD=$work/alone/libefgtrace.so ./any
says "the runtime is missing on some" "2 of 4 ranks ran without efgtrace: rank 2-3"
has "the runtime is missing on some: said there" "this process runs untraced" err
recorded "the runtime is missing on some" "0 1" "2 3"

as_bare "all of it, of some" $bare -- -np 2 $with EFGTRACE_MODE=full ./any : -np 2 ./any
says "all of it, of some" "2 of 4 ranks ran without efgtrace: rank 2-3"
verdict "all of it, of some: otf2-print accepts the trace" "$(unreadable trace/traces.otf2)"

# --- where nobody tells who is traced ---

case $mpi-$($MPIRUN --version 2>/dev/null) in
*"Open MPI) 4."*)
    export OMPI_MCA_pmix_base_collect_data=0
    as_bare "nobody tells" $bare -- -np 2 ./any : -np 2 $with ./any
    same "nobody tells: it is said why nothing is traced, once" 1 "$(grep -c "several programs run in this job" err)"
    same "nobody tells: no folder" "" "$(ls -d trace* 2>/dev/null)"
    as_bare "nobody tells, one program" $bare -- -np 4 $with ./any
    recorded "nobody tells, one program" "0 1 2 3"
    unset OMPI_MCA_pmix_base_collect_data ;;
*) skip "nobody tells" "this launcher does, always" ;;
esac

# --- configured differently ---

as_bare "other windows" $bare -- -np 2 $with EFGTRACE_WINDOWS=2 ./any : -np 2 $with ./any
has "other windows: said" "rank 2 is configured differently (windows)" err
recorded "other windows" "0 1 2 3"

as_bare "other saves" $bare -- -np 2 $with EFGTRACE_SAVE=0s ./any : -np 2 $with ./any
has "other saves: said" "rank 2 is configured differently (save)" err
recorded "other saves" "0 1 2 3"

as_bare "other keep-logs" $bare -- -np 3 $with ./any : -np 1 $with EFGTRACE_KEEP_LOGS=1 ./any
has "other keep-logs: said" "rank 3 is configured differently (keep-logs)" err
recorded "other keep-logs" "0 1 2 3"
same "other keep-logs: those of the first rank" "" "$(ls trace/logs 2>/dev/null)"

as_bare "another mode" $bare -- -np 2 $with EFGTRACE_MODE=graph ./any : -np 2 $with EFGTRACE_MODE=full ./any
has "another mode: said" "rank 2 is configured differently (mode)" err
same "another mode: that of the first rank" "" "$(ls trace/traces.otf2 2>/dev/null)"

as_bare "all else" $bare -- -np 1 $with EFGTRACE_SEQUENCE=off EFGTRACE_CLOCK=system EFGTRACE_DEPTH=5 \
    EFGTRACE_SYMBOLS=off ./any : -np 3 $with EFGTRACE_ITERATIONS=5 ./any
has "all else: said" "rank 1 is configured differently (iterations, depth, sequence, clock, symbols)" err
says "all else" "10 iterations"
recorded "all else" "0 1 2 3"

unset EFGTRACE_OUTPUT
printf 'output = %s\nwindows = 1\n' "$work/trace" >here/efgtrace.conf
printf 'output = %s\nwindows = 3\n' "$work/trace.there" >there/efgtrace.conf
as_bare "other folders" $bare -- -np 2 $(wd here) $with $work/any : -np 2 $(wd there) $with $work/any
has "other folders: said" "rank 2 is configured differently (output, windows)" err
recorded "other folders" "0 1 2 3"
export EFGTRACE_OUTPUT=$work/trace

# Wrong keys end the job before it begins, and are told, whichever rank finds them.
for wrong in 0 2 3; do
    command=()
    for rank in 0 1 2 3; do
        [ $rank = 0 ] || command+=(:)
        command+=(-np 1 $with)
        [ $rank != $wrong ] || command+=(EFGTRACE_WINDOES=2)
        command+=(./any)
    done
    hung=0 unsaid=0 ended=0
    for ((i = 0; i < times; i++)); do
        rm -rf trace
        job "${command[@]}"
        [ $(grep -c "EFGTRACE_WINDOES" err) = 1 ] || unsaid=$((unsaid + 1))
        [ $code = 2 ] || ended=$((ended + 1))
    done
    same "a wrong key on rank $wrong: told, and ended with exit code 2" "0 unsaid, 0 otherwise, 0 hung" \
        "$unsaid unsaid, $ended otherwise, $hung hung"
done
hung=0
job -np 4 $with EFGTRACE_WINDOES=2 ./any
same "a wrong key on all ranks: told once" "1 2" "$(grep -c EFGTRACE_WINDOES err) $code"

# --- kept in MPI_Init ---

for kind in LAST FIRST NOBODY; do
    us=$library its=$work/keep_$kind.so
    case $kind in LAST) left="0 1 2" kept=3 ;; FIRST) left="1 2 3" kept=0 ;; *) left="0 1 2 3" kept= ;; esac
    as_bare "a library keeps $kind, behind" -np 4 env LD_PRELOAD=$its ./any -- -np 4 env "LD_PRELOAD=$us $its" ./any
    [ -z "$kept" ] || says "a library keeps $kind, behind" "1 of 4 ranks ran without efgtrace: rank $kept"
    says "a library keeps $kind, behind" "(100%)"
    recorded "a library keeps $kind, behind" "$left" "$kept"
    as_bare "a library keeps $kind, before" -np 4 env LD_PRELOAD=$its ./any -- \
        -np 4 env "LD_PRELOAD=$its $us" EFGTRACE_PATIENCE=20ms ./any
    says "a library keeps $kind, before" "4 ranks on"
    hasnt "a library keeps $kind, before: a rank without iterations has no numbers of them" 184467440737 trace/summary.txt
done

# --- sessions ---

if $MPICC -O1 "$root/tests/mpi4/sessions.c" -o sessions 2>/dev/null; then
    as_bare "sessions" -np 3 ./sessions 5 -- -np 1 ./sessions 5 : -np 2 $with ./sessions 5
    same "sessions: it is said why nothing is traced" 1 "$(grep -c "1 of 3 ranks run without efgtrace" err)"
    as_bare "sessions of all" -np 3 ./sessions 5 -- -np 3 $with ./sessions 5
    says "sessions of all" "3 ranks on"
else
    skip "sessions" "this MPI has none"
fi

finish
