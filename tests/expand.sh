#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# efgtrace expand: it gives the calls of each rank as the full trace of the same run has them, call
# for call, with their paths (tests/expanded.py). Of programs of different structure, where the graph
# merges nodes in between, and where segments were written out in between. And its options.
#
# usage: tests/expand.sh [APP...]      APP: whole runs of applications of bench/apps.sh, instead of
#                                      all this
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2

# full DIR RANKS OPTIONS... -- COMMAND...: a full trace
full() {
    local dir=$1 number=$2
    shift 2
    ranks "$number" "$tool" run --mode full --summary off -o "$dir" "$@" >out 2>err ||
        verdict "$dir: the run" "exit code $?: $(tail -n 3 err)"
}

# lossless DIR: what differs between the trace and the sequences
lossless() {
    timeout 900 "$python" "$root/tests/expanded.py" "$tool" "$1" >same 2>&1
    verdict "$1: the calls of the trace, $(grep -c 'calls are the same$' same) threads" \
        "$([ $? = 0 ] && grep -v 'calls are the same$' same | head -n 3)"
    verdict "$1: there are calls" "$(grep -q ': [1-9][0-9]* calls are the same$' same || cat same)"
}

# orders DIR: how many different sequences run.efg has
orders() {
    "$python" "$root/tests/read_run.py" "$1/run.efg" | grep -c '^sequence '
}

# --- applications: those that are asked for, or a few steps of LAMMPS ---

# application APP
application() {
    local app=$1
    "$root/bench/apps.sh" run "$app" "$work/case" "$tool" run --mode full --summary off --log-limit 8G \
        -o "$work/$app" >out 2>err || verdict "$app: the run" "exit code $?: $(tail -n 3 err)"
    lossless "$app"
    echo "note $app: $(grep -h -m1 same same); run.efg $(stat -c %s "$app/run.efg") bytes, trace $(
        cat "$app"/traces.* "$app"/traces/* | wc -c) bytes, $(orders "$app") sequences"
    rm -rf case "$app"
}
for app in "$@"; do
    application "$app"
done
[ $# -gt 0 ] && finish
if has_lammps; then
    LAMMPS_STEPS=200 application lammps
else
    skip "LAMMPS" "there is none for $mpi"
fi

# --- programs ---

for program in stencil2d sweep amr multigrid master_worker wavefront threads persistent waitany polling probes \
    collectives comms recursion; do
    compile $program || exit 2
    full $program 4 -- "$programs/$program" $([ -f "$root/bench/kernels/$program.c" ] && echo 10)
    lossless $program
done
same "threads: those of a rank are all there" 20 "$(grep -c . <<<"$(
    "$python" "$root/tests/expanded.py" "$tool" threads)")"
if has_mpi4py; then
    full python 3 -- "$python" "$root/tests/programs/ring.py" 100 10
    lossless python
else
    skip python "no mpi4py for $mpi"
fi

full eight 8 -- "$programs/stencil2d" 50 100
lossless eight
same "stencil on 8 ranks: how many sequences are stored" 1 "$(orders eight)"

# --- segments that are done before the end ---

$MPICC -g -O1 "$root/tests/memory/many.c" -o many || exit 2
full shuffled 2 -- ./many shuffled 120000
lossless shuffled
same "shuffled: a sequence of each rank" 2 "$(orders shuffled)"
verdict "shuffled: more than is kept in memory" "$([ "$(stat -c %s shuffled/run.efg)" -gt 262144 ] ||
    ls -l shuffled)"
verdict "shuffled: nothing is left of the logs" "$(ls shuffled/logs 2>&1 | grep -v 'cannot access')"

# With merged nodes calls have the names of what they have become: counted as in the graph.
ranks 2 "$tool" run -m graph --summary off --interval 10ms --memory 1M -o merged ./many paths 100000 >out 2>err
"$tool" graph -f json -r 1 merged | "$python" -c '
import json, sys
for node in json.load(sys.stdin)["nodes"]:
    print(node["count"], node["label"])' | awk '{ n = $1; $1 = ""; sum[$0] += n }
        END { for (l in sum) print sum[l] l }' | sort >graph
"$tool" expand -r 1 merged | sed 's/^ *[0-9]*  //' | tr -s ' ' | sort | uniq -c | sed 's/^ *//' | sort >calls
verdict "merged nodes: $(wc -l <calls) kinds of calls, as often as in the graph" \
    "$(diff graph calls | head -n 3)"

# --- options ---

# lines ARGUMENTS...: what expand writes, and what it says
lines() {
    "$tool" expand "$@" >lines 2>said
}

lines -r 2 stencil2d
calls=$(wc -l <lines)
sed -n 100,110p lines >wanted
lines -r 2 --from 100 --to 110 stencil2d
verdict "--from, --to: those lines of all" "$(diff wanted lines)"
lines -r 2 --from "$calls" stencil2d
same "--from the last one" 1 "$(wc -l <lines)"
lines -r 2 --from $((calls + 1)) stencil2d
same "--from behind it: nothing, and no error" "0 0" "$? $(wc -l <lines)"
lines -r 0,2-3 --to 5 stencil2d
same "--rank: a list" "0 2 3" "$(awk '{ print $2 }' lines | uniq | paste -sd ' ')"
lines -r 0-3:2 --to 5 stencil2d
same "--rank: every other one" "0 2" "$(awk '{ print $2 }' lines | uniq | paste -sd ' ')"
lines -t 2 -r 1 --to 3 threads
same "--thread" "1.2 3" "$(awk '{ print $2 }' lines | uniq) $(wc -l <lines)"
lines --paths -r 0 --to 1 recursion
contains "--paths: up to main" "$(cat lines)" " main"
site=$(grep -n 'MPI_Cart_create(' "$root/tests/programs/stencil2d.c" | cut -d: -f1)
lines -r 0 --to 1 stencil2d
same "the call site" "1 MPI_Cart_create stencil2d.c:$site main" "$(tr -s ' ' <lines | sed 's/^ //')"

full signature 2 --signature path,partner,size -- "$programs/stencil2d" 5 10
lines -r 0 signature
verdict "partner and bytes, where they are in the signature" \
    "$(grep -qE 'MPI_Isend .*\[[0-9]+ B, grid \([-+0-9, ]+\)\]' lines || head -n 5 lines)"

(set -o pipefail; timeout 20 "$tool" expand collectives | head -n 2 >lines) 2>said
same "a reader that stops is no error" "0" "$?$(cat said)"

# --- OTF2 ---

# rebuilt DIR: as a trace again, which has the same calls as the sequences
rebuilt() {
    "$tool" expand --format otf2 --output "$1.again" "$1" >out 2>err
    same "$1 as OTF2: exit code" 0 $?
    verdict "$1 as OTF2: otf2-print accepts it" "$(unreadable "$1.again/traces.otf2")"
    cp "$1/run.efg" "$1.again"
    lossless "$1.again"
}
rebuilt stencil2d
rebuilt threads
rebuilt collectives
for rank in 0 3; do
    verdict "rebuilt times: sums of rank $rank are those of its nodes and edges" \
        "$("$python" "$root/tests/rebuilt.py" "$tool" stencil2d stencil2d.again/traces.otf2 $rank 2>&1)"
done
verdict "rebuilt times: the trace says so" "$(
    otf2-print -I stencil2d.again/traces.otf2 2>&1 | grep -q 'TIMES_REBUILT' ||
        otf2-print -I stencil2d.again/traces.otf2)"
"$tool" expand -r 1-2 -F otf2 -o some stencil2d >out 2>err
same "OTF2 of two ranks: the others are empty" "0 1 1 0" "$(
    otf2-print -G some/traces.otf2 | sed -n 's/.*LOCATION .*# Events: *\([0-9]*\).*/\1/p' |
        awk '{ print ($1 > 0) }' | paste -sd ' ')"

# --- coded anew ---

mkdir other && cp shuffled/run.efg other/kept.efg
"$tool" expand shuffled | cksum >before
"$tool" report --all shuffled >report
size=$(stat -c %s shuffled/run.efg)
"$tool" pack shuffled >said 2>&1
same "pack: exit code" 0 $?
verdict "pack: two thirds of the size at most" \
    "$([ "$(stat -c %s shuffled/run.efg)" -lt $((2 * size / 3)) ] || echo "$size bytes before: $(cat said)")"
same "pack: the same calls" "$(cat before)" "$("$tool" expand shuffled | cksum)"
same "pack: the same report" "" "$("$tool" report --all shuffled | diff report - | head -n 4)"
contains "pack: once is enough" "$("$tool" pack shuffled 2>&1)" "as small as it gets"
verdict "pack: nothing is left beside it" "$(ls shuffled | grep 'run.efg.')"
"$tool" pack other/kept.efg >said 2>&1
same "pack, a file by its name: exit code, and what is there then" "0 kept.efg" "$? $(ls other)"
verdict "pack, a file by its name: as that of the folder" "$(cmp other/kept.efg shuffled/run.efg 2>&1)"

# --- errors ---

# refused NAME WORDS CODE ARGUMENTS...
refused() {
    local name=$1 words=$2 code=$3
    shift 3
    lines "$@"
    same "$name: exit code" "$code" $?
    contains "$name: says so" "$(cat said)" "$words"
}

ranks 2 "$tool" run --sequence off -m graph --summary off -o off "$programs/stencil2d" 20 100 >out 2>err
refused "no sequence" "the order of the calls of rank 0 was not kept (EFGTRACE_SEQUENCE)" 1 off
refused "no such rank" 'there is no rank "7": ranks are 0 to 3' 1 -r 7 stencil2d
refused "no list" "--rank wants a list" 1 -r 3-1 stencil2d
refused "no number" "--from wants a number from 1" 2 --from 0 stencil2d
refused "no folder" "No such file" 1 nowhere
refused "which run" "DIR is missing" 2
cp -r stencil2d damaged
"$python" - damaged/run.efg <<'END'
import struct, sys
with open(sys.argv[1], 'r+b') as file:
    data, at = file.read(), 24
    while struct.unpack_from('<I', data, at)[0] != 7:
        at += 20 + struct.unpack_from('<Q', data, at + 8)[0]
    file.seek(at + 25)
    file.write(bytes([data[at + 25] ^ 1]))
END
refused "damage" "the checksum of the sequence of rank 0 is wrong" 1 damaged
"$tool" pack damaged >said 2>&1
same "damage, pack: exit code" 1 $?
contains "damage, pack: says so" "$(cat said)" "run.efg is left as it is"
refused "damage, OTF2" "the checksum of the sequence of rank 0 is wrong" 1 -F otf2 -o new damaged
verdict "damage, OTF2: nothing is left" "$(ls -d new 2>/dev/null)"
refused "OTF2 where there is a trace" "there is a trace already" 1 -F otf2 -o stencil2d stencil2d
refused "OTF2 without a folder" "wants --output DIR2" 2 -F otf2 stencil2d
refused "a folder without OTF2" "is for --format otf2" 2 -o new stencil2d

finish
