#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two hosts on one machine: network namespaces that only TCP joins, with host names of their own and
# time namespaces whose CLOCK_MONOTONIC are hundreds of seconds apart. mpirun enters them through
# its launch agent, as it would enter real ones through ssh. Traced there: the same iterations on
# both, every message matched, and none received before it was sent.
#
# usage: tests/hosts.sh [CASE...]     the cases: tests/hosts
# environment: that of frame.sh
# Needs root, and says what else is missing. All that it makes carries its process id in the name,
# and is gone when it ends.
. "$(dirname "$0")/frame.sh"
sources=$root/tests/programs
name=efg$$
network=10.213.7
job= near=

# --- the hosts ---

# remove NAME: the namespaces NAME, NAMEa and NAMEb, all that runs in them, and so their network
remove() {
    for space in "$1a" "$1b" "$1"; do
        [ -e "/run/netns/$space" ] || continue
        ip netns pids "$space" 2>/dev/null | xargs -r kill -KILL 2>/dev/null
        ip netns delete "$space"
    done
}

clean_up() {
    trap '' INT TERM HUP
    [ -n "$job" ] && kill "$job" 2>/dev/null && wait "$job" 2>/dev/null
    remove $name
    rm -rf "$work"
}

# What an earlier run left that was killed in a way that it could not see.
sweep() {
    for space in /run/netns/efg[0-9]*; do
        old=$(basename "$space" | sed -n 's/^efg\([0-9]*\)[ab]*$/\1/p')
        [ -n "$old" ] && ! kill -0 "$old" 2>/dev/null || continue
        remove "efg$old"
        rm -rf "${TMPDIR:-/tmp}/efgtrace-hosts.$old."??????
    done
}

# host a|b ADDRESS: a namespace with a cable to the switch, which is in the launcher's
host() {
    ip netns add "$name$1" &&
        ip -n $name link add "to_$1" type veth peer name eth0 netns "$name$1" &&
        ip -n $name link set "to_$1" master switch up &&
        ip -n "$name$1" address add "$network.$2/24" dev eth0 &&
        ip -n "$name$1" link set eth0 up &&
        ip -n "$name$1" link set lo up
}

make_hosts() {
    ip netns add $name &&
        ip -n $name link add switch type bridge &&
        ip -n $name address add "$network.1/24" dev switch &&
        ip -n $name link set switch up &&
        ip -n $name link set lo up &&
        host a 2 && host b 3
}

# What mpirun calls instead of ssh: AGENT HOST COMMAND...
make_agent() {
    cat >"$work/agent" <<'END'
#!/bin/sh
host=$1
shift
case $host in *a) ahead=300 ;; *) ahead=900 ;; esac # seconds
exec ip netns exec "$host" unshare --uts --time --monotonic $ahead --fork --kill-child \
    sh -c 'hostname "$1" && shift && eval "exec $*"' agent "$host" "$@"
END
    chmod +x "$work/agent"
}

why_not() {
    [ "$(id -u)" = 0 ] || { echo "only root may make network namespaces"; return; }
    for command in ip unshare hostname mpirun mpicc; do
        command -v $command >/dev/null || { echo "there is no $command here"; return; }
    done
    case $mpi,$(mpirun --version 2>&1) in "Open MPI,"*"Open MPI) 4"*) ;; *) echo "this is not for Open MPI 4"; return ;; esac
    unshare --uts --time --monotonic 300 --fork true 2>/dev/null ||
        { echo "this kernel does not give out time namespaces"; return; }
    make_hosts >"$work/network" 2>&1 || echo "no network namespaces: $(head -n 1 "$work/network")"
}

# --- runs ---

# across COMMAND...: four ranks, two on each host, nothing but TCP between them
across() {
    timeout 90 ip netns exec $name mpirun --mca plm rsh --mca plm_rsh_agent "$work/agent" \
        --mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_if_include $network.0/24 \
        --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include $network.0/24 \
        --mca mpi_yield_when_idle 1 --bind-to none --host ${name}a:2,${name}b:2 -np 4 \
        -x EFGTRACE_KEEP_LOGS=1 "$@" >"$work/out" 2>"$work/err" </dev/null &
    job=$!
    wait $job
    code=$?
    job=
    return $code
}

# The checker, and that no message is early; in mode full, in which messages do not correct clocks, by no more than
# these may be wrong, as the summary says, and nothing else is wrong with messages.
check_trace() { # WHAT MODE TRACE ARGUMENTS...
    what=$1 mode=$2 trace=$3
    shift 3
    found=$(faults "$trace" "$@" | head -n 3)
    clocks=$(grep -A 2 '^Clocks' "$(dirname "$trace")/summary.txt" | xargs)
    why=$(grep -v 'clock violations 0,' "$work/checked" | grep messages)
    if [ "$mode" = full ] && is_within "$(clock_error "$(dirname "$trace")")"; then
        why= found=$(echo "$found" | grep -v '^FAIL messages ')
    fi
    verdict "$what: the trace is right, all messages matched" "$found"
    verdict "$what: no message is received before it is sent" "${why:+$why; $clocks}"
}

# is_within NS: messages of the trace that was checked are early by so much at most, and that is all
is_within() {
    early=$(sed -n 's/.*clock violations \([0-9]*\), worst ns \([0-9]*\) | faults \1,.*/\2/p' "$work/checked")
    [ -n "$early" ] && [ "$early" -le "$1" ]
}

# Both hosts, and two ranks on each.
wrong_places() {
    print_trace -G "$1/traces.otf2" >"$work/places" 2>&1
    for letter in a b; do
        grep -q "^SYSTEM_TREE_NODE.*Name: \"$name$letter\".*Class: \"node\"" "$work/places" ||
            echo "no host $name$letter in the system tree"
    done
    [ "$(grep -c '^SYSTEM_TREE_NODE.*Class: "node"' "$work/places")" = 2 ] || echo "not 2 nodes"
    [ "$(grep -c '^LOCATION_GROUP' "$work/places")" = 4 ] || echo "not 4 ranks"
    "$tool" report "$1" >"$work/report"
    grep -q "4 ranks on 2 hosts" "$work/report" || echo "the summary does not say \"4 ranks on 2 hosts\""
    grep -q "^host *${name}a: rank 0 to 1" "$work/report" || echo "ranks 0 and 1 are not on ${name}a"
}

# The clocks are one clock, set 600 s apart: what the logs say of it against the truth. Where ranks wait for a processor
# meanwhile it may be wrong by more than 1 ms, but not by more than the summary says.
wrong_clocks() { # DIR
    "$python" - "$1/logs" "$(clock_error "$1")" <<'END'
import struct, sys
def syncs(rank):
    with open(f'{sys.argv[1]}/{rank}.0.log', 'rb') as log:
        return struct.unpack('<4Q', log.read(72)[40:])
ranks = [syncs(i) for i in range(4)]
if ranks[0] != ranks[1] or ranks[2] != ranks[3]:
    print('ranks of a host differ')
for at in (0, 2):
    offset = (ranks[2][at] - ranks[2][at + 1]) - (ranks[0][at] - ranks[0][at + 1])
    error = offset - 600 * 10**9
    print(f'note: {"end" if at else "start"}: offset wrong by {error / 1e3:.1f} us', file=sys.stderr)
    if abs(error) > max(10**6, int(sys.argv[2] or 0)):
        print(f'the offset is {offset} ns instead of 600 s')
END
}

# --- tests ---

# is_contradictory DIR: clocks were compared too badly, as on a machine that is busy, for one correction to fit all
# messages; and the summary says so
is_contradictory() {
    grep -q ': contradictory, [1-9][0-9]* left' "$1/summary.txt" 2>/dev/null
}

test_program() { # PROGRAM MODE CHECKS...
    program=$1 mode=$2
    shift 2
    what="$program, $mode"
    dir=$work/$program.$mode
    for _ in 1 2 3; do
        rm -rf "$dir"
        across "$tool" run -m "$mode" -o "$dir" ${near:+--local "$near"} "$work/$program"
        code=$?
        is_contradictory "$dir" || break
    done
    [ $code -eq 0 ] && grep -q "^ok $program" "$work/out" && why= || why="exit code $code: $(tail -n 3 "$work/err")"
    verdict "$what: runs" "$why"
    [ -f "$dir/traces.otf2" ] && why= || why=$(tail -n 3 "$work/err")
    verdict "$what: a trace was made" "$why"
    [ -f "$dir/traces.otf2" ] || return
    check_trace "$what" "$mode" "$dir/traces.otf2" --min-matched 1.0 "$@"
    verdict "$what: both hosts, two ranks on each" "$(wrong_places "$dir")"
    [ -z "$near" ] || same "$what: nothing is said, and nothing is left on the hosts" " " "$(grep local "$work/err") $(ls "$near")"
    [ -d "$dir/logs" ] && verdict "$what: the clocks' offset" "$(wrong_clocks "$dir")"
}

# test_half a|b UNTRACED: only that host has the library; UNTRACED: the ranks of the other one
test_half() {
    what="only host $1 has the library"
    dir=$work/only_$1
    across sh -c 'case $(hostname) in *$0) exec "$1" run -o "$2" "$3" ;; *) exec "$3" ;; esac' \
        "$1" "$tool" "$dir" "$work/stencil2d"
    same "$what: exit code and output" "0 1" "$? $(grep -c "^ok stencil2d" "$work/out")"
    has "$what: the summary says it" "2 of 4 ranks ran without efgtrace: rank $2" "$dir/summary.txt"
    has "$what: the others have the same iterations" "the same iterations on all 2 ranks" "$dir/summary.txt"
    verdict "$what: otf2-print accepts the trace" "$(unreadable "$dir/traces.otf2")"
}

sweep
reason=$(why_not)
if [ -n "$reason" ]; then
    skip "two hosts on one machine" "$reason"
    finish
fi
make_agent
for program in stencil2d pingpong; do
    mpicc -g -O1 "$sources/$program.c" -o "$work/$program" -lm || exit 2
done
cases "$@"
finish
