# SPDX-License-Identifier: BSD-3-Clause
# A limit of the size of files, on all ranks.

begin smaller "$pieces" -m full -- "${stencil[@]}"
find_ranks
for child in "${children[@]}"; do
    prlimit --fsize=1000 --pid "$child"
done
finished
same "a limit of files on all ranks: the job ends well" "ok stencil2d: 4000 steps" "$(cat out)"
has "a limit of files on all ranks: it is said" "run.efg: File too large" err
verdict "a limit of files on all ranks: no part of a trace" "$(ls -d smaller/traces* 2>/dev/null)"
"$tool" trace smaller >said 2>err
same "a limit of files on all ranks: trace" "0 smaller/run.efg smaller/traces.otf2" "$? $(xargs <said)"
