# SPDX-License-Identifier: BSD-3-Clause
# Kinds of jobs: arrays, heterogeneous ones, those that run once more. Each has its own folder.

batch --array=1-3 -n 2 -o array.%a --efgtrace=mode=graph <<JOB
#!/bin/sh
srun -n 2 $stencil 10\$SLURM_ARRAY_TASK_ID
JOB
same "an array: exit code and output" "0 ok stencil2d: 101 steps ok stencil2d: 102 steps ok stencil2d: 103 steps" \
    "$code $(cat array.? | grep ^ok | xargs)"
same "an array: a folder for each" "101 102 103" \
    "$(grep -ho '10[123] iterations' efgtrace.stencil2d.*/summary.txt | sort -u | cut -d' ' -f1 | xargs)"
rm -rf efgtrace.*

# Two programs in one MPI_COMM_WORLD, where Slurm gives them one; bare first.
heterogeneous() {
    step "$@" -n 1 "$stencil" 100 : "$@" -n 1 "$stencil" 100
}
heterogeneous
bare="$code $(sort out)"
heterogeneous --efgtrace=output=two,summary=off
same "heterogeneous: as bare" "$bare" "$code $(sort out)"
ranks=$(cat two*/summary.txt | sed -n 's/.* stencil2d, \([0-9]*\) rank.*/\1/p' | paste -sd+ | bc)
same "heterogeneous: both are traced" 2 "${ranks:-0}"

# Requeued: it begins anew, in a folder of its own.
cat >again.sh <<JOB
#!/bin/sh
[ "\${SLURM_RESTART_COUNT:-0}" = 0 ] && steps=200000 || steps=100
srun -n 2 $stencil \$steps
JOB
sbatch --requeue -n 2 -o again.out --open-mode=append --parsable --efgtrace=save=200ms,summary=off again.sh >job
until_true 60 sh -c 'ls efgtrace.stencil2d.*/pieces/*.efg' || verdict "requeue" "nothing was saved: $(cat again.out)"
scontrol requeue "$(cat job)"
is_again() { # Slurm would wait for two minutes
    scontrol update "JobId=$(cat job)" StartTime=now
    grep -q '^ok' again.out
}
until_true 90 is_again
has "requeue: the second run ends" "ok stencil2d: 100 steps" again.out
same "requeue: two folders" 2 "$(ls -d efgtrace.stencil2d.* | wc -l)"
verdict "requeue: the first one can be read" "$(for folder in efgtrace.stencil2d.*; do
    [ -f "$folder/run.efg" ] || "$tool" trace "$folder" >said 2>&1 || cat said
    "$tool" report "$folder" 2>&1 >/dev/null
done)"
