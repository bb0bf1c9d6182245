! SPDX-License-Identifier: BSD-3-Clause
! A few calls from Fortran, each a known number of times on every one of two ranks; with
! USE_MPIFH, USE_MPI or USE_F08.
program calls
#if defined(USE_F08)
#define HANDLE(x) type(x)
  use mpi_f08
#else
#define HANDLE(x) integer
#if defined(USE_MPI)
  use mpi
#endif
#endif
  implicit none
#if defined(USE_MPIFH)
  include 'mpif.h'
#endif
  integer :: error, rank, other, i, sent, got(1), total(1)
  HANDLE(MPI_Request) :: requests(2)
  HANDLE(MPI_Comm) :: copy
#if defined(USE_F08)
  type(MPI_Status) :: status
#else
  integer :: status(MPI_STATUS_SIZE)
#endif

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  other = 1 - rank
  sent = rank
  got = -1
  call MPI_Pcontrol(1)
  do i = 1, 4
    call MPI_Irecv(got, 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(sent, 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  end do
  call MPI_Sendrecv(sent, 1, MPI_INTEGER, other, 2, got, 1, MPI_INTEGER, other, 2, &
                    MPI_COMM_WORLD, status, error)
  total = sent
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
  call MPI_Barrier(copy, error)
  call MPI_Comm_free(copy, error)
  print '(i0,a,i0,a,i0)', rank, ' got ', got(1), ' total ', total(1)
  call MPI_Finalize(error)
end program calls
