# SPDX-License-Identifier: BSD-3-Clause
# efgtrace pack, which codes the order anew.

traces shuffled
cp -r "$work/shuffled" .

mkdir other && cp shuffled/run.efg other/kept.efg
"$tool" expand shuffled | cksum >before
"$tool" report --all shuffled >report
size=$(stat -c %s shuffled/run.efg)
"$tool" pack shuffled >said 2>&1
same "pack: exit code" 0 $?
verdict "pack: two thirds of the size at most" \
    "$([ "$(stat -c %s shuffled/run.efg)" -lt $((2 * size / 3)) ] || echo "$size bytes before: $(cat said)")"
same "pack: the same calls" "$(cat before)" "$("$tool" expand shuffled | cksum)"
same "pack: the same report" "" "$("$tool" report --all shuffled | diff report - | head -n 4)"
contains "pack: once is enough" "$("$tool" pack shuffled 2>&1)" "as small as it gets"
verdict "pack: nothing is left beside it" "$(ls shuffled | grep 'run.efg.')"
"$tool" pack other/kept.efg >said 2>&1
same "pack, a file by its name: exit code, and what is there then" "0 kept.efg" "$? $(ls other)"
verdict "pack, a file by its name: as that of the folder" "$(cmp other/kept.efg shuffled/run.efg 2>&1)"
