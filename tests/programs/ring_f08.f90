! A message around the ring, through use mpi_f08: handles are types, not numbers.
!
! 1000 steps: Irecv, Isend, Waitall that ignores the statuses, compute (asleep, as in program.h), Allreduce in place.
! True iterations: the argument (1000).
!
! programs.sh: steps=500 iterations=500 graph=yes
program ring_f08
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi_f08
  implicit none
  integer :: rank, ranks, left, right, step, steps, ierror
  type(MPI_Request) :: requests(2)
  integer :: mine(8), got(8), total(2)
  character(len=20) :: argument

  interface
     integer(c_int) function usleep(microseconds) bind(c)
       import :: c_int
       integer(c_int), value :: microseconds
     end function usleep
  end interface

  steps = 1000
  if (command_argument_count() > 0) then
     call get_command_argument(1, argument)
     read (argument, *) steps
  end if
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)

  do step = 1, steps
     mine = step + rank
     got = -1
     call MPI_Irecv(got, 8, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), ierror)
     call MPI_Isend(mine, 8, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2), ierror)
     call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
     if (any(got /= step + left)) call fail('message around the ring')

     ierror = usleep(500)

     total = rank
     call MPI_Allreduce(MPI_IN_PLACE, total, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
     if (any(total /= ranks * (ranks - 1) / 2)) call fail('sum over the ranks')
  end do

  if (rank == 0) print '(a, i0, a)', 'ok ring_f08: ', steps, ' steps'
  call MPI_Finalize(ierror)

contains

  subroutine fail(what)
    character(len=*), intent(in) :: what

    print '(3a, i0)', 'FAIL ring_f08: ', what, ', rank ', rank
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine fail

end program ring_f08
