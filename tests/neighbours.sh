#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Other libraries that define MPI functions (tests/neighbours): a profiler that calls PMPI_X, one that
# calls the next MPI_X, a layer that keeps a rank for itself and has another MPI_COMM_WORLD for the others,
# and one with requests of its own. Each of them before us, behind us, linked to the program,
# and within it: everybody does what he does without us, and each call is counted once.
#
#   tests/neighbours.sh         environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
sources=$root/tests/neighbours

cp "$library" "$work/" && mkdir "$work/real" && cp "$library" "$build/libefgtrace-runtime.so" "$work/real/" || exit 1
$MPICC -std=gnu11 -fPIC -shared -fvisibility=hidden -Ilibefgtrace tests/fake_runtime.c \
    libefgtrace/runtime/calls.c -o "$work/libefgtrace-runtime.so" || exit 1
counting=$work/libefgtrace.so # with a runtime that counts calls, as in preload.sh
tracing=$work/real/libefgtrace.so
cd "$work" || exit 1

# --- the programs ---

# options NEIGHBOUR: file and what it is compiled with
options() {
    case $1 in
    counts) echo "$sources/counts.c" ;;
    next) echo "$sources/counts.c -DUSE_NEXT" ;;
    last) echo "$sources/subworld.c" ;;
    first) echo "$sources/subworld.c -DSERVER_IS_FIRST" ;;
    requests) echo "$sources/requests.c" ;;
    esac
}
neighbours="counts next last first requests"

# build NAME COMPILER SOURCE...: the program NAME, as it is, linked to each neighbour, and with each within
build() {
    local name=$1 neighbour
    shift
    "$@" -o "$name" || exit 1
    for neighbour in $neighbours; do
        [ -f lib$neighbour.so ] || $MPICC -O1 -fPIC -shared $(options $neighbour) -o lib$neighbour.so || exit 1
        [ -f $neighbour.o ] || $MPICC -O1 -c $(options $neighbour) -o $neighbour.o || exit 1
        "$@" -o "$name.$neighbour.linked" -Wl,--no-as-needed -L. -l$neighbour -Wl,-rpath,"$work" &&
            "$@" $neighbour.o -o "$name.$neighbour.within" || exit 1
    done
}
build ring $MPICC -O1 "$sources/ring.c"

# preloads US NEIGHBOUR PLACE: what is preloaded; US may be nothing
preloads() {
    case $3 in
    before) echo "$work/lib$2.so $1" ;;
    behind) echo "$1 $work/lib$2.so" ;;
    *) echo "$1" ;;
    esac
}

# program NAME NEIGHBOUR PLACE
program() {
    case $3 in
    linked | within) echo "$work/$1.$2.$3" ;;
    *) echo "$work/$1" ;;
    esac
}

# run PRELOADED COMMAND...: 3 ranks; fills ./out and ./err, sorted, and $code
run() {
    local preloaded=$1 setting=(-x LD_PRELOAD="$1")
    shift
    [ "$mpi" = MPICH ] && setting=(-genv LD_PRELOAD "$preloaded")
    [ -n "${preloaded// /}" ] || setting=()
    ranks 3 "${setting[@]}" "$@" >out.raw 2>err.raw
    code=$?
    sort out.raw >out
    sort err.raw >err
}

# --- each call is counted once by each of the two ---

# counts PATTERN: what stands in ./err as RANK CALL COUNT, in front of which is PATTERN
counts() {
    sed -n "s/^$1\[\([0-9]*\)\] \(MPI_.*\)/\1 \2/p" err | sort
}

# alike NAME NEIGHBOUR PLACE: as without us; leaves $bare, what the neighbour has said then
alike() {
    local name="$1, $2 $3" neighbour
    run "$(preloads "" $2 $3)" $(program $1 $2 $3)
    cp out out.bare
    bare=$code neighbour=$(grep '^neighbour' err)
    run "$(preloads $counting $2 $3)" $(program $1 $2 $3)
    same "$name: the exit code" $bare $code
    same "$name: the results" "$(cat out.bare)" "$(cat out)"
    same "$name: what the neighbour has seen" "$neighbour" "$(grep '^neighbour' err)"
    same "$name: the end" "$(printf '[%d] finish\n' 0 1 2)" "$(grep 'finish' err)"
}

# What rank 0 of the ring calls in 5 steps; the others do the same.
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

# calls_of RANK...
calls_of() {
    local rank
    for rank in "$@"; do sed "s/^/$rank /" <<<"$calls"; done
}

run "$counting" ./ring
same "alone: calls" "$(calls_of 0 1 2)" "$(counts '')"
for place in before behind linked within; do
    # Who is in front of us has his own calls seen, too.
    case $place in before | within) is_seen=1 ;; *) is_seen= ;; esac
    for neighbour in counts next; do
        alike ring $neighbour $place
        same "ring, $neighbour $place: our calls" "$(calls_of 0 1 2)" "$(counts '' | grep -v MPI_Reduce)"
        same "ring, $neighbour $place: its own calls" "${is_seen:+3}" "$(counts '' | grep -c MPI_Reduce | sed s/^0//)"
        same "ring, $neighbour $place: its calls" "$(calls_of 0 1 2)" "$(counts neighbour)"
    done
    alike ring requests $place
    same "ring, requests $place: our calls" "$(calls_of 0 1 2)" "$(counts '')"
    for neighbour in last first; do
        case $neighbour in last) app="0 1" ;; *) app="1 2" ;; esac
        alike ring $neighbour $place
        same "ring, $neighbour $place: our calls" "$(calls_of $app)" \
            "$(counts '' | if [ "$is_seen" ]; then grep "^[$app] " | grep -v "MPI_Comm_split"; else cat; fi |
                sed "${is_seen:+s/Send 6/Send 5/;s/Comm_free 2/Comm_free 1/}")"
    done
done
finish
