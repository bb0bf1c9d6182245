! SPDX-License-Identifier: BSD-3-Clause
! A model of the weather that spins up first: short steps of its dynamics alone, and damping.
!
! usage: spinup [STEPS]
!
! The main loop are the steps of the main phase: dynamics, physics, each sixth radiation, each 60th
! output. The 400 steps of the phase before are another loop, with the same dynamics.
module model
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 240, m = 48, levels = 5, spin_steps = 400
    real(dp) :: t(n, 0:m + 1, levels), u(n, 0:m + 1, levels), fluxes(n, m), flow(n, m)
    integer :: rank, ranks, north, south, ierr
contains
    subroutine halo(a)
        real(dp), intent(inout) :: a(n, 0:m + 1, levels)
        real(dp) :: out(n, levels), in(n, levels)
        in = 0
        out = a(:, m, :)
        call MPI_Sendrecv(out, n*levels, MPI_DOUBLE_PRECISION, south, 0, in, n*levels, MPI_DOUBLE_PRECISION, &
                          north, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        a(:, 0, :) = in
        in = 0
        out = a(:, 1, :)
        call MPI_Sendrecv(out, n*levels, MPI_DOUBLE_PRECISION, north, 1, in, n*levels, MPI_DOUBLE_PRECISION, &
                          south, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        a(:, m + 1, :) = in
    end subroutine

    subroutine dynamics(dt)
        real(dp), intent(in) :: dt
        integer :: k
        call halo(t)
        call halo(u)
        do k = 1, levels
            flow = cshift(t(:, 1:m, k), 1) + cshift(t(:, 1:m, k), -1) + t(:, 0:m - 1, k) + t(:, 2:m + 1, k) &
                     - 4*t(:, 1:m, k)
            u(:, 1:m, k) = u(:, 1:m, k) + dt*(t(:, 0:m - 1, k) - t(:, 2:m + 1, k))/2
            t(:, 1:m, k) = t(:, 1:m, k) + dt*(0.2_dp*flow + (u(:, 0:m - 1, k) - u(:, 2:m + 1, k))/2)
        end do
    end subroutine

    real(dp) function fastest()
        real(dp) :: mine
        mine = maxval(abs(u(:, 1:m, :)))
        call MPI_Allreduce(mine, fastest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
    end function

    subroutine spin_up()
        integer :: step
        do step = 1, spin_steps
            call dynamics(0.05_dp)
            u = 0.98_dp*u
            if (modulo(step, 10) == 0) then
                if (fastest() > 100) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
            end if
        end do
    end subroutine

    subroutine radiation()
        real(dp) :: mine, all
        integer :: k
        fluxes = 0
        do k = 1, levels
            fluxes = fluxes + 0.1_dp*sqrt(abs(t(:, 1:m, k)))
        end do
        mine = sum(fluxes)
        call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
        fluxes = fluxes - all/(n*m*ranks)
    end subroutine

    ! Clouds need what is above their neighbours.
    subroutine physics(dt)
        real(dp), intent(in) :: dt
        integer :: k
        call halo(t)
        do k = 1, levels
            t(:, 1:m, k) = t(:, 1:m, k) + dt*(0.01_dp*exp(-abs(t(:, 2:m + 1, levels + 1 - k))) - 1e-3_dp*fluxes &
                                              - 0.005_dp*t(:, 1:m, k))
            u(:, 1:m, k) = 0.995_dp*u(:, 1:m, k)
        end do
    end subroutine

    subroutine output(step)
        integer, intent(in) :: step
        real(dp) :: means(ranks), mine
        mine = sum(t(:, 1:m, 1))/(n*m)
        call MPI_Gather(mine, 1, MPI_DOUBLE_PRECISION, means, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
        if (rank == 0) print '(a,i0,*(f10.6))', 'step ', step, means
    end subroutine
end module

program spinup
    use model
    implicit none
    integer :: step, steps, i, j
    real(dp) :: dt
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    steps = argument(1200)
    call MPI_Bcast(steps, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    north = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    south = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    u = 0
    do j = 0, m + 1
        t(:, j, :) = spread([(sin(0.1_dp*i) + 0.01_dp*(j + m*rank), i=1, n)], 2, levels)
    end do
    call spin_up()
    do step = 1, steps
        dt = 0.1_dp/(1 + fastest())
        call dynamics(dt)
        if (modulo(step, 6) == 1) call radiation()
        call physics(dt)
        if (modulo(step, 60) == 0) call output(step)
    end do
    call say_loops(steps, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
