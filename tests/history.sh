#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# efgtrace index, history: runs of a stencil that is built anew between them, a sample, and series that are made up.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2
if ! "$python" -c 'import sqlite3' 2>/dev/null; then
    skip "many runs" "no sqlite3 of python"
    finish
fi

# indexed QUERY: what the index runs/efgtrace.db has
indexed() {
    "$python" -c 'import sqlite3, sys
for row in sqlite3.connect("runs/efgtrace.db").execute(sys.argv[1]):
    print(*row)' "$1"
}

compile stencil2d || exit 2
graphed runs/deep/one 2 "$programs/stencil2d" 50 10
{ printf '\n\n\n/* other lines */\n'; cat "$root/tests/programs/stencil2d.c"; } >stencil2d.c
$MPICC -g -O0 -I"$root/tests/programs" stencil2d.c -o stencil2d -lm || exit 2
graphed runs/anew 2 ./stencil2d 100 10
mkdir runs/sample
sample --write runs/sample/run.efg || exit 2
ln -s ../.. runs/sample/up # it leads to all of them once more

same "index: all runs are added" "runs/efgtrace.db: 3 runs added, 0 known, 0 left out" \
    "$("$tool" index -o runs/efgtrace.db runs)"
same "... once" "runs/efgtrace.db: 0 runs added, 3 known, 0 left out" "$("$tool" index -o runs/efgtrace.db runs)"
same "... by their folders" "$PWD/runs/anew
$PWD/runs/deep/one
$PWD/runs/sample" "$(indexed 'SELECT folder FROM runs ORDER BY folder')"
touch runs/anew/run.efg
same "a run that was written anew is read again" "runs/efgtrace.db: 1 run added, 2 known, 0 left out" \
    "$("$tool" index -o runs/efgtrace.db runs)"
same "... and is there once" 3 "$(indexed 'SELECT count(*) FROM runs')"
same "call sites are the same in the program that was built anew" 1 "$(indexed "
    SELECT count(*)>=2 FROM (SELECT site FROM times JOIN runs ON run=id WHERE application='stencil2d'
                             GROUP BY site HAVING count(*)=2)")"

# What the index says of a run is what its report says.
"$tool" report -f json -o report.json runs/sample
verdict "the index has what the report has" "$("$python" - <<'END' 2>&1 | tail -n 1
import json
import sqlite3

report = json.load(open("report.json"))
database = sqlite3.connect("runs/efgtrace.db")
database.row_factory = sqlite3.Row
run = database.execute("SELECT * FROM runs WHERE application='stencil'").fetchone()
loop = next(loop for loop in report["loops"] if loop["is_main"])
assert (run["ranks"], run["iterations"], run["ended"]) == (4, loop["repetitions"], 1), dict(run)
assert abs(run["iteration"] * run["iterations"] * 4e9 - loop["time"]) < 1e-6 * loop["time"], dict(run)
sites = {name: time for name, time in database.execute(
    "SELECT name, time FROM times JOIN sites ON site=sites.id WHERE run=?", (run["id"],))}
for site in report["sites"]:
    time = site["time"] / 4e9 / run["iterations"]
    if time > 0.001 * run["seconds"] / run["iterations"]:
        assert abs(sites[site["label"]] - time) < 1e-6 * time, (site, sites)
END
)"

head -c 100 runs/sample/run.efg >runs/run.efg
"$tool" index -o runs/efgtrace.db runs >said 2>why
verdict "a run that is cut short is left out, and that is said" \
    "$(grep -q '0 runs added, 3 known, 1 left out' said || cat said; grep -q 'runs/run.efg is cut short' why || cat why)"
rm -r runs/sample runs/run.efg
"$tool" index -o runs/efgtrace.db runs >/dev/null
"$tool" history -i runs/efgtrace.db stencil\ 512 >said
has "a run that is gone stays" "main loop    in stencil.c:66 main: Allreduce, Waitall, Gather" said
has "a few runs are no series" "not known: that takes 19 runs or more" said
"$tool" history -i runs/efgtrace.db -n 2 -f json -o said.json
same "runs with 2 ranks only" "2 2" "$("$python" -c 'import json
print(*(s["ranks"] for s in json.load(open("said.json"))["series"]))')"

# gives WHAT CODE TEXT COMMAND...: it ends with CODE and says TEXT
gives() {
    local what=$1 code=$2 text=$3 said
    shift 3
    said=$("$tool" "$@" 2>&1)
    same "$what" "$code $text" "$? $(grep -oF -- "$text" <<<"$said" | head -n 1)"
}
gives "no index" 1 "there is no index efgtrace.db; \`efgtrace index FOLDER\` makes it" history
gives "no such run" 1 "no run of the index is like that" history -i runs/efgtrace.db nobody
gives "no date" 1 '"soon" is no date; expected one such as 2026-11-24' history -i runs/efgtrace.db --since soon
echo "no database at all, but some text that is long enough" >text
gives "no database" 1 "text: file is not a database" history -i text
gives "no index is overwritten" 1 "text: file is not a database" index -o text runs
same "... it is as it was" "no database at all, but some text that is long enough" "$(cat text)"
"$python" -c 'import sqlite3
sqlite3.connect("other.db").execute("CREATE TABLE t(x)")'
gives "another database" 1 "this is a database, but no index of runs" index -o other.db runs
gives "no such folder" 1 "nowhere: No such file or directory" index nowhere
gives "a folder without runs" 0 "0 runs added, 0 known, 0 left out" index -o none.db "$root/man"

# 100 series with a change, and 100 without: made up, so that the answer is known.
"$python" "$root/bench/history.py" "$tool" --noise 0.005 --outliers 0.03 >said
same "+5% at a call site is found within 3 runs in 100 of 100 series; no alarm in 100 without" \
    "0.5% 3% 100 of 100 0 of 100" "$(tail -n 1 said | xargs)"

finish
