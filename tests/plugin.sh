#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Plug-ins: they are told what happens, when it happens; what they say is in summary, report and run.efg; and what
# they do wrong is named, while the application does as it would.
#
# usage: tests/plugin.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

sources=$root/tests/plugin
compile stencil2d || exit 2
cd "$work" || exit 2
include="-I$root/libefgtrace/user -shared -fPIC -g -O1"
$MPICC $include "$sources/witness.c" -o witness.so || exit 2
$MPICXX $include "$sources/bad.cpp" -o bad.so || exit 2
$MPICXX $include -DVERSION=99 "$sources/bad.cpp" -o other.so || exit 2
app="$programs/stencil2d 400"
ranks 4 $app >bare || verdict "bare" "exit code $?"

# --- they are told ---

traced told --plugins "./witness.so:some=options here, sizes,delay:call=MPI_Allreduce rank=1 us=1 every=10, memory" \
    -- $app
same "the output is as bare" "$(cat bare)" "$(cat traced.out)"
summary=told/summary.txt
has "what happens is told as it happens" "witness: all is right (4 ranks)" $summary
has "options" "witness: some=options here (4 ranks)" $summary
has "each call, once" "witness: calls 4003" $summary
has "bytes" "witness: bytes 211 kB" $summary
has "the number of the last iteration" "witness: last 400" $summary
has "sizes" "mean size of a message" $summary
has "delay" "delay: delayed calls 0 (rank 0) to 40 (rank 1), mean 10" $summary
has "memory" "memory: least free memory" $summary
has "a section of run.efg" 'witness	a\tb\\c\n' told/run.efg
"$tool" report told >report
has "the report has what they said" "witness: all is right (4 ranks)" report
verdict "and what of it there was no room for in the summary" "$(awk '/^Plug-ins$/ {on = 1} on' report |
    grep -q 'memory: memory is least after' || echo "it has not")"

"$tool" report -o told.json told
same "so has the JSON" "witness calls 4 16012, witness all is right 4, 1 of witness's options" "$("$python" -c '
import json, sys
said = json.load(open("told.json"))["plugins"]
calls = [row for row in said if row.get("name") == "calls" and row["plugin"] == "witness"][0]
right = [row for row in said if row.get("line") == "all is right"][0]
options = sum(row.get("line") == "some=options here" for row in said)
print("witness calls %d %d, %s %s %d, %d of witness\x27s options" % (
    calls["ranks"], calls["sum"], right["plugin"], right["line"], right["ranks"], options))')"
"$tool" report -o told.html told
has "and the page" 'drawPlugins' told.html
has "with what they said" '"plugin":"witness"' told.html

# --- they do what they must not ---

for what in crash abort throw block mpi; do
    cp bad.so "$what.so" || exit 2
    plugins="${plugins:-}./$what.so:$what,"
done
traced bad --plugins "$plugins" -- $app
same "with bad ones, the output is as bare" "$(cat bare)" "$(cat traced.out)"
while read -r what how; do
    has "$what is named" "plug-in $what $how in pos of MPI_" traced.err
done <<'END'
crash failed (Segmentation fault)
abort failed (Aborted)
throw failed (Aborted)
block took more than 1 s
mpi calls MPI
END
has "the summary has it" "plug-in crash failed" bad/summary.txt
"$tool" report bad >report
has "the notes have room for all of them" "plug-in mpi calls MPI" report
accepted "with bad ones" bad/traces.otf2 --iterations 10

cp bad.so exit.so
ranks 1 "$tool" run -o exited --plugins ./exit.so:exit $app >/dev/null 2>err
same "a plug-in that ends the process: the exit code" 7 $?
has "it is named" "plug-in exit ends the process in pos of MPI_" err

# --- they cannot be loaded ---

cp bad.so refuse.so
echo nothing >text.so
traced none --plugins "./missing.so, ./text.so, ./other.so, ./refuse.so:refuse" -- $app
same "with those that cannot be loaded, the output is as bare" "$(cat bare)" "$(cat traced.out)"
cp traced.err err
graphed twice 1 --plugins "$library, ./bad.so, ./bad.so, delay:us=x" -- $app
cat traced.err >>err
while read -r what; do
    has "$what" "$what" err
done <<END
plug-in ./missing.so cannot be loaded: ./missing.so: cannot open shared object file
plug-in ./text.so cannot be loaded: ./text.so: file too short
plug-in ./other.so is made for version 99 of efgtrace-plugin.h, this efgtrace has version 1: compile it again
plug-in refuse does not begin: it does not want to
plug-in $library is no plug-in
plug-in ./bad.so is named twice
plug-in delay does not begin: "us=x": expected call=NAME
END
same "all of it is said once" 7 "$(grep -c 'goes on without it' err)"
finish
