# SPDX-License-Identifier: BSD-3-Clause
# SIGTERM in programs that handle it, or ask how it is handled.

for how in handled ignored child; do
    ranks 2 "$programs/term" $how >wanted 2>/dev/null
    bare=$?
    ranks 2 "$tool" run -m graph --save 1h --summary off -o term.$how "$programs/term" $how >out 2>err
    code=$?
    same "SIGTERM, $how: as without" "$bare $(cat wanted)" "$code $(cat out)"
done
for save in 0 1h; do
    ranks 2 "$tool" run -m graph --save $save --summary off -o asked.$save "$programs/term" asked >out 2>err
    same "SIGTERM, save $save" "there $([ $save = 0 ] && echo default || echo handled)" "$(xargs <out)"
done
