# SPDX-License-Identifier: BSD-3-Clause
# srun --efgtrace[=KEY=VALUE,...], and the same of sbatch and salloc.

srun --help >help 2>&1
has "srun --help has the option" "--efgtrace=KEY=VALUE,..." help

# refused NAME OPTION WORDS: with these words, before anything is started
refused() {
    step -n 1 "$2" touch started
    has "$1: what is wrong" "$3" err
    same "$1: nothing is started" "no 0" "$([ -e started ] && echo yes || echo no) $((code == 0))"
}
refused "a wrong value" --efgtrace=iterations=few \
    'option --efgtrace: iterations cannot be "few": not a whole number; expected a whole number from 1 to 1000000'
refused "a wrong key" --efgtrace=itertions=3 'there is no key "itertions"; did you mean "iterations"?'
refused "a wrong one behind others" --efgtrace=select=first,slow,mode=all 'mode cannot be "all"'
refused "no key" --efgtrace=full '"full" is no KEY=VALUE; expected keys of efgtrace.conf(5)'
refused "an empty one" --efgtrace=iterations=3,,mode=full 'iterations cannot be "3,"'
sbatch --efgtrace=mode=all --wrap hostname >out 2>err
has "sbatch: a wrong value" 'mode cannot be "all"' err

# traced NAME FOLDER ITERATIONS RANKS
is_traced() {
    same "$1: exit code and output" "0 ok stencil2d: 200 steps" "$code $(cat out)"
    verdict "$1: the trace is there" "$([ -f "$2/traces.otf2" ] || ls "$2" 2>&1)"
    has "$1: iterations" "Traced       $3 iterations" "$2/summary.txt"
    has "$1: ranks" "stencil2d, $4 ranks" "$2/summary.txt"
    has "$1: the same ones" "the same iterations on all $4 ranks" "$2/summary.txt"
}
step -N 2 -n 4 --efgtrace "$stencil" 200
is_traced "alone, two nodes" efgtrace.stencil2d.* 10 4
has "alone, two nodes: the summary is printed" "Main loop    in main, 200 iterations" err
step -n 2 --efgtrace=select=first,spread,iterations=3,output="$PWD/here",summary=off "$stencil" 200
is_traced "keys" here 3 2
has "keys: a value of two words" "and 3 iterations, spread over the run" here/summary.txt
same "keys: no summary" "" "$(cat err)"
EFGTRACE_ITERATIONS=5 EFGTRACE_SUMMARY=off step -n 2 --efgtrace=iterations=4,output=over "$stencil" 200
is_traced "the option wins over the environment" over 4 2
step -n 2 --efgtrace=mode=off,output=none "$stencil" 200
same "mode = off" "0 ok stencil2d: 200 steps no" "$code $(cat out err) $([ -e none ] && echo yes || echo no)"
if [ "$mpi" != MPICH ] && [ -f "$build/libefgtrace-runtime-mpich.so" ] && srun --mpi=list 2>&1 | grep -q pmi2; then
    mpicc.mpich -w -g -O1 "$root/tests/programs/stencil2d.c" -o mpich -lm
    MPIR_CVAR_POLLS_BEFORE_YIELD=1 step --mpi=pmi2 -N 2 -n 4 --efgtrace=output=pmi2 "$PWD/mpich" 200
    same "PMI2 and MPICH: exit code and output" "0 ok mpich: 200 steps" "$code $(cat out)"
    has "PMI2 and MPICH: it is traced" "Traced       10 iterations" pmi2/summary.txt
fi

# What is preloaded, and nothing else.
step -n 1 env
verdict "without the option: nothing in the environment" "$(grep -E 'EFGTRACE|PRELOAD' out | head -n 2)"
LD_PRELOAD=libm.so.6 step -n 1 --efgtrace env
has "others are preloaded, too" "LD_PRELOAD=$library:libm.so.6" out
LD_PRELOAD=/x/libasan.so step -n 1 --efgtrace env
has "the runtime of AddressSanitizer stays in front" "LD_PRELOAD=/x/libasan.so:$library" out
LD_PRELOAD=$library step -n 1 --efgtrace env
has "what is preloaded already is not again" "LD_PRELOAD=$library" out
step -n 1 --efgtrace=openmp=on env
has "openmp: its library, too" "LD_PRELOAD=$library:$build/libefgtrace-openmp.so" out
step -n 1 --efgtrace=mode=off env
verdict "mode = off: nothing is preloaded" "$(grep PRELOAD out)"
step -n 2 --efgtrace sh -c 'echo $((1 + 1)); exit 3'
same "no MPI: exit code and output" "3 2 2" "$code $(xargs <out)"

# A whole job: what srun starts in it, and what its launcher does.
launch=$MPIRUN
[ "$mpi" = MPICH ] && launch=mpiexec.mpich
batch -n 2 --efgtrace=iterations=4,summary=off,mode=full <<JOB
#!/bin/sh
EFGTRACE_OUTPUT=steps srun -n 2 $stencil 100
EFGTRACE_OUTPUT=launched $launch -np 2 $stencil 100
srun -n 2 --efgtrace=mode=graph,output=own $stencil 100
JOB
same "a batch job: exit code and output" "0 3" "$code $(grep -c '^ok stencil2d: 100 steps' out)"
verdict "a batch job: srun in it is traced" "$([ -f steps/traces.otf2 ] || cat out)"
verdict "a batch job: its launcher, too" "$([ -f launched/traces.otf2 ] || cat out)"
verdict "a batch job: an srun in it has its own options" "$([ -f own/run.efg ] && [ ! -e own/traces.otf2 ] || ls own)"
timeout 60 salloc -n 2 --efgtrace=output=allocated,summary=off srun -n 2 "$stencil" 1000 >out 2>err
verdict "salloc: what srun starts is traced" "$([ -f allocated/traces.otf2 ] || cat out err)"
