# SPDX-License-Identifier: BSD-3-Clause
# MPI programs: each job leaves one record.

make_spool spool
as_bare "a stencil" 1 timeout $patience $MPIRUN -np 4 "$programs/stencil2d" 200
readable "a stencil"
has "a stencil: the summary is there" "stencil2d, 4 ranks" "$(records)/summary.txt"
has "a stencil: it has iterations" "200 iterations" "$(records)/summary.txt"
same "a stencil: only its user may look" "700" "$(stat -c %a "$spool/anna")"
same "a stencil: two files" "run.efg summary.txt" "$(ls "$(records)" | xargs)"
if in_full; then
    as_bare "a short one" 1 timeout $patience $MPIRUN -np 2 "$programs/stencil2d" 1
    readable "a short one"
    as_bare "one rank" 1 "$programs/stencil2d" 20
    readable "one rank"
    as_bare "threads" 1 timeout $patience $MPIRUN -np 2 "$programs/threads"
    readable "threads"
    as_bare "two programs in a job" 1 timeout $patience $MPIRUN -np 1 "$programs/stencil2d" 50 : -np 1 "$programs/stencil2d" 50
    as_bare "three jobs in a script" 3 bash -c "for i in 1 2 3; do timeout $patience $MPIRUN -np 2 $programs/stencil2d 10; done"
    readable "three jobs in a script"
    if "$python" -c 'import mpi4py' 2>/dev/null && [ "$mpi" != MPICH ]; then
        as_bare "Python" 1 timeout $patience $MPIRUN -np 2 "$python" "$root/tests/programs/ring.py"
        readable "Python"
        contains "Python: it is called after its script" "$(records)" "/ring.py."
    else
        skip "Python" "there is no mpi4py for this MPI"
    fi
    if [ "$mpi" != MPICH ]; then
        compile spawn/spawn || exit 2
        as_bare "spawn" 2 timeout $patience $MPIRUN -np 2 "$programs/spawn" 1 plain
        readable "spawn"
    fi
fi
# a Slurm job has its number in the name
SLURM_JOB_ID=4711 as_bare "a job number" 1 timeout $patience $MPIRUN -np 1 "$programs/stencil2d" 5
contains "a job number: it is in the name" "$(records)" "/stencil2d.4711."

if in_full; then
    # What a shared file system has to bear.
    if command -v strace >/dev/null; then
        clear_spool
        site strace -f -qq -e trace=%file,fsync -o calls timeout $patience $MPIRUN -np 4 "$programs/stencil2d" 50
        grep -F "$spool" calls >touched
        same "one of the processes touches the spool" 1 "$(awk '{ print $1 }' touched | sort -u | wc -l)"
        same "files that are opened for writing" "2 run.efg.new, 1 summary.txt" \
            "$(sed -n 's/.*openat([^,]*, "\([^"]*\)", [^)]*O_CREAT.*/\1/p' calls | grep -E '^(run|summary)' | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd, | sed 's/,/, /')"
    else
        skip "what a file system has to bear" "there is no strace"
    fi
fi
