# SPDX-License-Identifier: BSD-3-Clause
# Pieces that are missing, cut short, or of another rank.

cp -r "$work/left" fewer
rm fewer/pieces/1.0.efg
head -c 700 "$work"/left/pieces/3.0.efg >fewer/pieces/3.0.efg
cp "$work"/left/pieces/0.0.efg fewer/pieces/0.1.efg.new
: >fewer/pieces/other
"$tool" trace fewer >said 2>err
same "a piece is missing, one is cut short: trace" "0 fewer/run.efg" "$? $(cat said)"
has "a piece is missing" "fewer/run.efg is what 2 of 4 ranks had saved, " err
has "a piece is missing: which" "; nothing of rank 1, 3" err
has "a piece is cut short" "what thread 0 of rank 3 saved is left out: fewer/pieces/3.0.efg is cut short: 700 bytes" err
is_beginning "a piece is missing" fewer "$work/whole" 2
"$tool" report fewer >said 2>&1
has "a piece is missing: report" "Saved        by 2 of 4 ranks" said
cp "$work"/left/pieces/2.0.efg fewer/pieces/1.0.efg
"$tool" trace -o again fewer >said 2>err
has "a piece of another rank" "what thread 0 of rank 1 saved is left out: fewer/pieces/1.0.efg is of another rank" err
