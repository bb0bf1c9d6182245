# SPDX-License-Identifier: BSD-3-Clause
# Logs and pieces on the node while the job runs (local = DIR): what is kept is moved at the end, and of a killed job it
# is found there.

mkdir near
short=("$programs/stencil2d" 200 100)

# ran DIR OPTION... [-- COMMAND...]: a job of 4 ranks that ends; its exit code to $code
ran() {
    local dir=$1
    shift
    ranks 4 "$tool" run -m full --interval 20ms --save 20ms --summary off --local near -o "$dir" "$@" >out 2>err
    code=$?
}

# as_without NAME: exit code and output are those of the bare program, and nothing is left on the node
as_without() {
    same "$1: exit code and output" "0 ok stencil2d: 200 steps" "$code $(cat out)"
    same "$1: nothing is left on the node" "" "$(ls near)"
}

# --- a job that ends ---

ran ended "${short[@]}"
as_without "local"
same "local: nothing is said" "" "$(cat err)"
same "local: the folder" "run.efg summary.txt traces traces.def traces.otf2" "$(ls ended | xargs)"
accepted "local" ended/traces.otf2

if in_full; then
    EFG_TEST_FAN=2 ran kept --keep-logs "${short[@]}"
    as_without "local, logs kept"
    same "local, logs kept: they are moved" "kept/logs/0/0.0.log kept/logs/0/1.0.log kept/logs/2/2.0.log kept/logs/2/3.0.log" \
        "$(ls kept/logs/*/* | xargs)"
    "$tool" trace -o again kept >said 2>err
    same "local, logs kept: a second trace" "0 again/traces.otf2" "$? $(cat said)"

    for part in one other; do # two jobs of one name at a time
        mkdir $part
        (cd $part && ranks 4 "$tool" run -m full --summary off --local "$work/local/near" -o same "${short[@]}" >out 2>&1) &
    done
    wait
    same "local, two jobs of one name" "200 steps 200 steps" "$(cat one/out other/out | sed 's/.*: //' | xargs)"
    same "local, two jobs of one name: both traces" 2 "$(ls -d one/same/traces.otf2 other/same/traces.otf2 | wc -l)"
    same "local, two jobs of one name: nothing is left on the node" "" "$(ls near)"

    ranks 1 "$tool" run -m graph --save 1h --summary off --local near -o exit "$programs/ending" exit 100 >out 2>err
    same "local, without MPI_Finalize: the piece is moved" "exit/pieces/0.0.efg" "$(ls exit/pieces/*)"
    same "local, without MPI_Finalize: nothing is left on the node" "" "$(ls near)"
    terminate term --local near
    finished
    same "local, SIGTERM: the piece is moved" "term/pieces/0.0.efg" "$(ls term/pieces/*)"
    same "local, SIGTERM: nothing is left on the node" "" "$(ls near)"
fi

# --- where it cannot be ---

if in_full; then
    ran missing --local nowhere "${short[@]}"
    as_without "local, no such folder"
    has "local, no such folder: it is said" "local = nowhere: cannot be used on host $(hostname): No such file or directory" err
    same "local, no such folder: once" 1 "$(wc -l <err)"
    accepted "local, no such folder" missing/traces.otf2
    ran refused --local /sys "${short[@]}"
    as_without "local, no permission"
    has "local, no permission: it is said" "local = /sys: cannot be used on host" err
fi
mkdir small
small=$PWD/small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=3m none "$small" 2>/dev/null; then
    ran full --local small "${short[@]}"
    as_without "local, no space"
    has "local, no space: it is said" "local = small: cannot be used on host $(hostname): No space left on device" err

    if in_full; then
        # It fills while the job runs: logs of 3 MB each would find 5 MB for all four.
        mount -o remount,size=5m "$small"
        begin filled "local" -m full --local small -- "${stencil[@]}"
        for ((i = 0; i < 300; i++)); do
            ls "$small"/filled-*/logs/{0,1,2,3}.0.log >found 2>&1 && break
            sleep 0.1
        done
        cat /dev/zero >"$small/filler" 2>/dev/null
        wait "$job"
        same "local, filled: exit code and output" "0 ok stencil2d: 4000 steps" "$? $(cat out)"
        job=
        same "local, filled: each rank says it" 4 \
            "$(grep -c "thread 0: the log ended early: No space left on device (EFGTRACE_LOCAL)" err)"
        same "local, filled: nothing is left on the node" filler "$(ls "$small")"
        verdict "local, filled: otf2-print accepts what there is" "$(unreadable filled/traces.otf2)"
        same "local, filled: the graph is whole" "$(count_calls "$work/whole" 0)" "$(count_calls filled 0)"
        rm -f "$small/filler"
    fi
    umount "$small"
else
    skip "local, no space" "only root can mount a small file system, and not everywhere"
fi

# --- a job that is killed ---

begin killed "local" --local near -- "${stencil[@]}"
for ((i = 0; i < 300; i++)); do
    ls near/killed-*/pieces/{0,1,2,3}.0.efg >found 2>&1 && break
    sleep 0.1
done
same "local: nothing is in the folder meanwhile" "" "$(ls killed/logs killed/pieces | grep '[0-9]')"
find_ranks
kill -KILL "${children[@]}" "$job"
finished
cp -r killed copy
"$tool" report copy >said 2>&1
has "local, killed: report says what to do" '`efgtrace trace copy` writes what it has traced and saved' said
"$tool" trace copy >said 2>err
same "local, killed: trace" "0 copy/run.efg copy/traces.otf2" "$? $(xargs <said)"
has "local, killed: of all ranks" "copy/run.efg is what 4 of 4 ranks had saved, " err
is_beginning "local, killed" copy "$work/whole" 3

# On a host that is not seen from here: what the tool says to type there, is typed.
sed -i "s/^$(hostname) /another /" killed/local
mv near/killed-* far
"$tool" report killed >said 2>&1
has "local, not seen: report" '`efgtrace trace killed` says where what it has saved is' said
"$tool" trace killed >said 2>err
same "local, not seen: trace fails" 1 $?
has "local, not seen: it is said where" "what host another has of the job is not seen from here; there, type: cp -rn " err
order=$(sed -n 's/.*there, type: //p' err)
cp -rn far/logs far/pieces "${order##* }"
"$tool" trace killed >said 2>err
same "local, copied: trace" "0 killed/run.efg killed/traces.otf2" "$? $(xargs <said)"
has "local, copied: of all ranks" "killed/run.efg is what 4 of 4 ranks had saved, " err

# --- what cannot be moved ---

if in_full; then
    begin stuck "local" --local near --keep-logs -- "$programs/stencil2d" 2000 500
    rm -rf stuck/logs
    finished
    same "local, not moved: the job ends well" "ok stencil2d: 2000 steps" "$(cat out)"
    same "local, not moved: each rank says it" 4 \
        "$(grep -c "1 file cannot be moved to the folder of the output: No such file or directory; it stays on host" err)"
    same "local, not moved: the logs are there" 4 "$(ls "$(sed -n 's/^[^ ]* //p; /^efgtrace/d' stuck/local | tail -n 1)"/logs | wc -l)"
    "$tool" trace -o third stuck >said 2>err
    same "local, not moved: they are found" "0 third/traces.otf2" "$? $(cat said)"
fi
