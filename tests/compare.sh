#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# efgtrace compare: a run and itself, built anew, with more ranks, and another program.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2

# compared A B EXPRESSION: the EXPRESSION of c (the comparison), d (its differences) is true.
# agree(): what is said of the nodes is what a.json and b.json say.
compared() {
    "$tool" compare -f json "$1" "$2" >compared 2>&1 || cat compared
    "$python" - compared "$3" <<'END' 2>&1 | tail -n 1
import json, sys
c = json.load(open(sys.argv[1]))
d = c["differences"]

def agree():
    for side, name in (("a", "a.json"), ("b", "b.json")):
        graph = json.load(open(name))
        ranks = graph["ranks"]
        before = [0] * len(graph["nodes"])
        for edge in graph["edges"]:
            before[edge["to"]] += edge["time"]["sum"]
        for x in (x for x in d if x[side]):
            node = graph["nodes"][x[side]["node"]]
            time = before[node["id"]] if x["what"] == "compute" else node["time"]["sum"] + node["poll_time"]
            calls = node["count"] + (0 if x["what"] == "compute" else node["polls"])
            assert x["call"] == node["call"] and abs(x[side]["time"] - time / ranks) < 1, (x, node)
            assert abs(x[side]["calls"] - calls / ranks) < 1e-9, (x, node)
    return True

assert eval("(" + sys.argv[2] + ")"), [c["runs"], d[:3]]
END
}

compile stencil2d master_worker || exit 2
# The same functions at other lines, compiled in another way.
{ printf '\n\n\n/* other lines */\n'; cat "$root/tests/programs/stencil2d.c"; } >stencil2d.c
$MPICC -g -O0 -I"$root/tests/programs" stencil2d.c -o stencil2d -lm || exit 2

graphed two 2 "$programs/stencil2d" 50 10
graphed four 4 "$programs/stencil2d" 50 10
graphed anew 2 ./stencil2d 100 10
graphed other 3 "$programs/master_worker" 100 10

verdict "a run and itself: no difference, and nothing that has no partner" \
    "$(compared two two 'all(x["difference"] == 0 and x["a"] == x["b"] for x in d) and d and
                         all(x["a"] == x["b"] for x in c["loops"]) and c["loops"]')"
verdict "built anew, twice the steps: the same call sites" \
    "$(compared two anew 'all(x["a"] and x["b"] for x in d + c["loops"]) and
                          {(x["a"]["calls"], x["b"]["calls"]) for x in d} == {(50, 100), (1, 1)}')"
verdict "built anew: the loop is 50 and 100 times" \
    "$(compared two anew '[(x["a"]["repetitions"], x["b"]["repetitions"]) for x in c["loops"]] == [(50, 100)]')"
verdict "another program: the same calls are not the same call sites" \
    "$(compared two other 'all(not x["a"] or not x["b"] for x in d) and {bool(x["a"]) for x in d} == {True, False}')"
for pair in "two four" "two anew" "four other"; do
    verdict "$pair: differences and the rest are all of the time" \
        "$(compared ${pair% *} ${pair#* } 'abs(sum(x["difference"] for x in d) +
            c["runs"][1]["rest"] - c["runs"][0]["rest"] + c["runs"][0]["time"] - c["runs"][1]["time"]) < 100')"
    verdict "$pair: the largest first" \
        "$(compared ${pair% *} ${pair#* } '[abs(x["difference"]) for x in d] ==
            sorted((abs(x["difference"]) for x in d), reverse=True)')"
    verdict "$pair: parallel efficiency is load balance x communication" \
        "$(compared ${pair% *} ${pair#* } 'all(abs(r["parallel_efficiency"] -
            r["load_balance"] * r["communication_efficiency"]) < 1e-9 for r in c["runs"])')"
    "$tool" compare --all $pair >text 2>&1
    same "$pair: nothing is cut" "" "$(awk '/\.\.\.$/' text)"
done

# Stripped, the same file is known by its places; another build is not, and it says so.
mkdir stripped stripped.anew
strip -o stripped/stencil2d "$programs/stencil2d" && strip -o stripped.anew/stencil2d stencil2d || exit 2
graphed bare 2 stripped/stencil2d 100 10
graphed bare.anew 2 stripped.anew/stencil2d 100 10
graphed unasked 2 --symbols off -- "$programs/stencil2d" 50 10
matched='all(x["a"] and x["b"] for x in d + c["loops"]) and any("exchange" in x["label"] for x in d)'
for pair in "two bare" "bare two" "two unasked" "unasked two"; do
    verdict "$pair: without names, the same call sites, with names" "$(compared ${pair% *} ${pair#* } "$matched")"
done
verdict "unasked bare: the same call sites" "$(compared unasked bare 'all(x["a"] and x["b"] for x in d)')"
verdict "two bare.anew: of another build, not the same" \
    "$(compared two bare.anew 'not any(x["a"] and x["b"] for x in d)')"
while IFS='|' read -r pair words; do
    "$tool" compare $pair >said 2>&1
    contains "$pair: it says why" "$(tr -s '\n ' ' ' <said)" "$words"
done <<'END'
two bare|B has few names of functions, as stencil2d is stripped: its calls are those at the same places of the modules in A.
unasked two|A has no names of functions, as symbols = off says: its calls are those at the same places of the modules in B.
two bare.anew|B has few names of functions, as stencil2d is stripped: its calls cannot be matched with those of A, and have rows of their own. Names are added from debug files by efgtrace symbols bare.anew
END
hasnt "two other: names are not why" "names of functions" <("$tool" compare two other)

# What `graph` says of each run is what is compared.
"$tool" graph -f json -s path two >a.json
"$tool" graph -f json -s path four >b.json
verdict "times and calls are those of the graphs" "$(compared two four 'agree()')"

# A page stays small: of thousands of call paths it has those that differ most.
mkdir paths && sample --write-paths paths/run.efg || exit 1
"$tool" compare -f html -o paths.html paths two && "$tool" compare -f json -o paths.json paths two
verdict "a page of thousands of call paths: 1.3 MB at most" \
    "$(stat -c %s paths.html | awk '$1 > 1300000 { print $1 " bytes" }')"
verdict "a page of thousands of call paths: the largest differences, and how many more there are" "$(
    "$python" - 2>&1 <<'END' | tail -n 1
import json
with open("paths.json") as whole, open("paths.html") as page:
    whole, page = json.load(whole), page.read()
held = json.loads(page.split('<script type="application/json" id="document">')[1].split("</script>")[0])
shown = len(held["differences"])
assert 1000 < shown < len(whole["differences"]), shown
assert held["differences"] == whole["differences"][:shown]
assert held["left_out"] == {"differences": len(whole["differences"]) - shown}, held["left_out"]
assert held["loops"] == whole["loops"]
END
)"

gives() { # NAME CODE WORDS COMMAND...
    local name=$1 code=$2 words=$3
    shift 3
    "$@" >log 2>&1
    same "$name: exit code" "$code" $?
    contains "$name" "$(cat log)" "$words"
}
gives "in words" 0 "It has 2x the ranks" "$tool" compare two four
gives "text to a file" 0 "" "$tool" compare -o text two four
has "text to a file: what" "difference    time A" text
gives "help" 0 "Usage: efgtrace compare" "$tool" compare --help
gives "one folder" 2 "name two folders" "$tool" compare two
gives "a page of three" 2 "a page is of two runs" "$tool" compare -f html two four anew

# Several: run files whose times are known, of 2, 4 and 8 ranks, are hard to come by; so the fit is computed again.
graphed slow 2 --plugins "delay:call=MPI_Allreduce us=80000" "$programs/stencil2d" 50 10
graphed eight 8 "$programs/stencil2d" 50 10
"$tool" compare -f json -o several.json eight two anew four
verdict "several: by ranks, then by when they began; the same time, calls and efficiency as alone; the fit" "$(
    "$python" - "$tool" 2>&1 <<'END' | tail -n 1
import json, math, subprocess, sys
several = json.load(open("several.json"))
runs = several["runs"]
assert [run["folder"] for run in runs] == ["two", "anew", "four", "eight"], runs
for run in runs:
    pair = json.loads(subprocess.run([sys.argv[1], "compare", "-f", "json", run["folder"], "eight"],
                                     stdout=subprocess.PIPE, check=True).stdout)
    one = pair["runs"][0]
    for name in ("ranks", "time", "in_mpi", "iteration", "parallel_efficiency", "load_balance", "communication_efficiency"):
        assert run[name] == one[name], (run, name)
    loops = [l["a"]["time"] for l in pair["loops"] if l["a"] and l["a"]["loop"] == one["main_loop"]]
    assert (loops or [0]) == [run["loop"]], (run, loops)
sites = several["sites"]
assert [s["time"][-1] for s in sites] == sorted((s["time"][-1] for s in sites), reverse=True)
assert sum(s["doubling"] is not None for s in sites) > 5
for site in sites:
    points = [(math.log2(run["ranks"]), math.log2(time)) for run, time in zip(runs, site["time"]) if time]
    x, y = (sum(p[i] for p in points) / len(points) for i in (0, 1)) if points else (0, 0)
    spread = sum((p[0] - x) ** 2 for p in points)
    if spread:
        slope = sum((p[0] - x) * (p[1] - y) for p in points) / spread
        assert abs(2 ** slope - site["doubling"]) < 1e-6 * site["doubling"], site
    else:
        assert site["doubling"] is None, site
said = subprocess.run([sys.argv[1], "compare", "eight", "two", "anew", "four"], stdout=subprocess.PIPE, check=True, text=True).stdout
grown = max((s for s in sites if (s["doubling"] or 0) > 1.05), key=lambda s: s["time"][-1] * (1 - 1 / s["doubling"]), default=None)
if "What grows most" in said:
    assert " ".join(grown["label"].split()) in " ".join(said.split("With twice")[0].split()), (grown, said[:400])
END
)"
gives "several, in words" 0 "8 ranks have " "$tool" compare eight two four
has "several: a table of growth" "if ranks double     first      last" log
has "several: what was matched by places grows, too" "exchange" <("$tool" compare eight bare two)
gives "several, one of them without names" 0 "    efgtrace symbols bare.anew" "$tool" compare two bare.anew four
has "... it says of which" "The calls of bare.anew cannot be matched with those of the last run" log
hasnt "... and of no other" "The calls of two" log
gives "several with as many ranks" 0 "What made the difference: efgtrace compare " "$tool" compare two two anew
gives "as fast as before" 0 "B takes" "$tool" compare --fail-above 0% two two
gives "slower than allowed" 3 "slower, more than 1%: " "$tool" compare --fail-above 1 two slow
gives "of two, it is the one named last" 0 "B takes" "$tool" compare --fail-above 1 slow two
gives "several: slower than the median" 3 "slow is " "$tool" compare --fail-above=1% two two slow
gives "nothing to compare with" 3 "no other run has 4 ranks" "$tool" compare --fail-above 5% two four
gives "a wrong limit" 2 "wants a percentage, such as 5%" "$tool" compare --fail-above much two four
gives "a wrong format" 2 "text, json or html" "$tool" compare -f svg two four
gives "an unknown option" 2 'there is no option "--more"' "$tool" compare --more two four
gives "no run" 1 "none" "$tool" compare two none
gives "no room" 1 "/dev/full" "$tool" compare -o /dev/full two four

finish
