# SPDX-License-Identifier: BSD-3-Clause
# A machine that wants a record of each job: site=on behind the plug-in in plugstack.conf.

make_spool
plugged site=on spool="$spool" exclude="nothing,hello*"

# recorded NAME RECORDS RANKS: as bare, and so many records
recorded() {
    same "$1: exit code and output" "0 ok stencil2d: 100 steps" "$code $(sort -u out)"
    same "$1: nothing is said" "" "$(cat err)"
    same "$1: records" "$2" "$(records | wc -l)"
}
step -N 2 -n 4 "$stencil" 100
recorded "a job" 1
has "a job: all ranks" "stencil2d, 4 ranks" "$(records)/summary.txt"
contains "a job: its number is in the name" "$(records)" "/anna/$(date +%Y/%m/%d)/stencil2d.$(squeue -h -t all -o %i | sort -n | tail -n 1)."
EFGTRACE_MODE=off step -n 2 "$stencil" 100
recorded "opted out" 1
step -n 2 --efgtrace=mode=off "$stencil" 100
recorded "opted out by the option" 1
cp "$stencil" hello-world
step -n 2 ./hello-world 100
same "left out by its name" 1 "$(records | wc -l)"
step -n 2 --efgtrace=iterations=3,output=traced "$stencil" 100
has "the option: more than a record" "3 iterations" traced/summary.txt
same "the option: no record beside it" 1 "$(records | wc -l)"
step -n 2 sh -c 'echo out; echo err >&2; exit 4'
same "no MPI" "4 out out err err" "$code $(xargs <out) $(grep -v srun err | xargs)"
step -n 1 false
same "one that fails" "1 1" "$code $(records | wc -l)"
batch -n 2 <<JOB
#!/bin/sh
$MPIRUN -np 2 $stencil 100
exit 5
JOB
same "a launcher in a batch job" "5 ok stencil2d: 100 steps 2" "$code $(cat out) $(records | wc -l)"

# What is wrong there does not stop a job. The log of a node has it.
plugged site=on spool=here iterations=3
kill "$pid_of_two" && wait "$pid_of_two" 2>/dev/null
as_node two
until_true 30 idle
step -N 2 -n 2 "$stencil" 100
same "wrong arguments: the job" "0 ok stencil2d: 100 steps 2" "$code $(cat out err) $(records | wc -l)"
has "wrong arguments: a path" 'plugstack.conf: spool cannot be "here"; expected a path' "$work/slurmd.two.log"
has "wrong arguments: a key" '"iterations=3": expected site=on, spool=DIR or exclude=PATTERN,...' "$work/slurmd.two.log"
plugged
