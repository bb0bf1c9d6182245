! SPDX-License-Identifier: BSD-3-Clause
!
! What goes wrong in Fortran only, where nobody checks arguments: fortran NAME [return], or without
! an argument all names. As program.c: 40 steps of two ranks, and in the middle it happens.
program wrong
    implicit none
    include 'mpif.h'
    external :: mpi_barrier, mpi_recv, mpi_send, mpi_bcast, mpi_wait
    integer, parameter :: steps = 40
    character(len=40) :: name, how
    integer :: rank, other, error, i

    call get_command_argument(1, name)
    if (name == '') then
        print '(a)', 'Fortran: a count that is real', 'Fortran: arguments swapped', &
            'Fortran: a handle that is no communicator', 'Fortran: a handle that is no datatype', &
            'Fortran: a handle that is no request', 'Fortran: a wait for a request twice', &
            'Fortran: status too small', 'Fortran: error argument missing', &
            'Fortran: count of another kind', 'Fortran: truncated'
        stop
    end if
    call get_command_argument(2, how)
    call mpi_init(error)
    call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
    other = 1 - rank
    if (how == 'return') call mpi_comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
    do i = 1, steps
        if (i == steps / 2) call happen
        call step
    end do
    call mpi_finalize(error)
    print '(a,i0,a)', 'rank ', rank, ': ends'

contains

    subroutine step
        integer :: in, total
        in = -1
        call mpi_sendrecv(rank, 1, MPI_INTEGER, other, 1, in, 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE, error)
        call mpi_allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        if (in /= other .or. total /= 1) print '(a,i0,a)', 'rank ', rank, ': the step is wrong'
    end subroutine

    subroutine tell(call)
        character(len=*), intent(in) :: call
        character(len=MPI_MAX_ERROR_STRING) :: text
        integer :: length, ignored
        if (error == MPI_SUCCESS) return
        call mpi_error_string(error, text, length, ignored)
        print '(a,i0,4a)', 'rank ', rank, ': ', call, ' returns ', text(1:length)
    end subroutine

    subroutine happen
        integer :: numbers(4), request, copy, status(MPI_STATUS_SIZE), guarded(3 * MPI_STATUS_SIZE)
        integer(kind=8) :: wide
        real :: fraction
        numbers = rank
        fraction = 1.5
        wide = 1
        select case (name(10:))
        case ('a count that is real')
            call mpi_send(numbers, -fraction, MPI_INTEGER, other, 2, MPI_COMM_WORLD, error)
            call tell('mpi_send')
        case ('arguments swapped')
            call mpi_send(numbers, 1, other, MPI_INTEGER, 2, MPI_COMM_WORLD, error)
            call tell('mpi_send')
        case ('a handle that is no communicator')
            call mpi_send(numbers, 1, MPI_INTEGER, other, 2, 12345, error)
            call tell('mpi_send')
            call mpi_barrier(-1, error)
            call tell('mpi_barrier')
        case ('a handle that is no datatype')
            call mpi_bcast(numbers, 1, 54321, 0, MPI_COMM_WORLD, error)
            call tell('mpi_bcast')
        case ('a handle that is no request')
            request = 987654
            call mpi_wait(request, status, error)
            call tell('mpi_wait')
        case ('a wait for a request twice')
            call mpi_irecv(numbers, 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD, request, error)
            copy = request
            call mpi_send(rank, 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD, error)
            call mpi_wait(request, status, error)
            call tell('mpi_wait')
            call mpi_wait(copy, status, error)
            call tell('mpi_wait')
        case ('status too small')
            guarded = -3
            call mpi_send(rank, 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD, error)
            call mpi_recv(numbers, 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD, &
                          guarded(3 * MPI_STATUS_SIZE - 5), error)
            call tell('mpi_recv')
        case ('error argument missing')
            call mpi_barrier(MPI_COMM_WORLD)
        case ('count of another kind')
            call mpi_send(numbers, wide, MPI_INTEGER, other, 2, MPI_COMM_WORLD, error)
            call tell('mpi_send')
            call mpi_recv(numbers, wide, MPI_INTEGER, other, 2, MPI_COMM_WORLD, status, error)
            call tell('mpi_recv')
        case ('truncated')
            call mpi_send(numbers, 4, MPI_INTEGER, other, 2, MPI_COMM_WORLD, error)
            call mpi_recv(numbers, 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD, status, error)
            call tell('mpi_recv')
        end select
    end subroutine
end program
