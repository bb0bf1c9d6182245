#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# efgtrace graph over the ranks of real runs: the merged graph is what another reader of run.efg
# merges (merged.py), and what the source of the program says; pictures are drawn. And how many
# nodes and edges `efgtrace report --signatures` counts.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/graph.sh          environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
compile master_worker stencil2d coupled threads signature graph/uneven graph/wide graph/ways || exit 2
cd "$work" || exit 2

# facts DIR EXPRESSION OPTION...: a value of Python for each line, of the graph g
facts() {
    local dir=$1 expression=$2
    shift 2
    "$tool" graph -f json "$@" "$dir" | "$python" -c "
import json, sys
g = json.load(sys.stdin)
def by(item): return ' '.join(str(v['least']) + 'x(' + v['ranks'] + ')' for v in item['visits'])
def line(node): return node['call'] + ' ' + node['label'].split()[1]
for value in $expression: print(value)"
}

# line_of TEXT FILE: where a test program says so
line_of() {
    grep -nF -m 1 "$1" "$root/tests/programs/$2" | cut -d: -f1
}

graphed star 5 -- "$programs/master_worker" 200 100
graphed grid 16 --signature path,size,partner,communicator -- "$programs/stencil2d" 50 100 world
graphed pair 6 -- "$programs/coupled" 200 100
graphed threads 3 -- "$programs/threads" 20 100
graphed all 4 --signature path,size,partner,communicator,region -- "$programs/signature" 5 0
graphed path 4 --signature path -- "$programs/signature" 5 0
graphed uneven 18 -- "$programs/uneven"
graphed ways 4 -- "$programs/ways"

# --- the graph that another reader merges ---

for dir in star grid $(in_full && echo pair threads path) all; do
    agrees "$dir: all ranks" merged.py $dir all
    agrees "$dir: a rank" merged.py $dir 1 --rank 1
done
agrees "grid: some ranks" merged.py grid 0,5-7 -r 0,5-7
for words in path,partner $(in_full && echo none path size-class,communicator size partner,communicator,path); do
    agrees "grid: $words" merged.py grid all --signature $words
done
for words in path,region $(in_full && echo region,size-class partner,communicator,region); do
    agrees "all: $words" merged.py all all --signature $words
done
hashes="sorted((n['hash'], n['count'], n['label']) for n in g['nodes'])"
same "signature: path of a finer run is that of one that recorded no more" \
    "$(facts path "$hashes")" "$(facts all "$hashes" -s path)"

# --- what the source says: a master and its workers ---

same "star: the master" "MPI_Recv master_worker.c:$(line_of 'MPI_Recv(&result' master_worker.c) 204x(0)
MPI_Send master_worker.c:$(line_of 'MPI_Send(&task' master_worker.c) 204x(0)" \
    "$(facts star "sorted(line(n) + ' ' + by(n) for n in g['nodes'] if n['ranks'] == '0')")"
same "star: the workers do the rest" "1-4 204
1-4 204" "$(facts star "[n['ranks'] + ' ' + str(n['count']) for n in g['nodes'] if n['ranks'] != '0']")"
# The main loop, if that is the workers', has the count of the rank that speaks for all; else that of the busiest.
same "star: two loops" "0 204
1-4 $(facts star "[g['pivot']['visits'] if g['pivot'] and g['pivot']['rank'] else
    max(v['most'] for n in g['nodes'] if n['ranks'] == '1-4' for v in n['visits'])]")" \
    "$(facts star "sorted(l['ranks'] + ' ' + str(l['repetitions']) for l in g['loops'])")"
same "star: groups" "1-4
0" "$(facts star "[g['merged']]" -g 1; facts star "[g['merged']]" --group 2)"
contains "star: the report numbers them" "$("$tool" report star)" "     2        1       2       2   0"

# --- a periodic grid of 4 x 4 ranks: who is where is who has which neighbours ---

left=$(line_of 'left, 2, comm' stencil2d.c)
same "grid: Irecv from the left" "[rank +15] 50x(1-3,5-7,9-11,13-15)
[rank +3] 50x(0-12:4)" \
    "$(facts grid "sorted(n['label'].split('exchange ')[1] + ' ' + by(n) for n in g['nodes']
            if n['call'] == 'MPI_Irecv' and ':$left ' in n['label'])" -s path,partner)"
up=$(line_of 'up, 0, comm' stencil2d.c)
same "grid: Irecv from above" "50x(0-15)" \
    "$(facts grid "[by(n) for n in g['nodes'] if n['label'].endswith(':$up exchange [rank +12]')]" -s path,partner)"
same "grid: one loop of all ranks, as often as on each" "50 0-15" \
    "$(facts grid "[str(l['repetitions']) + ' ' + l['ranks'] for l in g['loops']]")"
same "grid: edges between the two columns at the border" "50x(0-12:4)" \
    "$(facts grid "[by(e) for e in g['edges'] if g['nodes'][e['from']]['label'].endswith(':$left exchange [rank +3]')]" -s path,partner)"
same "grid: groups" "1-2,5-6,9-10,13-14
3-15:4
4-12:4
0" "$(for group in 1 2 3 4; do facts grid "[g['merged']]" --group $group; done)"
same "grid: nodes are in the order in which each rank has them" "" \
    "$(facts grid "[e for e in g['edges'] if e['from'] >= e['to'] and not g['nodes'][e['from']]['call'] == 'MPI_Allreduce']")"

graphed plane 16 --signature path,partner -- "$programs/stencil2d" 50 100
same "plane: with coordinates, all ranks have the same partners" "[grid (-1, 0)] 50x(0-15)
[grid (0, -1)] 50x(0-15)" \
    "$(facts plane "sorted(n['label'].split('exchange ')[1] + ' ' + by(n) for n in g['nodes']
            if n['call'] == 'MPI_Irecv' and '-1' in n['label'])")"

# --- coupled codes, threads, numbers that differ ---

same "pair: one loop in main, of each half as often as its ranks have it" "200
100" "$(for ranks in 0-2 3-5; do facts pair "[l['repetitions'] for l in g['loops'] if l['parent'] is None]" -r $ranks; done)"
same "threads: all of each rank" 80 "$(facts threads "[n['visits'][0]['least'] for n in g['nodes'] if n['call'] == 'MPI_Waitall']")"
same "uneven: up to 16 numbers are kept" 16 \
    "$(facts uneven "[len(n['visits']) for n in g['nodes'] if n['call'] == 'MPI_Allreduce']" -r 0-15)"
same "uneven: more are a range" "1 18 0-17" \
    "$(facts uneven "[str(v['least']) + ' ' + str(v['most']) + ' ' + v['ranks'] for n in g['nodes']
        if n['call'] == 'MPI_Allreduce' for v in n['visits']]")"

# Loops that ranks come into on different ways: as often as on a rank, wherever that is said.
"$tool" report --all ways >ways.txt
same "ways: the table of loops" "141 47 500" \
    "$(echo $(sed -n '/^Loops$/,/^Phases$/s/^ *\([0-9]*\) .*% .* in .*: .*/\1/p' ways.txt | sort))"
same "ways: their efficiency" "141 47 500" "$(echo $(sed -n 's/.* \([0-9]*\) x in .*/\1/p' ways.txt | sort))"
same "ways: for other programs" "141 47 500" "$(echo $(facts ways "[l['repetitions'] for l in g['loops']]" | sort))"

# Codes coupled: 4 and 7 functions at 5 and 7 call sites, of which 3 functions at 3 call sites are
# those of both.
"$tool" report --signatures pair | awk '$1 ~ /^[0-9]/' | tr -s ' ' | sed 's/^ //' >rows
same "pair: nodes by signature, and edges" "8 12 4 5.5 7 5 6.5 8 none
9 13 5 6.0 7 6 7.0 8 path" "$(cat rows)"
for dir in star grid threads; do
    verdict "$dir: nodes and edges by signature are those that another reader counts" \
        "$(diff <("$tool" report --signatures $dir | awk '$1 ~ /^[0-9]/' | tr -s ' ' | sed 's/^ //' | sort) \
            <("$python" "$root/tests/signatures.py" $dir | sort) | head -n 2)"
done

# --- pictures ---

"$tool" graph uneven >uneven.dot
has "uneven: a range of numbers" "1-18 x" uneven.dot
has "uneven: a loop that the rank that speaks does not have" "up to 18 x in uneven.c" uneven.dot
"$tool" graph -r 5-7 uneven >three.dot
has "uneven: a loop, and the rank that has it so often" "6 x on rank 5 in uneven.c" three.dot
has "uneven: calls in a row are one box" "MPI_Barrier, 5 in a row" uneven.dot
same "uneven: two boxes" 2 "$(grep -c 'fillcolor' uneven.dot)"
same "uneven: --all draws six" 6 "$("$tool" graph --all uneven | grep -c fillcolor)"
"$tool" graph -r 0,2,5,8,9,13,15 uneven >some.dot
has "uneven: more than four numbers are a range" "1-16 x" some.dot
"$tool" graph -r 0,3 uneven >two.dot
has "uneven: two numbers are two lines" "1 x (0)\\n4 x (3)" two.dot
graphed wide 2 -- "$programs/wide"
"$tool" graph wide >wide.dot
boxes=$(grep -c fillcolor wide.dot)
verdict "wide: a picture to look at has few boxes" "$([ "$boxes" -ge 5 ] && [ "$boxes" -le 30 ] || echo "$boxes boxes")"
same "wide: --all draws each call" "$(facts wide "[len(g['nodes'])]")" "$("$tool" graph --all wide | grep -c fillcolor)"
has "wide: what is before the loop is one box" 'start-up\nBcast\n40 call sites, 40 x' wide.dot
has "wide: what a function does is one box" 'work_3\nSend, Recv, Allreduce\n' wide.dot
has "wide: it says so" "call sites in $boxes boxes; --all draws each" wide.dot
"$tool" graph ways >ways.dot
has "ways: in a picture" "47 x in ways.c:" ways.dot
"$tool" graph pair >pair.dot
has "pair: ranks of a call" '200 x (0-2)' pair.dot
"$tool" graph star >star.dot
has "star: ranks of a loop" '204 x (0) in master_worker.c:' star.dot
"$tool" graph -s path,partner grid >grid.dot
has "grid: an edge of some ranks" "50 x (0-12:4)" grid.dot

# magic FILE: how it begins
magic() {
    head -c 5 "$1" | tr -dc '[:print:]'
}
if command -v dot >/dev/null; then
    for form in svg png pdf; do
        "$tool" graph -o "a \$(touch spoiled) b.$form" pair 2>warnings
        same "$form: drawn without complaint" "0 " "$? $(cat warnings)"
    done
    same "pictures are what they are called" "<?xml PNG %PDF-" \
        "$(magic a*.svg) $(magic a*.png) $(magic a*.pdf)"
    same "svg: a box for each call" "$(facts pair "[len(g['nodes'])]")" "$(grep -c 'class="node"' a*.svg)"
    same "svg: an arrow for each transition" "$(facts pair "[len(g['edges'])]")" "$(grep -c 'class="edge"' a*.svg)"
    same "svg: to standard output" "<?xml" "$("$tool" graph -f svg pair | head -c 5)"
    same "no shell has read names" "" "$(ls spoiled 2>/dev/null)"
    "$tool" graph -f svg -o pair.png pair
    same "--format beats the ending of the file" "<?xml" "$(magic pair.png)"
else
    skip "pictures" "no graphviz"
fi

mkdir empty broken
printf '#!/bin/sh\ncat >/dev/null\necho "dot is broken" >&2\nexit 3\n' >broken/dot
chmod +x broken/dot
PATH=$work/empty "$tool" graph -o none.svg pair 2>said
same "without dot: exit code" 1 $?
has "without dot: what to install" "dot of Graphviz, which is not found: install it" said
mkdir lost
printf '#!/bin/sh\ncase "$*" in *-Kfdp*) cat; exit ;; esac\necho "Error: lost n7 n8 edge" >&2\nexit 1\n' >lost/dot
chmod +x lost/dot
PATH=$work/lost:$PATH "$tool" graph -o lost.svg pair 2>said
same "dot that loses an edge: another layout" "0 $(head -n 1 pair.dot)" "$? $(head -n 1 lost.svg)"
has "dot that loses an edge: it is said" "it is drawn as fdp does" said
"$tool" graph -o x.jpg pair 2>said
same "a file that is no format of ours: exit code, no file" "2 " "$? $(ls x.jpg 2>/dev/null)"
has "a file that is no format of ours: which there are" "dot, svg, png, pdf" said
PATH=$work/broken:$PATH "$tool" graph -o none.svg pair 2>said
same "dot that fails: exit code" 1 $?
has "dot that fails: its own words" "dot is broken" said
has "dot that fails: what to do" "dot has drawn nothing; --format dot writes what it was given" said
same "no file is left" "" "$(ls none.svg 2>/dev/null)"

finish
