! SPDX-License-Identifier: BSD-3-Clause
! ring.c in Fortran, blocking calls only; with USE_MPIFH, USE_MPI or USE_F08.
program ring
#if defined(USE_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(USE_MPIFH)
  include 'mpif.h'
#endif
  integer :: error, rank, size, left, right, i
  integer :: sum(1), got(1), total(1)
#if defined(USE_F08)
  type(MPI_Status) :: status
#else
  integer :: status(MPI_STATUS_SIZE)
#endif

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  left = mod(rank + size - 1, size)
  right = mod(rank + 1, size)
  sum = rank + 1
  do i = 1, 5
    if (rank == 0) call MPI_Send(sum, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, error)
    call MPI_Recv(got, 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, status, error)
    if (rank /= 0) call MPI_Send(sum, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, error)
    sum = mod(sum * 31 + got, 10007)
    call MPI_Allreduce(sum, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    sum = mod(sum * 31 + total, 10007)
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  print '(i0,a,i0,a,i0)', rank, ' of ', size, ': ', sum(1)
  call MPI_Finalize(error)
end program ring
