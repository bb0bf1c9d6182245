#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Other libraries that define MPI functions (tests/neighbours): a profiler that calls PMPI_X, one that
# calls the next MPI_X, a layer that keeps a rank for itself and has another MPI_COMM_WORLD for the
# others, one with requests of its own, one that puts MPI_Init off, and EZTrace. Each of them before us,
# behind us, linked to the program, and within it: everybody does what he does without us, and each
# call is counted once.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/neighbours.sh [CASE...]               the cases: tests/neighbours
#   tests/neighbours.sh --table FILE [TIMES]    each job that is traced so many times (default 50)
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
sources=$root/tests/neighbours
table= times=1
if [ "${1:-}" = --table ]; then
    table=$(realpath "$2") times=${3:-50}
    set --
fi

mkdir "$work/counting" "$work/tracing" && cp "$library" "$work/counting/" || exit 1
cp "$library" "$build/$runtime" "$work/tracing/" || exit 1
$MPICC -std=gnu11 -fPIC -shared -fvisibility=hidden -Ilibefgtrace tests/fake_runtime.c \
    libefgtrace/runtime/calls/calls.c -o "$work/counting/$runtime" || exit 1
counting=$work/counting/libefgtrace.so # with a runtime that only counts, as in preload.sh
tracing=$work/tracing/libefgtrace.so
cd "$work" || exit 1

# --- programs and neighbours ---

places="before behind linked within wrapped"
neighbours="counts next last first requests"
others="late" # counted only
in_full || places="before linked" neighbours="counts last" others=

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

# build NAME NEIGHBOUR PLACE COMPILER SOURCE...: the program NAME with it, unless another case has made it
build() {
    local name=$1 neighbour=$2 place=$3 with= made
    shift 3
    made=$(program $name $neighbour $place)
    [ ! -x "$made" ] || return 0
    case $place in
    linked) with="-Wl,--no-as-needed -L$work -l$neighbour -Wl,-rpath,$work" ;;
    within) with="$work/$neighbour.o" ;;
    wrapped) with="$work/$neighbour.wrapped.o $(cat "$work/$neighbour.wrapped")" ;;
    esac
    "$@" $with -o "$made" || exit 1
}

# program NAME NEIGHBOUR PLACE
program() {
    case $3 in
    linked | within | wrapped) echo "$work/$1.$2.$3" ;;
    *) echo "$work/$1" ;;
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

# alone PRELOADED COMMAND...: `run` without us, once for all cases that compare with the same
alone() {
    local kept=$work/alone.$(cksum <<<"$*" | tr ' ' .)
    if [ ! -d "$kept" ]; then
        run "$@"
        mkdir "$kept" && mv out err "$kept" && echo $code >"$kept/code"
    fi
    cp "$kept"/{out,err} . && code=$(cat "$kept/code")
}

# --- each call is counted once by each of the two ---

# alike NAME BARE TRACED COMMAND...: what is preloaded makes no other difference than that all ranks
# come to our end
alike() {
    local name=$1 bare=$2 traced=$3 neighbour
    shift 3
    alone "$bare" "$@"
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

# called TRACE: the calls in it
called() {
    print_trace "$1" 2>/dev/null |
        sed -n 's/^ENTER *\([0-9]*\) .*Region: "\(MPI_[A-Za-z_]*\)".*/\1 \2 1/p' | awk '{$1 = "all"; print}' | add
}

# says: what the summary says of ranks and messages
says() {
    sed -n 's/^ *\(on [0-9]* of [0-9]* ranks nothing was traced\).*/\1/p; s/^Messages *\(.*)\).*/messages: \1/p' "$1/summary.txt" |
        paste -sd '; '
}

ring="$MPICC -O1 $sources/ring.c"
$ring -o ring || exit 1

in_full || set -- counted eztrace fortran library pcontrol traced
cases "$@"

# --- the table ---

if [ -n "$table" ]; then
    others=$(sed -n '/^## /,$p' "$table" 2>/dev/null) # that of tests/accidents/neighbours.sh
    cat - "$work/rows" >"$table" <<END
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
