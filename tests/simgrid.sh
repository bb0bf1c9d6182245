#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# efgtrace export -f simgrid: the whole run as messages, from its order and the recorded iterations. By pair of ranks
# they are those that were counted while the run went on (simgrid.py). SimGrid replays them to the end, and on a
# platform like the machine that takes as long. And what is refused.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/simgrid.sh        environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
compile stencil2d persistent nested_solver sendrecv_self master_worker comms collectives coupled waitany sends \
    polling alternating || exit 2
cd "$work" || exit 2

# written NAME: the run NAME as the trace NAME.sim
written() {
    "$tool" export -f simgrid -o "$1.sim" "$1" >"$1.said" 2>&1
    verdict "$1: it is written" "$([ $? = 0 ] || cat "$1.said")"
}

# replayed NAME [PERCENT]: to the end, and takes as long as the run but for so much, if the ranks had their processors
replayed() {
    command -v smpirun >/dev/null || return
    (cd "$1.sim" && timeout $patience smpirun -np "$(wc -l <hosts)" -platform platform.xml -hostfile hosts -replay trace) \
        >"$1.replay" 2>&1
    verdict "$1: it is replayed" "$([ $? = 0 ] && grep -q 'Simulation time' "$1.replay" || tail -n 3 "$1.replay")"
    [ $# = 1 ] || grep -q "had no processor" "$1.said" || verdict "$1: it takes as long as the run, within $2%" "$(
        sed -n 's/.* run took \(.*\) s$/run \1/p' "$1.said" | cat - "$1.replay" | awk -v most="$2" '
            $1 == "run" { run = $2 }
            /Simulation time/ { replay = $NF }
            END { if (run <= 0 || (replay - run) ^ 2 > (run * most / 100) ^ 2) print replay " s instead of " run }')"
}

command -v smpirun >/dev/null || skip "replays" "there is no smpirun: package libsimgrid-dev"

# --- ten recorded iterations, and all the others ---

windowed stencil2d -- "$programs/stencil2d" 1000 300
in_full && windowed persistent -- "$programs/persistent" 1000 300
in_full && windowed nested_solver -- "$programs/nested_solver" 400 300
in_full && windowed sendrecv_self -- "$programs/sendrecv_self" 1000 300
for name in stencil2d $(in_full && echo persistent nested_solver sendrecv_self); do
    written $name
    agrees "$name: who sends what to whom" simgrid.py $name $name.sim exact
    replayed $name
done

# Who is first is a matter of timing: as many messages, but another order. Ten iterations do not always say whose they are.
in_full && windowed waitany --iterations 40 -- "$programs/waitany" 1000 300
windowed polling --iterations 40 -- "$programs/polling" 500 300
for name in $(in_full && echo waitany) polling; do
    written $name
    agrees "$name: all messages have both ends" simgrid.py $name $name.sim
    replayed $name
done

# Collectives of some ranks are messages, too; two halves have each their own loop.
in_full && windowed comms -- "$programs/comms" 200 300
windowed collectives -- "$programs/collectives" 200 300
in_full && windowed coupled -- "$programs/coupled" 500 300
for name in $(in_full && echo comms coupled) collectives; do
    written $name
    agrees "$name: all messages have both ends" simgrid.py $name $name.sim
    replayed $name
done

# --- time: two ranks take turns to be the slow one ---

ranks 2 "$tool" run -o turns "$programs/alternating" 200 10000 >out 2>err
written turns
replayed turns 10
# On a machine that is twice as fast, half of that.
if command -v smpirun >/dev/null; then
    cp -r turns.sim twice.sim
    sed -i 's/speed="1Gf"/speed="2Gf"/' twice.sim/platform.xml
    replayed twice
    verdict "twice as fast: half the time, within 2%" "$(cat turns.replay twice.replay | awk '
        /Simulation time/ { time[++n] = $NF }
        END { if (n != 2 || (time[2] / time[1] - 0.5) ^ 2 > 0.01 ^ 2) print time[1] " s, " time[2] " s" }')"
fi

if in_full; then
    # --- all of it ---

    traced sends --mode full -- "$programs/sends" 20 300
    traced full --mode full -- "$programs/stencil2d" 50 300
    for name in sends full; do
        written $name
        replayed $name
    done
    agrees "full: who sends what to whom" simgrid.py full full.sim exact
    agrees "sends: all messages have both ends" simgrid.py sends sends.sim
fi

# --- what is refused ---

# refused NAME WORDS ARGUMENT...: it says why not, on one line, and leaves nothing
refused() {
    local name=$1 words=$2
    shift 2
    rm -rf no.sim
    "$tool" export -f simgrid "$@" >out 2>err
    same "$name: exit code" "${code:-1}" $?
    has "$name: the reason" "$words" err
    verdict "$name: nothing is left" "$([ -e no.sim ] && ls no.sim)"
}

code=2 refused "no folder" "wants a folder" stencil2d
refused "a folder that exists" "cannot make the folder stencil2d" -o stencil2d stencil2d
traced graph --mode graph -- "$programs/stencil2d" 100 300
refused "nothing recorded" "there is no trace" -o no.sim graph
if in_full; then
    windowed unordered --sequence off -- "$programs/stencil2d" 1000 300
    refused "no order" "order of the calls" -o no.sim unordered
    ranks 2 sh -c "[ \$OMPI_COMM_WORLD_RANK\$PMI_RANK = 0 ] || export EFGTRACE_MODE=off
        exec \"$tool\" run -o half \"$programs/stencil2d\" 500 300" >out 2>err
    refused "half of the ranks" "needs all ranks" -o no.sim half

    # What was recorded may not say who comes when: of a master that hears any worker, of one kind of send of many. Then
    # that is said, or it can be replayed all the same.
    windowed master_worker -- "$programs/master_worker" 500 300
    windowed apart --level finer --iterations 3 -- "$programs/sends" 300 300
    for name in master_worker apart; do
        if "$tool" export -f simgrid -o $name.sim $name >$name.said 2>&1; then
            agrees "$name: all messages have both ends" simgrid.py $name $name.sim
            replayed $name
        else
            has "$name: what to do" "Record more iterations" $name.said
            verdict "$name: nothing is left" "$([ -e $name.sim ] && ls $name.sim)"
        fi
    done
fi
finish
