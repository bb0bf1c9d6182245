! SPDX-License-Identifier: BSD-3-Clause
! Waves in the ground: a shot after the other, each with its own time loop.
!
! usage: shots [SHOTS]
!
! The main loop are the time steps of all shots together. A shot begins with its place, which all are
! told, and ends with its seismogram, which rank 0 gets and takes into the misfit; it is as long as
! its place needs. At times there is a look at the energy, that it does not explode.
module ground
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 480, m = 100, order = 2, receivers = 24, most_steps = 600
    real(dp), parameter :: dt = 0.3_dp, weights(0:order) = [-2.5_dp, 4/3._dp, -1/12._dp]
    real(dp), dimension(1 - order:n + order, 1 - order:m + order) :: now, before
    real(dp) :: speed(n, m), damping(n, m), next(n, m), trace(receivers, most_steps)
    integer :: rank, ranks, up, down, ierr
contains
    subroutine prepare()
        real(dp) :: layers(8)
        integer :: i, j, row
        layers = 0
        if (rank == 0) layers = [1.0_dp, 1.1_dp, 1.3_dp, 1.2_dp, 1.5_dp, 1.6_dp, 1.9_dp, 2.0_dp]
        call MPI_Bcast(layers, 8, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
        do j = 1, m
            row = j + rank*m
            do i = 1, n
                speed(i, j) = layers(min(8, 1 + (row + nint(5*sin(0.03_dp*i)))*8/(m*ranks + 6)))**2*dt**2
                damping(i, j) = 0.002_dp*max(0, 20 - min(i, n - i, m*ranks - row))
            end do
        end do
    end subroutine

    subroutine exchange()
        integer :: requests(4), size
        size = order*(n + 2*order)
        call MPI_Irecv(now(1 - order, 1 - order), size, MPI_DOUBLE_PRECISION, up, 0, MPI_COMM_WORLD, requests(1), ierr)
        call MPI_Irecv(now(1 - order, m + 1), size, MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, requests(2), ierr)
        call MPI_Isend(now(1 - order, m + 1 - order), size, MPI_DOUBLE_PRECISION, down, 0, &
                       MPI_COMM_WORLD, requests(3), ierr)
        call MPI_Isend(now(1 - order, 1), size, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, requests(4), ierr)
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    end subroutine

    subroutine propagate()
        real(dp) :: sum
        integer :: i, j, k
        do j = 1, m
            do i = 1, n
                sum = 2*weights(0)*now(i, j)
                do k = 1, order
                    sum = sum + weights(k)*(now(i - k, j) + now(i + k, j) + now(i, j - k) + now(i, j + k))
                end do
                next(i, j) = 2*now(i, j) - before(i, j) + speed(i, j)*sum - damping(i, j)*(now(i, j) - before(i, j))
            end do
        end do
        before(1:n, 1:m) = now(1:n, 1:m)
        now(1:n, 1:m) = next
    end subroutine

    subroutine inject(place, step)
        integer, intent(in) :: place, step
        real(dp) :: t
        t = (0.15_dp*(step - 30)*dt)**2
        if (rank == 0) now(place, 4) = now(place, 4) + (1 - 2*t)*exp(-t)
    end subroutine

    subroutine listen(step)
        integer, intent(in) :: step
        integer :: k, apart
        apart = n/(receivers + 1)
        do k = 1, receivers
            trace(k, step) = now(k*apart, merge(3, m/2, rank == 0))
        end do
    end subroutine

    real(dp) function energy()
        real(dp) :: mine
        mine = sum((now(1:n, 1:m) - before(1:n, 1:m))**2)
        call MPI_Allreduce(mine, energy, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end function

    ! All that the ranks have heard, on rank 0.
    real(dp) function collect(steps)
        integer, intent(in) :: steps
        real(dp), allocatable :: all(:, :, :)
        allocate (all(receivers, steps, merge(ranks, 1, rank == 0)))
        call MPI_Gather(trace, receivers*steps, MPI_DOUBLE_PRECISION, all, receivers*steps, &
                        MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
        collect = sum(all**2)
    end function

    ! The time steps of a shot.
    subroutine fire(place, steps)
        integer, intent(in) :: place, steps
        integer :: step
        now = 0
        before = 0
        do step = 1, steps
            call exchange()
            call propagate()
            call inject(place, step)
            call listen(step)
            if (modulo(step, 100) == 0) then
                if (energy() > 1e6_dp) call MPI_Abort(MPI_COMM_WORLD, 4, ierr)
            end if
        end do
    end subroutine
end module

program shots
    use ground
    implicit none
    integer :: shot, many, place, steps, whole
    real(dp) :: misfit
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    many = argument(12)
    up = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    down = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    call prepare()
    whole = 0
    misfit = 0
    do shot = 1, many
        place = n*shot/(many + 1)
        call MPI_Bcast(place, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
        steps = most_steps - abs(2*place - n)/2
        call fire(place, steps)
        misfit = misfit + collect(steps)
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
        whole = whole + steps
    end do
    if (rank == 0) print '(i0,a,i0,a,es14.6)', many, ' shots, ', whole, ' steps, misfit ', misfit
    call say_loops(whole, many)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
