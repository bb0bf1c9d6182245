# SPDX-License-Identifier: BSD-3-Clause
# Two hundred jobs of twenty kinds, without the plug-in and on a machine that wants a record of each: the same exit code
# and the same output, and a record of each MPI job. What is on standard error is shown in the table only: what MPI says of
# a peer that was killed depends on who dies first. Not among the cases that are run by default; prints a table.
# environment: EACH  how many jobs of each kind (default 10)

each=${EACH:-10}
compile threads spawn/spawn || exit 2

# kind|ranks|records|command; $i is the number of the job, 1 and above
kinds() {
    cat <<KINDS
a program|2|0|srun ls /
one that fails|2|0|srun ls /missing
a shell|2|0|srun sh -c 'echo out; echo err >&2; exit '\$((i % 7))
a pipeline|1|0|seq \${i}000 | sort -n | tail -n 3; seq 9 | grep -q x
Python without MPI|1|0|$python -c 'import sys; print(sum(range(100))); sys.exit(int(sys.argv[1]) % 5)' \$i
none at all|1|0|./missing
a signal|1|0|sh -c 'kill -TERM \$\$'
two nodes|4|1|srun -N 2 -n 4 $stencil 5\$i
one node|2|1|srun -n 2 $stencil 10\$i
a short one|2|1|srun -n 2 $stencil 1
one rank|1|1|srun -n 1 $stencil 20
a launcher|2|1|$MPIRUN -np 2 $stencil 50
threads|2|1|$MPIRUN -np 2 $programs/threads
exit without MPI_Finalize|2|1|srun -n 2 $programs/ending exit 50
MPI_Abort|3|1|srun -n 3 $programs/ending abort 50
killed|2|1|srun -n 2 $programs/ending exit 30000 & until_running; scancel -s KILL \$SLURM_JOB_ID.0; wait %1
ended by SIGTERM|2|1|srun -n 2 $programs/ending exit 30000 & until_running; scancel -s TERM \$SLURM_JOB_ID.0; wait %1
Python with MPI|2|1|srun -n 2 $python $root/tests/programs/ring.py 20
spawn|4|2|$MPIRUN -np 2 $programs/spawn 1 plain
three steps, then a failure|2|3|for n in 1 2 3; do srun -n 2 $stencil \${n}0; done; exit \$((i % 3))
KINDS
}

# What kills a job does so when both ranks are there, and have had time for MPI_Init.
cat >functions <<'SH'
until_running() {
    local pid there tries=300
    while [ $((tries -= 1)) -gt 0 ]; do
        there=0
        for pid in $(pgrep -x ending); do
            grep -qszx "SLURM_JOB_ID=$SLURM_JOB_ID" "/proc/$pid/environ" && there=$((there + 1))
        done
        [ $there -lt 2 ] || break
        sleep 0.2
    done
    sleep 4
}
SH

# run_all FOLDER: each in FOLDER/NUMBER: out, err, code; array jobs, so that one command makes all of a kind
run_all() {
    local folder=$1 kind ranks count command number=0
    mkdir -p "$folder"
    while IFS='|' read -r kind ranks count command; do
        number=$((number + 1))
        cat >"$folder/$number.sh" <<JOB
#!/bin/bash
export PROGRAMS=$programs
. $PWD/functions
i=\$SLURM_ARRAY_TASK_ID
to=$PWD/$folder/$number.\$i
export LOGNAME=job$number.\$i
unset SLURM_ARRAY_TASK_ID
body() {
$command
}
mkdir \$to && cd \$to
(body) >out 2>err
echo \$? >code
JOB
        # on one node, where all ranks are killed at once
        sbatch --parsable -n "$ranks" -N $([ "$kind" = "two nodes" ] && echo 2 || echo 1) --array="1-$each" -o /dev/null \
            "$folder/$number.sh" >/dev/null
    done < <(kinds)
    until_true 3000 sh -c '[ -z "$(squeue -h -o %i)" ]'
}

# Without what differs from run to run: numbers of jobs, steps and processes, the order of lines, and times.
told() {
    sed -E -e '/^(srun|slurmstepd|scancel)/d' -e '/^\[?[a-z0-9-]+[]:][0-9]*\]? \*\*\*/d' -e 's/[0-9]{3,}/N/g' \
        -e 's/spool\.(one|two)/spool/' "$@" | sort
}

echo >"$work/plugstack.conf"
began=$(date +%s)
run_all bare
middle=$(date +%s)
make_spool
plugged site=on spool="$spool"
run_all site
ended=$(date +%s)

echo "| kind of job | jobs | same exit code | same output | same errors | records of MPI jobs | largest record, kB |"
echo "|---|---:|---:|---:|---:|---:|---:|"
number=0
while IFS='|' read -r kind ranks count command; do
    number=$((number + 1)) codes=0 outs=0 errs=0 found=0 largest=0
    for ((i = 1; i <= each; i++)); do
        a=bare/$number.$i b=site/$number.$i
        cmp -s "$a/code" "$b/code" && codes=$((codes + 1))
        [ "$(told "$a/out")" = "$(told "$b/out")" ] && outs=$((outs + 1))
        [ "$(told "$a/err")" = "$(told "$b/err")" ] && errs=$((errs + 1))
        [ "$(find "$spool/job$number.$i" -name run.efg 2>/dev/null | wc -l)" = "$count" ] && found=$((found + count))
    done
    for record in $(find "$spool" -path "*/job$number.*" -name run.efg -printf '%h\n' 2>/dev/null); do
        size=$(cat "$record"/* | wc -c)
        [ "$size" -le $largest ] || largest=$size
        "$tool" report "$record" >report 2>&1 || verdict "$kind: a record can be read" "$(tail -n 1 report)"
    done
    echo "| $kind | $each | $codes | $outs | $errs | $found of $((each * count)) | $(((largest + 512) / 1024)) |"
    same "$kind: exit codes, outputs, records" "$each $each $((each * count))" "$codes $outs $found"
    verdict "$kind: nothing is said" "$(grep -l efgtrace: site/"$number".*/err | head -n 2)"
    [ "$largest" -le 65536 ] || verdict "$kind: a record is small" "$largest bytes"
done < <(kinds) | tee said
while read -r word rest; do case $word in ok) passed=$((passed + 1)) ;; FAIL) failed=$((failed + 1)) ;; esac; done <said
echo "note all without: $((middle - began)) s, with: $((ended - middle)) s"
[ -z "${KEEP:-}" ] || cp -r bare site spool "$KEEP"
plugged
