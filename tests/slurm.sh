#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Slurm, for real: its controller and two nodes, all on this host, with the plug-in libefgtrace-spank.so. All that they
# keep is in a folder that goes with the script; they end when it ends, also if it is killed.
#
#   tests/slurm.sh [CASE...]    default: all of tests/slurm/ but the campaign; environment: that of frame.sh
#   tests/slurm.sh campaign     200 mixed jobs, without the plug-in and with a record of each: a table
#
# It is left out where Slurm is not installed (`config/setup.sh slurm` does it) or does not start.

. "$(dirname "$0")/frame.sh"
export SLURM_CONF=$work/slurm.conf
daemons=
plugin=$build/libefgtrace-spank.so

# --- the cluster ---

# One that belongs to the cluster has been started with its configuration.
processes() {
    local environment
    for environment in $(grep -lszF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ 2>/dev/null); do
        environment=${environment#/proc/}
        [ "${environment%/environ}" = $$ ] || echo "${environment%/environ}"
    done
}
clean_up() {
    trap '' PIPE HUP INT TERM
    cd /
    # shellcheck disable=SC2046,SC2086 # words; the second time: what they had just started
    for _ in 1 2; do kill -KILL $daemons $(processes); done 2>/dev/null
    wait 2>/dev/null
    rm -rf "$work"
}
left_out() {
    skip slurm "$1"
    finish
}

# daemon NAME COMMAND...: it is killed when this script is, however that is
daemon() {
    local name=$1
    shift
    setpriv --pdeathsig KILL "$@" >"$work/$name.out" 2>&1 </dev/null &
    daemons="$daemons $!"
    eval "pid_of_$name=$!"
}

# as_node NAME: the one of this name, of two
as_node() {
    daemon "$1" slurmd -D -N "$1"
}

write_configuration() {
    local host user first=$((20000 + $$ % 9000))
    host=$(hostname) user=$(id -un)
    cat >"$SLURM_CONF" <<END2
ClusterName=efgtrace
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$first
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
TmpFS=$work/tmp.%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.%n.log
PlugStackConfig=$work/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
MpiDefault=$([ "$mpi" = MPICH ] && echo pmi2 || echo pmix)
ReturnToService=2
KillWait=5
SlurmdTimeout=10
SlurmdParameters=config_overrides
MaxJobCount=1000
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=$((first + 1)) CPUs=8
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=$((first + 2)) CPUs=8
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END2
}

# plugged [ARGUMENT...]: the plug-in, from here on, with these arguments
plugged() {
    echo "optional $plugin $*" >"$work/plugstack.conf"
}

# until_true SECONDS COMMAND...
until_true() {
    local i tries=$(($1 * 5))
    shift
    for ((i = 0; i < tries; i++)); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.2
    done
    return 1
}
idle() {
    [ "$(sinfo -h -N -o %t | sort -u)" = idle ]
}

for command in slurmctld slurmd munged srun setpriv; do
    command -v $command >/dev/null || left_out "there is no $command; on Debian: config/setup.sh slurm"
done
[ -f "$plugin" ] || left_out "the plug-in is not built: there was no slurm/spank.h"
mkdir "$work/state" "$work/tmp.one" "$work/tmp.two"
(umask 077 && head -c 128 /dev/urandom >"$work/munge.key")
write_configuration
plugged
daemon munged munged -F --force --socket="$work/munge.socket" --key-file="$work/munge.key" \
    --pid-file="$work/munge.pid" --log-file="$work/munge.log" --seed-file="$work/munge.seed"
until_true 10 test -S "$work/munge.socket" || left_out "munge does not start: $(tail -n 1 "$work/munged.out")"
daemon slurmctld slurmctld -D -i
as_node one
as_node two
until_true 60 idle || left_out "Slurm does not start: $(cat "$work"/{slurmctld,one,two}.out | tail -n 1)"

# --- jobs ---

compile stencil2d life/ending life/term || exit 2
stencil=$programs/stencil2d
export TZ=UTC LOGNAME=anna
export OMPI_MCA_mpi_yield_when_idle=1 # srun does not say that there are fewer cores than ranks
# The nodes share /dev/shm, where each expects files of its own.
export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo

# step ARGUMENT...: of srun; to out, err, $code
step() {
    timeout -k 5 120 srun "$@" >out 2>err </dev/null
    code=$?
    sed -i '/^srun: job [0-9]* \(queued\|has been allocated\)/d' err # while others still have the processors
}

# batch ARGUMENT...: of sbatch, the script is on standard input; returns when the job is over; to job, $code, and its
# output to out
batch() {
    timeout -k 5 120 sbatch -W -o out --parsable "$@" >job 2>err
    code=$?
}

# records: the folders of them in $spool
records() {
    find "$spool" -mindepth 6 -name run.efg -printf '%h\n' 2>/dev/null | sort
}
make_spool() {
    spool=$PWD/spool
    install -d -m 1777 "$spool"
}

[ $# -gt 0 ] || set -- option site jobs ends
cases "$@"
finish
