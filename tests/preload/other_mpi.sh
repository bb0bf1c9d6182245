# SPDX-License-Identifier: BSD-3-Clause
# A program of another MPI library: one that nobody knows, and some for which there is no runtime here.

other() { # other NAME [VERSION]: ./NAME with a library that says VERSION of itself
    $CC -fPIC -shared -DLIBRARY ${2:+-DVERSION="\"$2\""} "$tests/other_mpi.c" -Wl,-soname,lib$1.so -o "$PWD/lib$1.so" &&
        $CC "$tests/other_mpi.c" "$PWD/lib$1.so" -Wl,-rpath,"$PWD" -o "$PWD/$1"
}
said() { # said NAME: what a bare run would not say, and the exit code
    LD_PRELOAD=$library "$PWD/$1" 2>&1
    echo "exit $?"
}

untraced="this process runs untraced
exit 4"
other other && other known "Known MPI 3.2" && other newer "Open MPI v17.0.1, package: ours" &&
    other mvapich "MVAPICH2 Version      :	2.3.7" && other mpi_abi "MPICH Version: 5.0.0" || exit 1
none="is none that efgtrace can be built for: Open MPI, MPICH and what has its ABI"
same "another MPI library" "efgtrace: the program's MPI library $none; $untraced" "$(said other)"
same "another MPI library that says its name" "efgtrace: the program's MPI library, Known MPI 3.2, $none; $untraced" \
    "$(said known)"
build_it="build it with \`make MPICC=mpicc\`, where that is the compiler of this MPI; $untraced"
same "no runtime for this one" "efgtrace: the program's MPI library is Open MPI v17.0.1, and there is no \
$work/libefgtrace-runtime-openmpi17.so; $build_it" "$(said newer)"
same "nor for the ABI of MPI 5" "efgtrace: the program's MPI library is MPICH Version: 5.0.0, and there is no \
$work/libefgtrace-runtime-abi.so; $build_it" "$(said mpi_abi)"
[ "$mpi" = MPICH ] || same "nor for the family of MPICH" "efgtrace: the program's MPI library is MVAPICH2 Version      : 2.3.7, \
and there is no $work/libefgtrace-runtime-mpich.so; $build_it" "$(said mvapich)"
for rank in OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID; do
    for program in other newer; do
        all=$(for number in 0 1 2; do env $rank=$number LD_PRELOAD="$library" "$PWD/$program" 2>&1; done)
        same "another MPI library: said once in a job, $program, $rank" 1 "$(grep -c efgtrace <<<"$all")"
    done
done
