# SPDX-License-Identifier: BSD-3-Clause
# A job in whose folder links are put while it runs.

# planted NAME TARGET...: a job whose folder gets such links
planted() {
    rm -rf plants plants.aside && renew
    ranks 2 "$tool" run -m full --save 5ms --summary off -o plants "$work/planter" plants "$@" >out 2>err
    same "links planted at $1: the job ends as ever" "0 ok" "$? $(cat out)"
    not_followed "links planted at $1"
}
for name in traces logs pieces .; do
    planted $name "$PWD/theirs"
done
planted traces.part "$PWD/theirs/traces.part"
planted summary.txt "$PWD/theirs/summary.txt" run.efg "$PWD/theirs/run.efg" \
    run.efg.new "$PWD/theirs/run.efg.new"
same "a link in place of run.efg: there is a file now" "regular file" "$(stat -c %F plants/run.efg)"
planted traces.otf2 "$PWD/theirs/traces.otf2" traces.def "$PWD/theirs/traces.def"
verdict "links in place of the trace: there are files now" "$(unreadable plants/traces.otf2)"
