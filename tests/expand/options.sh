# SPDX-License-Identifier: BSD-3-Clause
# Which calls, and what of them.

traces stencil2d threads recursion collectives

lines -r 2 "$work/stencil2d"
calls=$(wc -l <lines)
sed -n 100,110p lines >wanted
lines -r 2 --from 100 --to 110 "$work/stencil2d"
verdict "--from, --to: those lines of all" "$(diff wanted lines)"
lines -r 2 --from "$calls" "$work/stencil2d"
same "--from the last one" 1 "$(wc -l <lines)"
lines -r 2 --from $((calls + 1)) "$work/stencil2d"
same "--from behind it: nothing, and no error" "0 0" "$? $(wc -l <lines)"
lines -r 0,2-3 --to 5 "$work/stencil2d"
same "--rank: a list" "0 2 3" "$(awk '{ print $2 }' lines | uniq | paste -sd ' ')"
lines -r 0-3:2 --to 5 "$work/stencil2d"
same "--rank: every other one" "0 2" "$(awk '{ print $2 }' lines | uniq | paste -sd ' ')"
lines -t 2 -r 1 --to 3 "$work/threads"
same "--thread" "1.2 3" "$(awk '{ print $2 }' lines | uniq) $(wc -l <lines)"
lines --paths -r 0 --to 1 "$work/recursion"
contains "--paths: up to main" "$(cat lines)" " main"
site=$(grep -n 'MPI_Cart_create(' "$root/tests/programs/stencil2d.c" | cut -d: -f1)
lines -r 0 --to 1 "$work/stencil2d"
same "the call site" "1 MPI_Cart_create stencil2d.c:$site main" "$(tr -s ' ' <lines | sed 's/^ //')"

full signature 2 --signature path,partner,size -- "$programs/stencil2d" 5 10
lines -r 0 signature
verdict "partner and bytes, where they are in the signature" \
    "$(grep -qE 'MPI_Isend .*\[[0-9]+ B, grid \([-+0-9, ]+\)\]' lines || head -n 5 lines)"

(set -o pipefail; timeout 20 "$tool" expand "$work/collectives" | head -n 2 >lines) 2>said
same "a reader that stops is no error" "0" "$?$(cat said)"
