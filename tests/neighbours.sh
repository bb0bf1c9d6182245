#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Other libraries that define MPI functions (tests/neighbours): a profiler that calls PMPI_X, one that
# calls the next MPI_X, a layer that keeps a rank for itself and has another MPI_COMM_WORLD for the
# others, one with requests of its own, one that puts MPI_Init off, and EZTrace. Each of them before us,
# behind us, linked to the program, and within it: everybody does what he does without us, and each
# call is counted once.
#
#   tests/neighbours.sh
#   tests/neighbours.sh --table FILE [TIMES]    each job that is traced so many times (default 50)
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
sources=$root/tests/neighbours
table= times=1
if [ "${1:-}" = --table ]; then
    table=$(realpath "$2") times=${3:-50}
fi

mkdir "$work/counting" "$work/tracing" && cp "$library" "$work/counting/" || exit 1
cp "$library" "$build/libefgtrace-runtime.so" "$work/tracing/" || exit 1
$MPICC -std=gnu11 -fPIC -shared -fvisibility=hidden -Ilibefgtrace tests/fake_runtime.c \
    libefgtrace/runtime/calls/calls.c -o "$work/counting/libefgtrace-runtime.so" || exit 1
counting=$work/counting/libefgtrace.so # with a runtime that only counts, as in preload.sh
tracing=$work/tracing/libefgtrace.so
cd "$work" || exit 1

# --- programs and neighbours ---

places="before behind linked within wrapped"
neighbours="counts next last first requests"
others="late" # counted only

# source NEIGHBOUR: and what it is compiled with
source() {
    case $1 in
    counts) echo "$sources/counts.c" ;;
    next) echo "$sources/counts.c -DUSE_NEXT" ;;
    last) echo "$sources/subworld.c" ;;
    first) echo "$sources/subworld.c -DSERVER_IS_FIRST" ;;
    requests | late) echo "$sources/$1.c" ;;
    esac
}

for neighbour in $neighbours $others; do
    $MPICC -O1 -fPIC -shared $(source $neighbour) -o lib$neighbour.so &&
        $MPICC -O1 -c $(source $neighbour) -o $neighbour.o || exit 1
    # The same for the linker's option --wrap.
    nm $neighbour.o | sed -n 's/.* T \(MPI_.*\)/\1 __wrap_\1\nP\1 __real_\1/p' >names
    objcopy --redefine-syms=names $neighbour.o $neighbour.wrapped.o || exit 1
    nm $neighbour.o | sed -n 's/.* T \(MPI_.*\)/-Wl,--wrap=\1/p' >$neighbour.wrapped
done

# build NAME NEIGHBOUR PLACE COMPILER SOURCE...: the program NAME with it
build() {
    local name=$1 neighbour=$2 place=$3 with=
    shift 3
    case $place in
    linked) with="-Wl,--no-as-needed -L. -l$neighbour -Wl,-rpath,$work" ;;
    within) with="$neighbour.o" ;;
    wrapped) with="$neighbour.wrapped.o $(cat $neighbour.wrapped)" ;;
    esac
    "$@" $with -o "$(program $name $neighbour $place)" || exit 1
}

# program NAME NEIGHBOUR PLACE
program() {
    case $3 in
    linked | within | wrapped) echo "./$1.$2.$3" ;;
    *) echo "./$1" ;;
    esac
}

# preloads US NEIGHBOUR PLACE: what is preloaded; US may be nothing
preloads() {
    case $3 in
    before) echo $work/lib$2.so $1 ;;
    behind) echo $1 $work/lib$2.so ;;
    *) echo $1 ;;
    esac
}

# run PRELOADED COMMAND...: 3 ranks; fills ./out and ./err, sorted, and $code
run() {
    local preloaded=$1 setting=(env)
    shift
    [ -z "$preloaded" ] || setting=(env "LD_PRELOAD=$preloaded")
    ranks 3 "${setting[@]}" "$@" >out.raw 2>err.raw
    code=$?
    sort out.raw >out
    sort err.raw >err
}

# --- each call is counted once by each of the two ---

# alike NAME BARE TRACED COMMAND...: what is preloaded makes no other difference than that all ranks
# come to our end
alike() {
    local name=$1 bare=$2 traced=$3 neighbour
    shift 3
    run "$bare" "$@"
    cp out out.bare
    bare=$code neighbour=$(grep '^neighbour' err)
    run "$traced" "$@"
    same "$name: exit code" $bare $code
    same "$name: output" "$(cat out.bare)" "$(cat out)"
    same "$name: what the neighbour has seen" "$neighbour" "$(grep '^neighbour' err)"
    same "$name: the end" "$(printf '[%d] finish\n' 0 1 2)" "$(grep 'finish' err)"
}

# beside NAME NEIGHBOUR PLACE
beside() {
    alike "$1, $2 $3" "$(preloads "" $2 $3)" "$(preloads $counting $2 $3)" $(program $1 $2 $3)
    cp out.bare $1.$2.$3.out
}

# ours: "RANK CALL COUNT" of ./err
ours() {
    sed -n 's/^\[\([0-9]*\)\] \(MPI_.*\)/\1 \2/p' err | sort
}

# its: the same, as the neighbour has counted
its() {
    sed -n 's/^neighbour\[\([0-9]*\)\] \(MPI_.*\)/\1 \2/p' err | sort
}

# What a rank of the ring calls in 5 steps.
calls="MPI_Allreduce 5
MPI_Barrier 1
MPI_Comm_dup 1
MPI_Comm_free 1
MPI_Irecv 10
MPI_Isend 10
MPI_Recv 5
MPI_Send 5
MPI_Test 5
MPI_Wait 10
MPI_Waitall 5"

# by RANK...: these calls of each
by() {
    local rank
    for rank in "$@"; do sed "s/^/$rank /" <<<"$calls"; done
}

# as_seen CALLS...: with those besides that a neighbour in front of us makes
as_seen() {
    case $place in
    before | within | wrapped) { cat; printf '%s\n' "$@"; } | sort | add ;;
    *) cat ;;
    esac
}
add() {
    awk 'NF == 3 {key = $1 " " $2; count[key] += $3} END {for (key in count) print key, count[key]}' | sort
}

ring="$MPICC -O1 $sources/ring.c"
$ring -o ring || exit 1
run $counting ./ring
same "ring, alone: our calls" "$(by 0 1 2)" "$(ours)"
for place in $places; do
    for neighbour in $neighbours $others; do
        build ring $neighbour $place $ring
        beside ring $neighbour $place
        case $neighbour in
        counts | next)
            wanted=$(by 0 1 2 | as_seen "0 MPI_Reduce 1" "1 MPI_Reduce 1" "2 MPI_Reduce 1")
            same "ring, $neighbour $place: its calls" "$(by 0 1 2)" "$(its)" ;;
        requests | late) wanted=$(by 0 1 2) ;;
        last) wanted=$(by 0 1 | as_seen {0,1,2}" MPI_Comm_split 1" {0,1,2}" MPI_Comm_free 1" {0,1}" MPI_Send 1" "2 MPI_Recv 2") ;;
        first) wanted=$(by 1 2 | as_seen {0,1,2}" MPI_Comm_split 1" {0,1,2}" MPI_Comm_free 1" {1,2}" MPI_Send 1" "0 MPI_Recv 2") ;;
        esac
        same "ring, $neighbour $place: our calls" "$wanted" "$(ours)"
    done
done

# Several, in any order; one of them calls the next MPI_X, so that the other one is called in
# any case.
us=$counting one=$work/libnext.so two=$work/liblast.so
for order in "us one two" "us two one" "one us two" "two us one" "one two us" "two one us"; do
    without= with=
    for who in $order; do
        with+=" ${!who}"
        [ $who = us ] || without+=" ${!who}"
    done
    alike "ring, $order" "${without# }" "${with# }" ./ring
    case $order in # each has his own calls seen by those behind him
    us*) own=() ;;
    "one us two") own=({0,1}" MPI_Reduce 1") ;;
    "two us one") own=({0,1,2}" MPI_Comm_split 1" {0,1,2}" MPI_Comm_free 1" {0,1}" MPI_Send 1" "2 MPI_Recv 2") ;;
    *) continue ;;
    esac
    same "ring, $order: our calls" "$(place=before && by 0 1 | as_seen "${own[@]}")" "$(ours)"
done

run "$(preloads $counting counts behind)" ./ring
same "MPI_Pcontrol goes on, with all that follows the level" "3 3" \
    "$(grep -c 'neighbour was told 1, ring, 0.5, 8' err) $(grep -c 'neighbour was told -1, ring, 1.5, 9' err)"
same "MPI_Pcontrol comes to us, too" 3 "$(grep -c '^\[[0-9]*\] control 1 ring' err)"

# --- MPI in a scope of its own ---

${CC:-gcc} -DHOST "$sources/ring.c" -o host -ldl || exit 1
for neighbour in counts last; do
    build ringlib $neighbour linked $ring -DLIBRARY -shared -fPIC
    alike "a library with MPI, $neighbour linked" "" $counting ./host ./ringlib.$neighbour.linked
    case $neighbour in last) wanted=$(by 0 1) ;; *) wanted=$(by 0 1 2) ;; esac
    same "a library with MPI, $neighbour linked: our calls" "$wanted" "$(ours)"
done

if has_mpi4py; then
    for place in before behind; do
        alike "Python, last $place" "$(preloads "" last $place)" "$(preloads $counting last $place)" \
            "$python" "$root/tests/preload/ring.py"
        same "Python, last $place: our calls" \
            "$(as_seen {0,1,2}" MPI_Comm_split 1" {0,1,2}" MPI_Comm_free 1" {0,1}" MPI_Send 1" "2 MPI_Recv 2" \
                <<<"$(printf '%d MPI_Barrier 1\n%d MPI_Sendrecv 6\n' 0 0 1 1)")" "$(ours)"
    done
else
    skip "Python" "no mpi4py for $mpi"
fi

# --- Fortran ---

fortran="MPI_Allreduce 5
MPI_Barrier 1
MPI_Recv 5
MPI_Send 5"

for kind in MPIFH MPI F08; do
    if ! command -v "$MPIFORT" >/dev/null || [ "$mpi-$kind" = MPICH-F08 ]; then
        skip "Fortran $kind" "no $MPIFORT, or functions under other names"
        continue
    fi
    ring="$MPIFORT -ffree-line-length-none -DUSE_$kind -J $work $sources/ring.F90"
    $ring -o ring$kind || exit 1
    for place in before behind linked within; do
        build ring$kind last $place $ring
        beside ring$kind last $place
        same "ring$kind, last $place: our calls" \
            "$(calls=$fortran by 0 1 | as_seen {0,1,2}" MPI_Comm_split 1" {0,1,2}" MPI_Comm_free 1" {0,1}" MPI_Send 1" "2 MPI_Recv 2")" "$(ours)"
    done
    beside ring$kind counts behind
    same "ring$kind, counts behind: our calls" "$(calls=$fortran by 0 1 2)" "$(ours)"
done

# --- with all of efgtrace ---

# says: what the summary says of ranks and messages
says() {
    sed -n 's/^ *\(on [0-9]* of [0-9]* ranks nothing was traced\).*/\1/p; s/^Messages *\(.*)\).*/messages: \1/p' "$1/summary.txt" |
        paste -sd '; '
}

# trace NEIGHBOUR PLACE: $times times, to the folder trace.NEIGHBOUR.PLACE
trace() {
    local name="ring traced, $1 $2" folder=$work/trace.$1.$2 i wrong=0 hung=0
    for ((i = 0; i < times; i++)); do
        rm -rf "$folder"
        run "$(preloads $tracing $1 $2)" env EFGTRACE_MODE=full EFGTRACE_OUTPUT="$folder" $(program ring $1 $2)
        [ $code = 124 ] && hung=$((hung + 1))
        [ "$code $(cat out)" = "0 $(cat ring.$1.$2.out)" ] || wrong=$((wrong + 1))
    done
    same "$name: as bare" "0 wrong, 0 hung" "$wrong wrong, $hung hung"
    contains "$name: all messages have both ends" "$(says "$folder")" "(100%)"
    accepted "$name" "$folder/traces.otf2"
    [ -z "$table" ] || echo "| $1 | $2 | $(paste -sd , <ring.$1.$2.out | sed 's/,/, /g') |" \
        "$((times - wrong)) of $times | $hung | $(says "$folder") |" >>rows
}

run "" ./ring
cp out ring.none.alone.out
trace none alone
for place in $places; do
    for neighbour in $neighbours; do trace $neighbour $place; done
done

# EZTrace, which Debian has: it looks functions up, and agrees on its clocks by calls of its own.
# called TRACE: the calls in it
called() {
    otf2-print "$1" 2>/dev/null |
        sed -n 's/^ENTER *\([0-9]*\) .*Region: "\(MPI_[A-Za-z_]*\)".*/\1 \2 1/p' | awk '{$1 = "all"; print}' | add
}

module=openmpi
[ "$mpi" = MPICH ] && module=mpich
if [ "$(eztrace_avail 2>/dev/null | grep -c "^$module\b")" = 1 ] && command -v otf2-print >/dev/null; then
    wanted=$(by all all all | add)
    own=$(eztrace -t $module -o none env | sed -n 's/^LD_PRELOAD=//p')
    for order in "$own $tracing" "$tracing $own"; do
        case $order in "$own"*) place=before ;; *) place=behind ;; esac
        folder=$work/trace.eztrace.$place
        run "$order" env EZTRACE_TRACE=$module EZTRACE_TRACE_DIR="$folder.its" EFGTRACE_MODE=full \
            EFGTRACE_OUTPUT="$folder" ./ring
        same "EZTrace $place: as bare" "0 $(cat ring.none.alone.out)" "$code $(grep ' of ' out)"
        same "EZTrace $place: its calls" "$wanted" "$(called "$(find "$folder.its" -name '*.otf2')")"
        contains "EZTrace $place: all messages have both ends" "$(says "$folder")" "(100%)"
        [ $place = before ] || same "EZTrace $place: our calls" "$wanted" "$(called "$folder/traces.otf2")"
        accepted "EZTrace $place" "$folder/traces.otf2"
    done
else
    skip "EZTrace" "it is not there"
fi

# --- sessions, which MPI_Init does not begin ---

if $MPICC -O1 "$root/tests/mpi4/sessions.c" -o sessions 2>/dev/null; then
    wanted=$(printf '%s\n' "MPI_Allreduce 15" "MPI_Barrier 3" "MPI_Comm_create_from_group 3" \
        "MPI_Comm_free 6" "MPI_Sendrecv 15" | sed 's/^/all /')
    for neighbour in counts next; do
        for place in before behind; do
            run "$(preloads "" $neighbour $place)" ./sessions 5
            bare="$code $(cat out err)"
            folder=$work/trace.sessions.$neighbour.$place
            run "$(preloads $tracing $neighbour $place)" env EFGTRACE_MODE=full EFGTRACE_SUMMARY=off \
                EFGTRACE_OUTPUT="$folder" ./sessions 5
            same "sessions, $neighbour $place: as bare" "$bare" "$code $(cat out err)"
            same "sessions, $neighbour $place: our calls" "$wanted" "$(called "$folder/traces.otf2")"
        done
    done
else
    skip "sessions" "this MPI has none"
fi

# --- the table ---

if [ -n "$table" ]; then
    others=$(sed -n '/^## /,$p' "$table" 2>/dev/null) # that of tests/accidents/neighbours.sh
    cat - rows >"$table" <<END
A ring of three ranks ($($MPIRUN --version | sed -n '1s/.*(Open MPI)/Open MPI/p; 1s/^HYDRA.*/MPICH/p')) beside a library that defines MPI functions, too: the results bare, how many
traced jobs had the same and exit code 0, how many did not end, and what the summary says of the last one.
Made by \`tests/neighbours.sh --table FILE\`; libefgtrace(7) says what the places are.

- counts, next: profilers, which call PMPI_X, or the next MPI_X
- last, first: this rank never comes back from MPI_Init, and serves; MPI_COMM_WORLD is without it
- requests: has handles of its own

| neighbour | place | bare | as bare | hangs | the summary |
|---|---|---|---|---|---|
END
    [ -z "$others" ] || printf '\n%s\n' "$others" >>"$table"
fi

finish
