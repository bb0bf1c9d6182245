# SPDX-License-Identifier: BSD-3-Clause
# A library keeps a rank in MPI_Init.

for kind in LAST $(in_full && echo FIRST NOBODY); do
    us=$library its=$work/keep_$kind.so
    case $kind in LAST) left="0 1 2" kept=3 ;; FIRST) left="1 2 3" kept=0 ;; *) left="0 1 2 3" kept= ;; esac
    as_bare "a library keeps $kind, behind" -np 4 env LD_PRELOAD=$its $any -- -np 4 env "LD_PRELOAD=$us $its" $any
    [ -z "$kept" ] || says "a library keeps $kind, behind" "1 of 4 ranks ran without efgtrace: rank $kept"
    says "a library keeps $kind, behind" "(100%)"
    recorded "a library keeps $kind, behind" "$left" "$kept"
    as_bare "a library keeps $kind, before" -np 4 env LD_PRELOAD=$its $any -- \
        -np 4 env "LD_PRELOAD=$its $us" EFGTRACE_PATIENCE=20ms $any
    says "a library keeps $kind, before" "4 ranks on"
    hasnt "a library keeps $kind, before: a rank without iterations has no numbers of them" 184467440737 trace/summary.txt
done
