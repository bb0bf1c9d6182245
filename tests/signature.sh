#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The key "signature": what it tells apart, exactly, and how nodes are named then. The program
# (tests/programs/signature.c) has one call site that differs in all that the key can name.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/signature.sh      environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
program=$programs/signature
compile signature || exit 2
cd "$work" || exit 2

# run NAME SIGNATURE ARGUMENT...: into the folder NAME; $code, ./out, ./err
run() {
    local name=$1 signature=$2
    shift 2
    ranks 4 "$tool" run -o "$name" -m graph --signature "$signature" \
        --summary off "$program" "$@" >out 2>err
    code=$?
}

# nodes DIR RANK EXPRESSION: a value of Python for each node n, sorted
nodes() {
    "$tool" graph -r "$2" --format json "$1" | /usr/bin/python3 -c "
import json, sys
for line in sorted(str($3) for n in json.load(sys.stdin)['nodes']): print(line)" 2>/dev/null
}

#     path region  communicator partner bytes (both ways)     of MPI_Sendrecv, which of them are made
#  1  loop -       world        +1      200
#  2  loop assembly world       +1      200
#  3  loop assembly world       +1      240      120 and 100 bytes are of one size class
#  4  loop assembly world       +2      2000
#  5  loop assembly pair        +1      200
#  6  loop solve   world        +1      200
#  7  loop solve   pair         +1      2000
#  8  line -       world        +1      200
signatures="none 1
path 2
size-class 2
size 3
partner 2
communicator 2
region 3
path,size 4
path,partner 3
path,communicator 3
path,region 4
size-class,partner 3
size,communicator 5
region,communicator 5
region,size-class 5
region,size 6
partner,communicator,region 6
path,size-class,partner,communicator,region 7
path,size,partner,communicator,region 8"
in_full || signatures=$(grep -e ^path,region -e ^size-class -e ^partner -e ^path,size,partner,communicator <<<"$signatures")
while read -r signature wanted; do
    run "run.$signature" "$signature" 5 0
    same "$signature: exit code" 0 "$code"
    nodes "run.$signature" 0 "n['hash'] + ' ' + n['call']" >of_0
    same "$signature: nodes" "$wanted" "$(grep -c MPI_Sendrecv of_0)"
    same "$signature: rank 3 has the nodes of rank 0" "$(cat of_0)" \
        "$(nodes "run.$signature" 3 "n['hash'] + ' ' + n['call']")"
done <<<"$signatures"

# --- names ---

all=run.path,size,partner,communicator,region
line=$(grep -n 'MPI_Sendrecv(' "$root/tests/programs/signature.c" | cut -d: -f1)
step=$(grep -n ' exchange(plan' "$root/tests/programs/signature.c" | cut -d: -f1)
after=$(grep -n ' exchange(MPI_COMM_WORLD, 1, 100)' "$root/tests/programs/signature.c" | cut -d: -f1)
same "labels" "MPI_Sendrecv  signature.c:$line exchange < signature.c:$step step [200 B, rank +1, world]
MPI_Sendrecv  signature.c:$line exchange < signature.c:$step step [assembly, 200 B, rank +1, comm of 2]
MPI_Sendrecv  signature.c:$line exchange < signature.c:$step step [assembly, 200 B, rank +1, world]
MPI_Sendrecv  signature.c:$line exchange < signature.c:$step step [assembly, 2000 B, rank +2, world]
MPI_Sendrecv  signature.c:$line exchange < signature.c:$step step [assembly, 240 B, rank +1, world]
MPI_Sendrecv  signature.c:$line exchange < signature.c:$step step [solve, 200 B, rank +1, world]
MPI_Sendrecv  signature.c:$line exchange < signature.c:$step step [solve, 2000 B, rank +1, comm of 2]
MPI_Sendrecv  signature.c:$line exchange < signature.c:$after step [200 B, rank +1, world]" \
    "$(nodes $all 3 "n['label']" | grep Sendrecv | LC_ALL=C sort)"
same "partners that are no rank" "MPI_Recv [1 B, any rank, world]
MPI_Send [1 B, rank +1, world]
MPI_Send [no rank, world]" \
    "$(nodes $all 0 "n['label']" | sed -n 's/^\(MPI_Send\|MPI_Recv\) .* \[/\1 [/p' | LC_ALL=C sort)"
same "members of the JSON" "assembly|2000 B|rank +2|world" \
    "$(nodes $all 0 "'|'.join((n['region'], n['size'], n['partner'], n['communicator']))" | grep "2000 B|rank +2")"
same "size classes" "MPI_Sendrecv [>= 1.02 kB]
MPI_Sendrecv [>= 128 B]" "$(nodes run.size-class 0 "n['label']" | sed 's/  */ /g' | grep Sendrecv)"
contains "the report has them" "$("$tool" report -a $all)" "step [assembly, 2000 B, rank +2, world]"
contains "dot has them" "$("$tool" graph $all)" "[assembly, 2000 B, rank +2, world]"

# --- elements ---

# kinds DIR RANK: what tells the calls of elements() apart
kinds() {
    nodes "$1" "$2" "n['label']" | sed -n 's/^\(MPI_Alltoall\|MPI_Allgather\).*\[/\1 [/p' | LC_ALL=C sort
}
for signature in element,address $(in_full && echo element size,element); do
    run "run.$signature" "$signature" 5 0
    same "$signature: exit code" 0 "$code"
    verdict "$signature: rows are those that another reader counts" \
        "$(diff <("$tool" report -s "run.$signature" | awk '$1 ~ /^[0-9]/' | tr -s ' ' | sed 's/^ //' | sort) \
            <("$python" "$root/tests/signatures.py" "run.$signature" | sort) | head -n 4)"
done
all_elements="MPI_Allgather [elements of 4 B]
MPI_Alltoall [elements of 4 B]
MPI_Alltoall [elements of 40 B]
MPI_Alltoall [elements of 8 B]"
if in_full; then
    same "element: of the root" "$all_elements" "$(kinds run.element 0)"
    same "element: of another rank" "$all_elements" "$(kinds run.element 3)"
    same "size,element: the same bytes in other elements" "MPI_Allgather [320 B, elements of 4 B]
MPI_Alltoall [320 B, elements of 4 B]
MPI_Alltoall [320 B, elements of 40 B]
MPI_Alltoall [320 B, elements of 8 B]
MPI_Alltoall [640 B, elements of 8 B]" "$(kinds run.size,element 3)"
    same "size,element: as sizes only" 2 \
        "$("$tool" graph -r 3 -f json --signature size run.size,element | grep -o '"call":[^,]*Alltoall' | wc -l)"
    same "members of the JSON" "640 B|elements of 8 B" \
        "$(nodes run.size,element 3 "n['size'] + '|' + n['element']" | grep 640)"
fi

# --- buffers, in the order of their first use: got, sent, MPI_IN_PLACE, sent + 8 ---

for rank in 0 3; do
    same "address: of rank $rank" "MPI_Allgather [buffer 3]
MPI_Allreduce [buffer 1]
MPI_Allreduce [buffer 2]
MPI_Allreduce [buffer 4]
MPI_Alltoall [buffer 2]
MPI_Recv [buffer 1]
MPI_Send [buffer 2]
MPI_Sendrecv [buffer 1]" \
        "$("$tool" graph -r $rank -f json --signature address run.element,address | "$python" -c "
import json, sys
for n in json.load(sys.stdin)['nodes']:
    if n['address']: print(n['call'], '[' + n['address'] + ']')" | LC_ALL=C sort)"
done
same "address: its members" "MPI_Alltoall [elements of 40 B, buffer 2]" \
    "$(kinds run.element,address 3 | grep '40 B')"

# --- partners on a grid ---

# Nine ranks on a periodic plane of 3 x 3: four neighbours, the same ones for all ranks.
compile stencil2d || exit 2
ranks 9 "$tool" run -o grid -m graph --signature path,partner --summary off "$programs/stencil2d" \
    10 0 >out 2>err
same "a grid: exit code" 0 $?
for rank in 0 4 8; do
    same "a grid: partners of rank $rank" "MPI_Irecv grid (+1, 0)
MPI_Irecv grid (-1, 0)
MPI_Irecv grid (0, +1)
MPI_Irecv grid (0, -1)
MPI_Isend grid (+1, 0)
MPI_Isend grid (-1, 0)
MPI_Isend grid (0, +1)
MPI_Isend grid (0, -1)" \
        "$(nodes grid $rank "n['call'] + ' ' + n['partner']" | grep grid | LC_ALL=C sort -u)"
done

# --- coarser ones, counted from the run that has all of them ---

# table DIR: the rows of the report, squeezed
table() {
    "$tool" report --signatures "$1" | awk '$1 ~ /^[0-9]/' | tr -s ' ' | sed 's/^ //'
}
# counted DIR: the same rows, as signatures.py counts them
counted() {
    "$python" "$root/tests/signatures.py" "$1"
}
table $all >rows
verdict "$(wc -l <rows) rows are those that another reader counts" \
    "$(diff <(sort rows) <(counted $all | sort) | head -n 4)"

# in_order: each signature, the last word of a line, with its words in order
in_order() {
    awk '{
        n = split($NF, word, ",")
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && word[j] < word[j - 1]; j--) { w = word[j]; word[j] = word[j - 1]; word[j - 1] = w }
        $NF = word[1]
        for (i = 2; i <= n; i++) $NF = $NF "," word[i]
        print
    }'
}
in_order <rows >rows.in_order
while read -r signature _; do
    row=$(grep " $(in_order <<<"$signature")\$" rows.in_order)
    row=${row% *}
    recorded=$(counted "run.$signature" | tail -n 1)
    same "$signature: counted as when no more is recorded" "${recorded% *}" "$row"
    same "$signature: and drawn" "$(nodes "run.$signature" 0 "n['hash'] + str(n['count'])")" \
        "$("$tool" graph -r 0 -f json --signature "$signature" $all | "$python" -c "
import json, sys
for line in sorted(n['hash'] + str(n['count']) for n in json.load(sys.stdin)['nodes']): print(line)")"
done <<<"$signatures"
if in_full; then
    "$tool" report -s run.path >said
    has "what was not recorded" "Not recorded, and so not counted: size,partner,communicator." said
    has "how to record it" "    EFGTRACE_SIGNATURE=path,size,partner,communicator" said
    "$tool" report -s run.region,size-class >said
    has "classes are no sizes" "not counted: path,size,partner,communicator." said
    has "how to record them" "    EFGTRACE_SIGNATURE=path,size,partner,communicator,region" said
fi
"$tool" report -s $all >said
hasnt "nothing is missing" "Not recorded" said

if in_full; then
    # --- sizes that found no room: classes of them are left ---

    $MPICC -g -O1 "$root/tests/memory/many.c" -o shrinking || exit 2
    ranks 2 "$tool" run -o coarse -m graph --summary off --interval 10ms --memory 4M \
        --signature path,size ./shrinking sizes 100000 >out 2>err
    same "coarse: exit code" 0 $?
    "$tool" report -s coarse >said
    has "coarse: what was dropped" "Dropped for want of memory: exact sizes." said
    same "coarse: rows" "none path path,size-class size-class" \
        "$(table coarse | sed 's/.* //' | sort | paste -sd ' ')"
    "$tool" report -a coarse >said
    line=$(grep -n "MPI_Bcast(data, number %" "$root/tests/memory/many.c" | cut -d: -f1)
    has "coarse: sizes are named as classes" "many.c:$line main [>= 65.5 kB]" said
    "$tool" graph -s path,size coarse >out 2>said
    has "coarse: no graph of exact sizes" "dropped for want of memory; record with a larger" said
    "$tool" graph -s path,size-class coarse >said
    has "coarse: one of classes" "[>= 65.5 kB]" said

    # --- more regions than names are kept of ---

    run many region 1 0 1100
    same "1100 regions: exit code" 0 "$code"
    nodes many 2 "n['region']" >regions
    same "1100 regions: all told apart" 1100 "$(grep -c region regions)"
    same "1100 regions: names are kept of 1024, two of them those before" 1022 \
        "$(grep -c 'region number' regions)"
fi

finish
