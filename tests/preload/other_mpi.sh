# SPDX-License-Identifier: BSD-3-Clause
# A program of another MPI library.

$CC -fPIC -shared -DLIBRARY "$tests/other_mpi.c" -Wl,-soname,libother.so -o "$PWD/libother.so" &&
    $CC "$tests/other_mpi.c" "$PWD/libother.so" -Wl,-rpath,"$PWD" -o "$PWD/other" || exit 1
said=$(LD_PRELOAD=$library "$PWD/other" 2>&1; echo "exit $?")
same "another MPI library" "efgtrace: the program's MPI library is not $mpi, which this efgtrace was built for; this process runs untraced
exit 4" "$said"
for rank in OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID; do
    said=$(for number in 0 1 2; do env $rank=$number LD_PRELOAD="$library" "$PWD/other" 2>&1; done)
    same "another MPI library: said once in a job, $rank" 1 "$(grep -c efgtrace <<<"$said")"
done
