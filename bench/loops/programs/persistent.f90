! SPDX-License-Identifier: BSD-3-Clause
! Heat in a plate on 2 x 2 ranks, by persistent requests.
!
! usage: persistent
!
! The main loop are the steps, until each 25th finds that the temperature hardly changes any more.
module plate
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 300, most = 20000, each = 25
    real(dp) :: t(0:n + 1, 0:n + 1), new(n, n)
    real(dp), dimension(n) :: west_out, west_in, east_out, east_in
    integer :: comm, rank, ranks, sides(4), requests(8), ierr
contains
    subroutine begin()
        integer :: shape(2), where(2)
        call MPI_Init(ierr)
        call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
        shape = 0
        call MPI_Dims_create(ranks, 2, shape, ierr)
        call MPI_Cart_create(MPI_COMM_WORLD, 2, shape, [.false., .false.], .true., comm, ierr)
        call MPI_Comm_rank(comm, rank, ierr)
        call MPI_Cart_coords(comm, rank, 2, where, ierr)
        call MPI_Cart_shift(comm, 0, 1, sides(1), sides(2), ierr)
        call MPI_Cart_shift(comm, 1, 1, sides(3), sides(4), ierr)
        t = 0
        west_in = 0
        east_in = 0
        if (where(1) == 0) west_in = 1
        if (where(2) == 0) t(:, 0) = 2
    end subroutine

    subroutine make_requests()
        call MPI_Recv_init(west_in, n, MPI_DOUBLE_PRECISION, sides(1), 0, comm, requests(1), ierr)
        call MPI_Recv_init(east_in, n, MPI_DOUBLE_PRECISION, sides(2), 1, comm, requests(2), ierr)
        call MPI_Recv_init(t(1, 0), n, MPI_DOUBLE_PRECISION, sides(3), 2, comm, requests(3), ierr)
        call MPI_Recv_init(t(1, n + 1), n, MPI_DOUBLE_PRECISION, sides(4), 3, comm, requests(4), ierr)
        call MPI_Send_init(east_out, n, MPI_DOUBLE_PRECISION, sides(2), 0, comm, requests(5), ierr)
        call MPI_Send_init(west_out, n, MPI_DOUBLE_PRECISION, sides(1), 1, comm, requests(6), ierr)
        call MPI_Send_init(t(1, n), n, MPI_DOUBLE_PRECISION, sides(4), 2, comm, requests(7), ierr)
        call MPI_Send_init(t(1, 1), n, MPI_DOUBLE_PRECISION, sides(3), 3, comm, requests(8), ierr)
    end subroutine

    subroutine compute(first, last)
        integer, intent(in) :: first, last
        integer :: i, j
        do j = first, last
            do i = 1, n
                new(i, j) = t(i, j) + 0.24_dp*(t(i - 1, j) + t(i + 1, j) + t(i, j - 1) + t(i, j + 1) - 4*t(i, j))
            end do
        end do
    end subroutine

    subroutine step_once()
        west_out = t(1, 1:n)
        east_out = t(n, 1:n)
        call MPI_Startall(8, requests, ierr)
        call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, ierr)
        t(0, 1:n) = west_in
        t(n + 1, 1:n) = east_in
        call compute(1, n)
    end subroutine

    real(dp) function change()
        real(dp) :: mine
        mine = maxval(abs(new - t(1:n, 1:n)))
        call MPI_Allreduce(mine, change, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierr)
    end function
end module

program persistent
    use plate
    implicit none
    integer :: step, steps, i
    real(dp) :: mine, mean, changed
    call begin()
    call make_requests()
    do step = 1, most
        steps = step
        call step_once()
        changed = 1
        if (modulo(step, each) == 0) changed = change()
        t(1:n, 1:n) = new
        if (changed < 8e-5_dp) exit
    end do
    do i = 1, 8
        call MPI_Request_free(requests(i), ierr)
    end do
    mine = sum(t(1:n, 1:n))/n**2/ranks
    call MPI_Reduce(mine, mean, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, comm, ierr)
    if (rank == 0) print '(i0,a,f10.6)', steps, ' steps, mean ', mean
    call say_loops(steps, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
