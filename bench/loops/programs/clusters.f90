! SPDX-License-Identifier: BSD-3-Clause
! Waves from an earthquake, with local time steps: a rank's elements have steps of a length of their own,
! twice or four times that of others.
!
! usage: clusters [INTERVALS]
!
! The main loop are the time steps of a rank, of which those with small elements have more. An element
! predicts what it does in its step. A rank tells slower neighbours what went through the border when their
! step ends, and faster ones what it predicts when its step begins; there is no other order among the ranks.
! Around it are intervals, after which receivers and the energy are written.
module waves
    use mpi_f08
    implicit none
    integer, parameter :: dp = kind(1d0), width = 200, interval = 64, levels(0:3) = [0, 1, 2, 1]
    integer, parameter :: predicted = 1, through = 2
    real(dp), parameter :: tick = 0.08_dp
    real(dp), allocatable :: u(:, :, :), rate(:, :, :)
    real(dp) :: edge(width, 2), collected(width, 2), from(width, 4, 2)
    integer :: rank, ranks, period, rows, others(2), periods(2), steps = 0, started(2)
    type(MPI_Request) :: sent(2)
    real(dp) :: out(width, 4, 2)
contains
    pure integer function period_of(r)
        integer, intent(in) :: r
        period_of = 2**levels(modulo(r, 4))
    end function

    subroutine prepare()
        integer :: i, j
        period = period_of(rank)
        others = [modulo(rank - 1, ranks), modulo(rank + 1, ranks)]
        periods = [period_of(others(1)), period_of(others(2))]
        rows = 50*period
        allocate (u(width, rows, 2), rate(width, rows, 2))
        do j = 1, rows
            do i = 1, width
                u(i, j, :) = [exp(-0.02_dp*((i - 100)**2 + (j - rows/2)**2))*merge(1, 0, rank == 1), 0.0_dp]
            end do
        end do
    end subroutine

    ! Rates of all elements from their neighbours inside; borders come later.
    subroutine predict()
        integer :: i, j, l, r
        real(dp) :: size
        size = 1/real(period, dp)
        do j = 1, rows
            do i = 1, width
                l = merge(width, i - 1, i == 1)
                r = merge(1, i + 1, i == width)
                rate(i, j, 1) = u(i, j, 2)
                rate(i, j, 2) = size**2*(u(l, j, 1) + u(r, j, 1) + u(i, max(1, j - 1), 1) &
                                         + u(i, min(rows, j + 1), 1) - 4*u(i, j, 1)) - 1e-3_dp*u(i, j, 2)
            end do
        end do
    end subroutine

    pure integer function row(side)
        integer, intent(in) :: side
        row = merge(1, rows, side == 1)
    end function

    subroutine send(side, what, count)
        integer, intent(in) :: side, what, count
        call MPI_Isend(out(1, 1, side), count, MPI_DOUBLE_PRECISION, others(side), what, MPI_COMM_WORLD, sent(side))
    end subroutine

    subroutine get(side, what, count, where)
        integer, intent(in) :: side, what, count
        real(dp), intent(out) :: where(count)
        call MPI_Recv(where, count, MPI_DOUBLE_PRECISION, others(side), what, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine

    ! At the time t, when a step begins: predictions to neighbours, and from them if theirs begins, too.
    subroutine begin_step(side, t)
        integer, intent(in) :: side, t
        if (periods(side) <= period) then
            call MPI_Wait(sent(side), MPI_STATUS_IGNORE)
            out(:, 1:2, side) = u(:, row(side), :)
            out(:, 3:4, side) = rate(:, row(side), :)
            call send(side, predicted, 4*width)
        end if
        if (periods(side) >= period .and. modulo(t, periods(side)) == 0) then
            call get(side, predicted, 4*width, from(1, 1, side))
            started(side) = t
        end if
    end subroutine

    ! What goes through a border in a step from t on: computed here unless the neighbour is faster.
    subroutine end_step(side, t)
        integer, intent(in) :: side, t
        real(dp) :: flow(width), at
        if (periods(side) < period) then
            call get(side, through, width, flow)
        else
            at = tick*(t + 0.5_dp*period - started(side))
            flow = tick*period*(from(:, 1, side) + at*from(:, 3, side) - u(:, row(side), 1) &
                                - 0.5_dp*tick*period*rate(:, row(side), 1))/max(period, periods(side))**2
            collected(:, side) = collected(:, side) - flow
        end if
        edge(:, side) = flow
        if (periods(side) > period .and. modulo(t + period, periods(side)) == 0) then
            call MPI_Wait(sent(side), MPI_STATUS_IGNORE)
            out(:, 1, side) = collected(:, side)
            call send(side, through, width)
            collected(:, side) = 0
        end if
    end subroutine

    subroutine correct()
        integer :: side
        u(:, :, 2) = u(:, :, 2) + tick*period*rate(:, :, 2)
        do side = 1, 2
            u(:, row(side), 2) = u(:, row(side), 2) + edge(:, side)
        end do
        u(:, :, 1) = u(:, :, 1) + tick*period*u(:, :, 2)
    end subroutine

    subroutine run_interval()
        integer :: t, side
        do t = 0, interval - 1, period
            call predict()
            do side = 1, 2
                call begin_step(side, t)
            end do
            do side = 1, 2
                call end_step(side, t)
            end do
            call correct()
            steps = steps + 1
        end do
    end subroutine

    real(dp) function energy()
        real(dp) :: mine
        mine = sum(u**2)
        call MPI_Allreduce(mine, energy, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    end function

    ! On rank 0, of all ranks.
    real(dp) function write_receivers()
        real(dp) :: heard(4), all(4*ranks)
        heard = u(30:120:30, rows/2, 1)
        call MPI_Gather(heard, 4, MPI_DOUBLE_PRECISION, all, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
        write_receivers = merge(sum(all**2), 0.0_dp, rank == 0)
    end function
end module

program clusters
    use waves
    implicit none
    integer :: k, intervals
    real(dp) :: e, heard
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    if (ranks /= 4) call MPI_Abort(MPI_COMM_WORLD, 3)
    intervals = argument(150)
    sent = MPI_REQUEST_NULL
    collected = 0
    call prepare()
    heard = 0
    e = 0
    do k = 1, intervals
        call run_interval()
        e = energy()
        heard = heard + write_receivers()
        if (.not. e < 1e6_dp) call MPI_Abort(MPI_COMM_WORLD, 4)
    end do
    call MPI_Waitall(2, sent, MPI_STATUSES_IGNORE)
    if (rank == 0) print '(i0,a,2es14.6)', intervals, ' intervals, energy and receivers ', e, heard
    call say_loops(steps, intervals)
    call MPI_Finalize()
contains
    include 'programs.inc'
end program
