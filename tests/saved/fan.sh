# SPDX-License-Identifier: BSD-3-Clause
# Files of many ranks are in folders of some ranks each: here, of two. A job that ends leaves none of them; of one that
# is killed they are found there.

export EFG_TEST_FAN=2
begin fan "pieces/0/0.0.efg pieces/0/1.0.efg pieces/2/2.0.efg pieces/2/3.0.efg logs/2/3.0.log" -- "${stencil[@]}"
find_ranks
kill -KILL "${children[1]}"
finished
same "fan: the folders" "logs/0 logs/2 pieces/0 pieces/2" "$(cd fan && ls -d logs/* pieces/* | xargs)"
unset EFG_TEST_FAN
"$tool" report fan >said 2>&1
has "fan: report says what to do" '`efgtrace trace fan` writes what it has traced and saved' said
"$tool" trace fan >said 2>err
same "fan: trace" "0 fan/run.efg fan/traces.otf2" "$? $(xargs <said)"
has "fan: of all ranks" "fan/run.efg is what 4 of 4 ranks had saved, " err
is_beginning "fan" fan "$work/whole" 3
EFG_TEST_FAN=2 ranks 4 "$tool" run -m full --save 20ms --interval 20ms --summary off -o ended "$programs/stencil2d" 200 100 >out 2>err
same "fan: a job that ends" "0 run.efg summary.txt traces traces.def traces.otf2" "$? $(ls ended | xargs)"
