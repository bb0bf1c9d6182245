#!/bin/sh
# efgtrace report and efgtrace graph on a run that is known, on one whose names are hostile
# to every format, and on files that were damaged.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2

# try NAME COMMAND...: the command must succeed
try() {
    name=$1
    shift
    "$@" >log 2>&1 && why= || why="$*: $(cat log)"
    verdict "$name" "$why"
}

# says NAME CODE WORDS COMMAND...: it ends with CODE and says WORDS
says() {
    name=$1 code=$2 words=$3
    shift 3
    "$@" >log 2>&1
    got=$?
    [ $got = "$code" ] && grep -qF -- "$words" log && why= ||
        why="exit code $got instead of $code, or it does not say \"$words\": $(cat log)"
    verdict "$name" "$why"
}

narrow() {
    "$tool" report --all "$1" >text && ! awk '/\.\.\.$/ || (length > 100 && /^[A-Z][a-z]* / && !/^(Files|Next|command)/)' text |
        grep . && ! grep -v '^command' text | LC_ALL=C grep -q '[^ -~]'
}

json_is_whole() {
    "$tool" graph -f json "$1" | python3 -c '
import json, sys
d = json.load(sys.stdin)
n = len(d["nodes"])
assert d["format"] == "efgtrace-graph" and d["version"] == 3 and d["merged"] == "0-3"
assert n == 9 and len(d["edges"]) == 10
assert all(e["from"] < n and e["to"] < n for e in d["edges"])
assert d["nodes"][6]["path"][1]["function"] == "step"
assert d["pivot"] == {"kind": "node", "id": 6, "visits": 1000, "rank": 0}
assert d["nodes"][6]["visits"] == [{"least": 1000, "most": 1000, "ranks": "0-3"}]
assert sum(c for b, c in d["nodes"][6]["time"]["histogram"]) == 4000
assert [l["repetitions"] for l in d["loops"]] == [1000] and d["loops"][0]["parent"] is None
assert d["main"] == 0'
}

dot_is_drawn() {
    "$tool" graph "$1" >graph.dot && dot -Tsvg graph.dot >graph.svg 2>warnings &&
        [ ! -s warnings ] && grep -q cluster_0 graph.svg && [ "$(grep -c 'class="node"' graph.svg)" = 9 ]
}

mkdir run hostile
sample --write run/run.efg && sample --write-hostile hostile/run.efg || exit 1

# --- what is said ---
says "report: pivot" 0 "behind MPI_Allreduce  stencil.c:48 residual" "$tool" report run
says "report: calls per rank" 0 "60.0 ms    460 ms    460 ms   32.8 MB  MPI_Allreduce" "$tool" report run
says "report: DIR as given" 0 "Next         efgtrace report ./run" "$tool" report ./run/
says "report: the run file itself" 0 "stencil, 4 ranks" "$tool" report run/run.efg
# 1000 steps of 4 ms; rank 3 computes 400 us longer, for which the others wait in MPI
says "report: efficiencies" 0 "    85.3%         92.0%           92.7%       4     4.05 s  the run" "$tool" report run
says "report: of a loop" 0 "    85.3%         92.0%           92.7%       4     4.04 s  1000 x in stencil.c:66 main: Allreduce, Waitall, Gather, 4 more" "$tool" report run
says "report: groups" 0 "     1        4       9      10   0-3" "$tool" report run
says "report: iterations recorded, against all" 0 "recorded   40 of all ranks, 3.92 ms each (-3.1%); MPI 12.6% of it" "$tool" report run
says "report: iterations over the run" 0 "           88 - 175 *    364 ms   4.03 ms   3.92 ms   6.42 ms  17.0% =====" "$tool" report run
says "report: outliers" 0 "                 19     83.5 ms   6.42 ms       1.6            40.4%" "$tool" report run
says "report: messages by size" 0 ">= 8.19 kB                      8000  100.0%   65.5 MB  100.0%             80  100.0%  100.0%" "$tool" report run
says "report: messages by distance" 0 "        +1           4          4000   50.0%   32.8 MB   50.0%             40   50.0%   50.0%" "$tool" report run
says "report: messages from rank to rank" 0 "         3 to 0                 1000   12.5%   8.19 MB   12.5%             10   12.5%   12.5%" "$tool" report run
says "graph: another rank" 0 "stencil, rank 3" "$tool" graph --rank 3 run
try "graph: to a file" "$tool" graph -o new.dot run
try "graph: that file has it" grep -q "MPI_Waitall" new.dot
for run in run hostile; do
    try "report: sentences in 100 columns, nothing cut, ASCII ($run)" narrow $run
    same "report: no row of zeros ($run)" "" \
        "$("$tool" report $run | grep -E '^ +0 ns +0\.0% +0% +0\.0%|^[a-zA-Z ]+ +0( ns| B)? +[0-9]+ +0( ns| B)? +0( ns| B)? ')"
    if command -v python3 >/dev/null; then
        try "graph: json ($run)" json_is_whole $run
    else
        skip "graph: json ($run)" "no python3"
    fi
    if command -v dot >/dev/null; then
        try "graph: dot ($run)" dot_is_drawn $run
    else
        skip "graph: dot ($run)" "no graphviz"
    fi
done

# On a terminal sentences are as wide as it is, names in tables lose their middle, and numbers nothing.
# on_terminal COLUMNS COMMAND...
on_terminal() {
    columns=$1
    shift
    script -qec "stty cols $columns; $*" /dev/null </dev/null | tr -d '\r'
}
# words FILE: of what stands before the tables, without the rows of loops
words() {
    sed -e '/^The run/,$d' -e '/ loops of rank/d' -e '/^ *repetitions /d' -e '/^ *[0-9]* *[0-9.]* .*s  *[0-9.]*% /d' "$1" | tr -s ' \n' ' '
}
if command -v script >/dev/null; then
    on_terminal 60 "$tool" report run >shown
    "$tool" report run >text
    same "report: on a narrow terminal no word is lost" "$(words text)" "$(words shown)"
    same "report: sentences fit into it" "" "$(sed '/^The run/,$d' shown | awk 'length($0) > 60 && !/%.*%/ && !/loops of/')"
    same "report: what a loop does is left out of its row" "in stencil.c:66 main" \
        "$(sed -n 's/.*1000 .*% *\* \(in .*\)/\1/p' shown | head -n 1)"
    numbers() {
        sed -n 's/^ *\(1000 .*%\) .*/\1/p' "$1" | tr -s ' '
    }
    same "report: no number is cut" "$(numbers text)" "$(numbers shown)"
    for what in "report --all run" "report -s run" "compare run run" "compare run run run"; do
        on_terminal 80 "$tool" $what >shown
        "$tool" $what >text
        same "$what: no line is wider than the terminal" "" "$(awk 'length($0) > 80' shown | head -n 2)"
        same "$what: all numbers are there" "$(grep -oE '[0-9.]+%' text)" "$(grep -oE '[0-9.]+%' shown)"
    done
    for columns in 80 60; do
        on_terminal $columns "$tool" check >shown
        "$tool" check >text
        same "check: no line is wider than $columns" "" "$(awk -v width=$columns 'length($0) > width && /[^ ] +[^ ]/' shown | head -n 2)"
        same "check: no word is lost at $columns" "$(tr -s ' \n' ' ' <text)" "$(tr -s ' \n' ' ' <shown)"
        for command in run report graph expand export profile compare index history symbols trace top stuck check; do
            on_terminal $columns "$tool" $command --help >shown
            "$tool" $command --help >text
            [ "$(tr -s ' \n' ' ' <text)" = "$(tr -s ' \n' ' ' <shown)" ] || echo "$command: words are lost"
            awk -v width=$columns 'length($0) > width' shown | head -n 1
        done >wrong
        same "help of each command fits into $columns columns, and no word is lost" "" "$(cat wrong)"
    done
    on_terminal 60 "$tool" report run -f json >shown
    same "report: for other programs nothing is cut" "$("$tool" report run -f json)" "$(cat shown)"
else
    skip "report: on a terminal" "no script"
fi

# Ranks are read one after the other: ten thousand of them in 30 MB of memory.
mkdir many && sample --write-many many/run.efg || exit 1
little() {
    (ulimit -v 30000 && "$tool" "$1" many)
}
if (ulimit -v 30000 && "$tool" --version) >/dev/null 2>&1; then
    says "report: ten thousand ranks in little memory" 0 "     1    10000       9      10   0-9999" little report
    says "graph: ten thousand ranks in little memory" 0 "stencil, 10000 ranks: 0-9999" little graph
else
    skip "report, graph: ten thousand ranks in little memory" "a sanitizer takes more"
fi

# --- a rank that computes longer than the others ---
compile stencil2d || exit 2
graphed late 6 --plugins "delay:call=MPI_Allreduce rank=4 us=25000" "$programs/stencil2d" 60 100
"$tool" report late -f json | "$python" -c '
import json, sys
d = json.load(sys.stdin)
late = [c for c in d["clusters"] if c["ranks"] == "4"][0]
before = [x for x in late["differences"] if x["what"] == "before"][0]
assert late["is_outlier"] and late["apart"] > .2, late
assert before["by"] > 5e8 and before["label"].startswith("MPI_Allreduce"), before
assert any("not behave like the others, rank" in f for f in d["overview"]["findings"])' 2>told
verdict "report: the rank that is late is an outlier, and why" "$(cat told)"

# --- what is wrong ---
mkdir empty killed killed/logs short old damaged rank
echo "another file" >other
head -c 5000 run/run.efg >short/run.efg
{ head -c 8 run/run.efg; printf '\012'; tail -c +10 run/run.efg; } >old/run.efg
size=$(wc -c <run/run.efg)
{ head -c $((size - 200)) run/run.efg; printf 'xxxx'; tail -c 196 run/run.efg; } >damaged/run.efg
{ head -c 2000 run/run.efg; printf 'xxxx'; tail -c +2005 run/run.efg; } >rank/run.efg
for command in report graph; do
    says "$command: no such DIR" 1 "none: No such file or directory; name the folder" "$tool" $command none
    says "$command: another file" 1 "other is no run file of efgtrace; name run.efg, or a run's folder" "$tool" $command other
    says "$command: empty DIR" 1 "no run.efg in it; name the folder" "$tool" $command empty
    says "$command: killed job" 1 "efgtrace trace killed" "$tool" $command killed
    says "$command: cut short" 1 "short/run.efg is cut short: 5000 bytes of" "$tool" $command short
    says "$command: other version" 1 "of version 10, this efgtrace reads version 9; use the" "$tool" $command old
    says "$command: damaged" 1 "damaged/run.efg is damaged: the checksum of the table of source lines" "$tool" $command damaged
    says "$command: no DIR" 2 "DIR is missing" "$tool" $command
    says "$command: two DIRs" 2 "one DIR at a time" "$tool" $command run run
    says "$command: option" 2 'there is no option "--nothing"' "$tool" $command --nothing run
done
says "report: one rank damaged" 1 "is damaged: the checksum of the data of rank 1 is wrong" "$tool" report rank
try "graph: one rank damaged, not this one" "$tool" graph -r 2 rank
says "graph: that one" 1 "is damaged: the checksum of the data of rank 1 is wrong" "$tool" graph -r 1 rank
says "graph: format" 2 "--format wants dot, svg, png, pdf or json" "$tool" graph -f jsn run
says "graph: extension" 2 'no format goes with .jpg of "g.jpg": choose one with --format, dot, svg,' "$tool" graph -o g.jpg run
says "expand: extension" 2 'no format goes with .xyz of "e.xyz": choose one with --format, text or otf2' "$tool" expand -o e.xyz run
says "export: extension" 2 'no format goes with .xyz of "t.xyz": choose one with --format,' "$tool" export -o t.xyz run
for command in "index ." "symbols run" "trace killed"; do
    says "$command: a folder or database is not for standard output" 2 "--output wants a name: this cannot be" \
        "$tool" $command -o -
done
says "graph: value missing" 2 "a value is missing after" "$tool" graph run -f
says "graph: rank" 1 'there is no rank "9": ranks are 0 to 3' "$tool" graph -r 9 run
says "graph: no rank" 1 "--rank wants a list such as 0,4-7" "$tool" graph -r x run
says "graph: an empty list" 1 "--rank wants a list such as 0,4-7" "$tool" graph -r "" run
says "graph: group" 1 'there is no group "2": groups are numbered from 1 to 1' "$tool" graph -g 2 run
says "graph: no group" 1 'there is no group "x": groups are numbered' "$tool" graph -g x run
says "graph: rank and group" 2 "either --rank or --group" "$tool" graph -g 1 -r 0 run
says "graph: signature" 2 "cannot be \"sizes\": there is a word" "$tool" graph -s sizes run
says "graph: not recorded" 1 "run has not all of --signature path,size: record with it as" "$tool" graph -s path,size run
says "graph: no such folder" 1 "cannot write none/g.dot: No such file or directory" "$tool" graph -o none/g.dot run

# --- how the graph grew ---

# Each sample once, and behind them what the graph was at the end of the run.
traced grew "$programs/stencil2d" 50 100
"$tool" report --json grew >grew.json
"$tool" report grew | sed '1,/^Size of the graph/d' | grep '#$' >grew.rows
same "growth: each sample once" "" "$(sort grew.rows | uniq -d)"
same "growth: until the end" "" "$("$python" -c '
import json
run = json.load(open("grew.json"))
points, rank = run["curve"]["points"], run["curve"]["rank"]
nodes = {}
for group in run["groups"]:
    for part in group["ranks"].split(","):
        first, last = (part.split("-") * 2)[:2]
        nodes.update({r: group["nodes"] for r in range(int(first), int(last) + 1)})
if points and points[-1][2] != nodes[rank] or len(set(map(tuple, points))) != len(points):
    print(points, nodes[rank])')"

# --- one iteration, one rank ---

windowed single -n 1 -- "$programs/stencil2d" 50 100
traced_by 1 alone -n 1 "$programs/stencil2d" 2000 100
for run in single alone; do
    "$tool" report --all $run >text.$run
    # "23 to 23", not in the row of the messages that rank 0 sends to itself
    same "$run: a range of one is one number" "" \
        "$(cat text.$run $run/summary.txt | grep -E '(^|[^0-9.])([0-9.]+) to \2([^0-9.]|$)' | grep -v '^  *0 to 0 ')"
    verdict "$run: the iteration is named" \
        "$(grep -qE '^Traced  *1 iteration, number [0-9]+, ' text.$run || grep '^Traced' text.$run)"
    verdict "$run: it is one, in words" "$(grep -E '(^|[^0-9.])1 iterations' text.$run)"
done
verdict "single: in the window, too" \
    "$(grep -qE '^window 0 +iteration [0-9]+ on 4 ranks' text.single || grep '^window' text.single)"

# --- a program without names ---

strip -o nameless "$programs/stencil2d" || exit 2
traced stripped ./nameless 50 100
verdict "a loop in an unknown function is in its program" \
    "$("$tool" report stripped >text; grep -qE ' 50 .* in nameless: [A-Z][a-z]+, ' text || sed -n '/^Loops/,/^$/p' text)"

# main itself calls MPI: no other function could miss a name
cat >main.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 50; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
$MPICC -g main.c -o main && strip -o main.stripped main || exit 2
traced main.on ./main.stripped
traced main.off --symbols off -- ./main
for run in on off; do
    same "symbols $run: the summary says what adds names, as it is to be typed" \
        "efgtrace symbols $work/main.$run" "$(sed -n '/^Names /{n;s/^  *//p}' main.$run/summary.txt)"
done
has "stripped: it says what is" "Names        few in main.stripped, which is stripped" main.on/summary.txt
has "symbols off: it says that nobody looked" "Names        not looked up, as symbols = off says" main.off/summary.txt
"$tool" symbols main.off >said 2>&1
"$tool" report main.off >after
hasnt "... and then they are there" "Names" after

# --- the function that has the loop ---

line=$(grep -n ' advance(p, step)' "$root/tests/programs/wrapped.c" | cut -d: -f1)
for case in -O0 -O2; do
    $MPICC $case -g "$root/tests/programs/wrapped.c" -o wrapped || exit 2
    ranks 4 env EFGTRACE_LOOP=integrate "$tool" run --summary off -o "wrapped$case" ./wrapped 500 1000 >/dev/null
    has "wrapped $case: the star is where the loop is" "* in wrapped.c:$line integrate" "wrapped$case/summary.txt"
    has "wrapped $case: so is the main loop" "Main loop    in integrate, 500 iterations" "wrapped$case/summary.txt"
    hasnt "wrapped $case: it is found by its name" "no such loop" "wrapped$case/summary.txt"
done
ranks 4 env EFGTRACE_LOOP=integrate "$tool" run --summary off -o wrapped.twice ./wrapped 800 1000 60 >/dev/null
has "wrapped, called twice: the longer one of its name" ", 800 iterations" wrapped.twice/summary.txt
hasnt "wrapped, called twice: is what was asked for" "no such loop" wrapped.twice/summary.txt

# --- one loop, one row ---

loops="import json, sys; g = json.load(sys.stdin); print(g['main'], *((l['repetitions'], l['parent']) for l in g['loops']))"
line=$(grep -n 'MPI_Bcast(&told' "$root/tests/programs/restarts.c" | cut -d: -f1)
for case in -O0 -O2; do
    $MPICC $case -g "$root/tests/programs/restarts.c" -o restarts || exit 2
    ranks 4 "$tool" run --summary off -o "restarts$case" ./restarts 500 1000 >/dev/null
    same "restarts $case: two loops, of all ranks and of each" "$(yes '1 (10, None) (500, 0)' | head -n 5)" \
        "$(for rank in 0-3 0 1 2 3; do "$tool" graph -f json -r $rank "restarts$case" | "$python" -c "$loops"; done)"
    has "restarts $case: a hint leads to the outer one" \
        "coarser selects the 10 x in restarts.c:$line main" "restarts$case/summary.txt"
done
finish
