#!/bin/sh
# Real applications from Debian packages: small cases, how to run them, and what of their output
# is the same in each run. `config/setup.sh apps` installs them.
set -eu

usage() {
    cat <<'EOF'
usage: bench/apps.sh list
       bench/apps.sh run APP DIR [PREFIX...]
       bench/apps.sh prepare APP DIR
       bench/apps.sh launch APP DIR [PREFIX...]
       bench/apps.sh filter APP

  list     the names of the applications
  run      prepares a fresh case of APP in DIR (made if need be, old results in it are removed)
           and runs there: mpirun -np 4 --oversubscribe PREFIX... APP. Paths in PREFIX must be
           absolute. The output is the application's, the exit code mpirun's.
  prepare  the first half of run
  launch   the second half, as often as need be
  filter   what differs between two runs (times, dates, rates) is taken out of an output

environment: RANKS           instead of 4
             LAMMPS_STEPS    instead of 2000
             ICOFOAM_STEPS   instead of 1000
             PW_STEPS        instead of 100
             RINGTEST_LOOPS  instead of 500000
             CASE=large      as large as a case for 4 ranks is in earnest, instead of small ones,
                             whose ranks do next to nothing between two calls: 32,000 atoms in
                             LAMMPS (as in its own benchmarks), 16 and 30 Ry in Quantum ESPRESSO,
                             450 x 450 cells in OpenFOAM (50,000 a rank)
             MPIRUN_OPTIONS  more options of mpirun
EOF
}

# mpirun refuses root unless told twice; it often is root in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1

launch() {
    # shellcheck disable=SC2086 # the options are split into words on purpose
    mpirun -np "${RANKS:-4}" --oversubscribe ${MPIRUN_OPTIONS:-} "$@" </dev/null
}

# LAMMPS, a Lennard-Jones liquid of 4000 atoms. Main loop: Verlet::run, 2000 time steps, in each
# 8 messages (Irecv, Send, Wait: forward and back, in y and z). Every 20th step (100 of them)
# migrates atoms and rebuilds the neighbour lists instead of the forward exchange, with
# Sendrecv; every 50th step prints, with Allreduce.
prepare_lammps() {
    box=10
    [ "$CASE" = small ] || box=20
    sed -e "s/^run.*/run ${LAMMPS_STEPS:-2000}/" \
        -e "s/^region.*box.*/region box block 0 $box 0 $box 0 $box/" \
        /usr/share/lammps/examples/melt/in.melt >in.melt
}
run_lammps() {
    launch "$@" lmp -in in.melt -log none
}
filter_lammps() {
    sed -E -e '/^(Loop time|Performance:|Total wall time)|CPU use|create_atoms CPU/d' \
        -e '/^(Pair|Neigh|Comm|Output|Modify|Other) +\|/d'
}

# Quantum ESPRESSO, molecular dynamics of two Si atoms. Main loop: run_pwscf, 100 ionic steps
# (electrons, forces, move_ions); in each of them about 4 self-consistency iterations (402 in
# all, electrons_scf), in each of those 4 k-points (1608 calls of the Davidson solver cegterg,
# whose trip count varies). Of some 800,000 MPI calls of a rank, most are ScaLAPACK's in the
# dense diagonalisation, and the rest goes through one layer of wrappers (mp.f90).
# No package has a pseudopotential of Si for pw.x, but ld1.x makes one (Troullier-Martins).
prepare_pw() {
    rm -rf out
    cat >ld1.in <<'EOF'
&input
  title = 'Si', zed = 14, rel = 0, config = '[Ne] 3s2 3p2', iswitch = 3, dft = 'PZ'
/
&inputp
  pseudotype = 1, tm = .true., lloc = 0, file_pseudopw = 'Si.UPF'
/
2
3P 2 1 2.00 0.00 2.10 2.10
3S 1 0 2.00 0.00 2.10 2.10
EOF
    lattice=2 cutoff=12 atoms=2
    positions='Si 0 0 0
Si 0.27 0.25 0.24'
    if [ "$CASE" = large ]; then
        lattice=6 cutoff=30 atoms=16
        positions='Si 0 0 0
Si 0.27 0.25 0.24
Si 0.5 0.5 0
Si 0.75 0.75 0.25
Si 0.5 0 0.5
Si 0.75 0.25 0.75
Si 0 0.5 0.5
Si 0.25 0.75 0.75
Si 0 0 1
Si 0.27 0.25 1.24
Si 0.5 0.5 1
Si 0.75 0.75 1.25
Si 0.5 0 1.5
Si 0.75 0.25 1.75
Si 0 0.5 1.5
Si 0.25 0.75 1.75'
    fi
    cat >md.in <<EOF
&control
  calculation = 'md', nstep = ${PW_STEPS:-100}, dt = 20, prefix = 'si', outdir = 'out', pseudo_dir = '.'
  disk_io = 'none'
/
&system
  ibrav = $lattice, celldm(1) = 10.2, celldm(3) = 2, nat = $atoms, ntyp = 1, ecutwfc = $cutoff, nosym = .true.
/
&electrons
  conv_thr = 1d-8
/
&ions
/
ATOMIC_SPECIES
Si 28.0855 Si.UPF
ATOMIC_POSITIONS alat
$positions
K_POINTS automatic
2 2 2 1 1 1
EOF
    ld1.x <ld1.in >ld1.out 2>&1
}
run_pw() {
    launch "$@" pw.x -in md.in
}
filter_pw() {
    sed -E -e '/starts on|terminated on|total cpu time/d' -e '/ CPU .* WALL/d'
}

# OpenFOAM, the lid-driven cavity on 40 x 40 cells. Main loop: while (runTime.loop()) in
# icoFoam.C, 1000 time steps, in each a smooth solver for each component of the velocity and
# two pressure corrections by conjugate gradients, whose trip count falls from 80 to 0 as the
# flow becomes steady. Steps 500 and 1000 write the fields. All MPI calls come from one layer,
# libPstream: 8 call sites, so that only deeper call paths tell them apart.
prepare_icofoam() {
    foam=/usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity
    rm -rf 0 0.* constant system processor*
    cp -R "$foam/0" "$foam/constant" "$foam/system" .
    cells=40 step=0.0005
    [ "$CASE" = small ] || cells=450 step=0.00003
    edit system/blockMeshDict "s/\(20 20 1\)/($cells $cells 1)/"
    end=$(awk "BEGIN { print ${ICOFOAM_STEPS:-1000} * $step }")
    edit system/controlDict -e "s/^(endTime ).*/\\1 $end;/" -e "s/^(deltaT ).*/\\1 $step;/" \
        -e 's/^(writeInterval ).*/\1 500;/' -e 's/^(runTimeModifiable ).*/\1 no;/'
    parts="${RANKS:-4} 1 1"
    [ "${RANKS:-4}" != 4 ] || parts="2 2 1"
    cat >system/decomposeParDict <<EOF
FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }
numberOfSubdomains ${RANKS:-4};
method simple;
simpleCoeffs { n ($parts); delta 0.001; }
EOF
    in_openfoam blockMesh >blockMesh.out 2>&1
    in_openfoam decomposePar >decomposePar.out 2>&1
}
edit() {
    file=$1
    shift
    sed -E "$@" "$file" >"$file.new"
    mv "$file.new" "$file"
}
# Debian puts the programs into the path, but they still ask where their etc/ is.
in_openfoam() (
    export WM_PROJECT_DIR=/usr/share/openfoam
    "$@"
)
run_icofoam() {
    in_openfoam launch "$@" icoFoam -parallel
}
filter_icofoam() {
    sed -E '/^(Date|Time  |Host|PID|Case) *:|^ExecutionTime/d'
}

# mpi4py, a message of 1000 bytes around the ring. Main loop: for i in iterations in
# mpi4py/bench.py, 500,000 rounds, in each a Send and a Recv. MPI_THREAD_MULTIPLE; libmpi is
# loaded late. No collective but one Barrier before the loop.
prepare_ringtest() {
    :
}
run_ringtest() {
    launch "$@" /usr/bin/python3 -m mpi4py.bench ringtest --size 1000 --loop "${RINGTEST_LOOPS:-500000}"
}
filter_ringtest() {
    sed -E 's/= [^ ]+ seconds/= ... seconds/'
}

# HPC Challenge: 16 tests one after the other, of which two take 90% of the time:
# MPIRandomAccess and MPIRandomAccess_LCG. The main loop of each is the update loop of
# 2,097,152 rounds on a rank, nearly all a Testany that finds nothing, around some 3000
# messages that are sent (Isend) and received (Testany, Get_count, Irecv), at no fixed times.
# Others: PTRANS (5 transpositions), MPIFFT, LatencyBandwidth, HPL (94 panels of 16 columns).
prepare_hpcc() {
    rm -f hpccoutf.txt
    sed -E -e 's/^1000 (.*Ns)$/1500 \1/' -e 's/^80 (.*NBs)$/16 \1/' \
        /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
}
run_hpcc() {
    launch "$@" hpcc && code=0 || code=$?
    cat hpccoutf.txt
    return "$code"
}
# Most of the report are rates; what is kept is which tests ran, with which sizes, and that
# their results are right.
filter_hpcc() {
    sed -nE -e 's/ [0-9.]+ PASSED.*/ PASSED/' \
        -e '/^(Begin|End) of |[Pp]assed|PASSED|Validates|^Number of updates|^Success=/p' \
        -e '/^[A-Za-z_]+_(N|Errors)=|^HPL_[ABRX]norm[1I]=/p'
}

apps="lammps pw icofoam ringtest hpcc"
CASE=${CASE:-small}

known() {
    case " $apps " in
        *" $1 "*) ;;
        *) printf 'apps: unknown application "%s"; there are: %s\n' "$1" "$apps" >&2; exit 2 ;;
    esac
}

case ${1-} in
    list)
        echo "$apps" | tr ' ' '\n'
        ;;
    run | prepare | launch)
        [ $# -ge 3 ] || { usage >&2; exit 2; }
        known "$2"
        verb=$1
        app=$2
        mkdir -p "$3"
        cd "$3"
        shift 3
        [ "$verb" = launch ] || "prepare_$app" ||
            { printf 'apps: cannot prepare %s in %s\n' "$app" "$PWD" >&2; exit 1; }
        [ "$verb" = prepare ] || "run_$app" "$@"
        ;;
    filter)
        [ $# -eq 2 ] || { usage >&2; exit 2; }
        known "$2"
        "filter_$2"
        ;;
    -h | --help) usage ;;
    *) usage >&2; exit 2 ;;
esac
