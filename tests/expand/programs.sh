# SPDX-License-Identifier: BSD-3-Clause
# Programs of different structure.

for program in stencil2d master_worker threads recursion $(in_full && echo sweep amr multigrid wavefront persistent \
    waitany polling probes collectives comms); do
    traces $program
    lossless "$work/$program"
    [ $program != threads ] || same "threads: those of a rank are all there" 20 "$(grep -c . same)"
done
if in_full; then
    if has_mpi4py; then
        full python 3 -- "$python" "$root/tests/programs/ring.py" 100 10
        lossless python
    else
        skip python "no mpi4py for $mpi"
    fi

    full eight 8 -- "$programs/stencil2d" 50 100
    lossless eight
    same "stencil on 8 ranks: how many sequences are stored" 1 "$(orders eight)"
fi
