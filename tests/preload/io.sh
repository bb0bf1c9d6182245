# SPDX-License-Identifier: BSD-3-Clause
# Each call once: MPI-IO, through each of its implementations.

$MPICC -std=gnu11 "$tests/io.c" -o "$PWD/io" || exit 1
ios=romio # and those of Open MPI: ompio and romio321, or romio341
[ "$mpi" = MPICH ] || ios=$(ompi_info | sed -n 's/^ *MCA io: \([a-z0-9]*\).*/\1/p')
for io in $ios; do
    counted "MPI-IO through $io" 2 'MPI_Wait 1
MPI_File_open 1
MPI_File_close 1
MPI_File_set_view 1
MPI_File_seek 1
MPI_File_sync 1
MPI_File_read 1
MPI_File_read_at_all 1
MPI_File_iread_at 1
MPI_File_write_all 1
MPI_File_write_ordered 1
finish' env OMPI_MCA_io=$io "$PWD/io" "$PWD/data.$io"
done
