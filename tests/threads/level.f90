! SPDX-License-Identifier: BSD-3-Clause
! MPI_THREAD_MULTIPLE asked for from Fortran, and three OpenMP threads that use it.
program level
  use mpi_f08
  implicit none
  integer :: provided, rank, ranks, i, out, in
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  !$omp parallel do num_threads(3) schedule(static, 1) private(out, in)
  do i = 0, 2
    out = i
    call MPI_Sendrecv(out, 1, MPI_INTEGER, mod(rank + 1, ranks), i, in, 1, MPI_INTEGER, &
                      mod(rank + ranks - 1, ranks), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (in /= i) call MPI_Abort(MPI_COMM_WORLD, 1)
  end do
  if (rank == 0) print '(A, L2)', 'ok', provided == MPI_THREAD_MULTIPLE
  call MPI_Finalize()
end program
