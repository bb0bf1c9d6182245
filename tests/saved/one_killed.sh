# SPDX-License-Identifier: BSD-3-Clause
# One rank is killed.

cp -r "$work/left" one
for command in report graph expand; do
    "$tool" $command one >said 2>&1
    same "one rank killed: $command fails" 1 $?
    has "one rank killed: $command says what to do" '`efgtrace trace one` writes what it has traced and saved' said
done
"$tool" trace one >said 2>err
same "one rank killed: trace" "0 one/run.efg" "$? $(cat said)"
has "one rank killed: whose it is" "one/run.efg is what 4 of 4 ranks had saved, " err
sums "one rank killed" one
for rank in $(in_full && echo 0 1 2) 3; do
    is_beginning "one rank killed" one "$work/whole" $rank
done
"$tool" report one >said 2>err
same "one rank killed: report" 0 $?
has "one rank killed: report says it" "Saved        by 4 of 4 ranks while the job ran" said
has "one rank killed: call sites have lines" "stencil2d.c:" said
"$tool" graph one | dot -Tsvg >graph.svg 2>said
same "one rank killed: graph" "0 " "$? $(cat said)"
"$tool" trace one >said 2>err
same "one rank killed: once more" "0 one/run.efg" "$? $(cat said)"
