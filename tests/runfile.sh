#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# run.efg of real runs, read by a reader that knows its man page only (tests/read_run.py): sums and
# names are those of `efgtrace report`. Of one node and of two, where the folder is shared, where it
# is not, and where there is no room for it.
#
# Two nodes on one machine: ranks in two time namespaces, which only root may make.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/runfile.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2

# launch RANKS COMMAND...: its output in out and err
launch() {
    ranks "$@" >out 2>err
}

# calls_of_report DIR: "call NAME COUNT" of all calls, sorted
calls_of_report() {
    "$tool" report --all "$1" | sed -n '/^MPI calls by time/,/^$/p' |
        awk '$NF ~ /^MPI_/ { print "call", $NF, $1 }' | sort
}

# check WHAT DIR RANKS: both readers say the same
check() {
    local what=$1 dir=$2 ranks=$3
    if ! "$python" "$root/tests/read_run.py" "$dir/run.efg" >read 2>why; then
        verdict "$what: is read as its man page says" "$(tail -n 2 why) $(tail -n 3 err)"
        return
    fi
    verdict "$what: is read as its man page says" ""
    verdict "$what: has all ranks" "$([ "$(grep -c '^rank ' read)" = "$ranks" ] || cat read)"
    verdict "$what: names and sums are those of the report" \
        "$(diff <(grep '^call' read | sort) <(calls_of_report "$dir") | paste -sd ' ')"
    verdict "$what: nothing else is left" "$(ls "$dir" | grep new)"
}

# groups DIR: "RANKS WHICH" of each group in the report
groups() {
    "$tool" report "$1" | sed -n '/^Groups of/,/^$/p' | awk '/^ *[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]/ { $1 = $3 = $4 = ""; print }' |
        tr -s ' ' | sed 's/^ //' | paste -sd ';'
}

compile stencil2d master_worker || exit 2
stencil=$programs/stencil2d

launch 6 "$tool" run -o one "$stencil" 300 200
check "stencil, 6 ranks" one 6
verdict "stencil: one group" "$(groups one | grep -vx '6 0-5')"
verdict "stencil: one sequence" "$(grep -qx 'sequence 0: ranks 0 1 2 3 4 5, .*' read || grep sequence read)"

launch 2 "$tool" run -o bare --symbols off -m full "$stencil" 20 200
check "without symbols" bare 2
verdict "without symbols: there is a trace" "$([ -f bare/traces.otf2 ] || tail -n 5 err)"

launch 5 "$tool" run -o workers "$programs/master_worker"
check "master and workers" workers 5
verdict "master and workers: two groups" "$(groups workers | grep -vx '4 1-4;1 0')"
verdict "master and workers: what the master has not" \
    "$("$tool" report workers | grep -q '^  *- MPI_' || "$tool" report workers | grep -A9 ^Groups)"

verdict "master and workers: the master's sequence is its own" \
    "$(grep -qE '^sequence 0: ranks 0,' read || grep sequence read)"

# Graphs that merge nodes, and so segments that were done before the end.
$MPICC -g -O1 "$root/tests/memory/many.c" -o many || exit 2
launch 2 "$tool" run -m graph --interval 10ms --memory 1M -o many.run ./many paths 100000
check "merged nodes" many.run 2
verdict "merged nodes: both codings" \
    "$(grep -qE '^sequence 0: .*plain segments [1-9][0-9]*, mixed ones [1-9]' read || grep sequence read)"
if in_full; then
    launch 2 "$tool" run --sequence off -m graph -o off "$stencil" 20 200
    check "without sequences" off 2
    verdict "without sequences: there are none" "$(grep -E '^(sequence|section 7)' read)"
fi

# --- two nodes ---

cat >two_nodes <<'END'
#!/bin/sh
# Ranks 0, 2, 4 and 1, 3, 5 are on two nodes; with HIDE the second one sees another folder.
[ $((${PMI_RANK:-$OMPI_COMM_WORLD_RANK} % 2)) = 0 ] && exec "$@"
hide="mount -t tmpfs none $HIDE &&"
[ -n "${HIDE:-}" ] || hide=
exec unshare --time --monotonic 100 --mount --fork --kill-child sh -c "$hide"' exec "$@"' sh "$@"
END
chmod +x two_nodes
if PMI_RANK=1 HIDE='' ./two_nodes true 2>why; then
    alone=
    [ "$mpi" = MPICH ] || alone="--mca btl tcp,self --mca pml ob1"
    # shellcheck disable=SC2086 # words
    launch 6 $alone ./two_nodes "$tool" run -o two "$stencil" 300 200
    check "two nodes" two 6
    verdict "two nodes: one sequence" "$(grep -qx 'sequence 0: ranks 0 1 2 3 4 5, .*' read || grep sequence read)"
    verdict "two nodes: each wrote its part" "$(grep -q '^section 0: ' read || cat read)"
    mkdir shared
    # shellcheck disable=SC2086
    HIDE=$work/shared launch 6 $alone ./two_nodes "$tool" run -o shared/run "$stencil" 300 200
    check "a folder that one node does not see" shared/run 6
else
    skip "two nodes" "$(cat why)"
fi

# --- no room ---

mkdir full
if unshare --mount true 2>why; then
    cat >no_room <<'END'
mount -t tmpfs -o size=4k none full || exit 3
timeout 600 $MPIRUN -np 3 "$1" run -m graph -o full/run "$2" 100 200 >out 2>err </dev/null
echo $? >code
ls full/run >left
END
    unshare --mount sh no_room "$tool" "$stencil"
    verdict "no room: the program is not disturbed" "$([ "$(cat code)" = 0 ] && grep -q '^ok' out || cat err)"
    verdict "no room: that is said" "$(grep -q 'cannot write .*run.efg: No space left' err || cat err)"
    verdict "no room: no part of a file is left" "$(grep run.efg left)"
    verdict "no room: no file is offered to be read" "$(grep -E '^Next|report.*run$' err)"
    verdict "no room: the summary comes all the same" "$(grep -q 'stencil2d, 3 ranks on 1 host' err || cat err)"
else
    skip "no room" "$(cat why)"
fi

finish
