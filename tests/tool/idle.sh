# SPDX-License-Identifier: BSD-3-Clause
# A program that never begins MPI is told so at its end: once, by one line, and nothing else of it changes.

line="efgtrace: nothing was traced: ls ended without a call of MPI_Init"
"$tool" run ls -a . >out 2>err
same "no MPI: one line at the end" "$line" "$(cat err)"
same "no MPI: the output is its own" "$(ls -a .)" "$(cat out)"
gives "no MPI: its exit code" 3 "nothing was traced: bash ended" "$tool" run bash -c 'exit 3'
same "no MPI: the first rank says it" "$line" "$(OMPI_COMM_WORLD_RANK=0 "$tool" run ls 2>&1 >/dev/null)"
same "no MPI: other ranks are silent" "" "$(OMPI_COMM_WORLD_RANK=1 "$tool" run ls 2>&1 >/dev/null)"
same "no MPI: silent without a summary" "" "$("$tool" run --summary off ls 2>&1 >/dev/null)"
same "no MPI: silent in mode off" "" "$("$tool" run -m off ls 2>&1 >/dev/null)"
same "a script: what it starts may be MPI programs" "" "$("$tool" run bash -c 'ls; true' 2>&1 >/dev/null)"
same "no MPI: without standard error" "" "$({ "$tool" run ls 2>&-; } 2>&1 >/dev/null)"
same "no MPI: not into another file" "" \
    "$("$tool" run bash -c 'for n in {3..999}; do eval "exec $n>other"; done; exit 0' 2>/dev/null; cat other)"
compile sends
ranks 2 "$tool" run -o trace "$programs/sends" >out 2>err
same "MPI: it is not said" "" "$(grep "nothing was traced" err)"
