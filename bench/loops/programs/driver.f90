! SPDX-License-Identifier: BSD-3-Clause
! A climate model with all components on all ranks, one after the other, and a driver that calls each
! when its alarm rings.
!
! usage: driver [STEPS]
!
! The main loop are the steps of the driver. The atmosphere, land and ice run in each, the
! river in each third and the ocean in each eighth. What they have goes through the coupler, from the
! rows of one grid to the blocks of the other. Budgets are summed each 24 steps, a day, and history is
! written each 5 days.
module state
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 96, m = 24, own = n*m
    real(dp), dimension(0:n + 1, 0:m + 1) :: air, wind, wet, ice, drift, sea, p, r, q
    real(dp), dimension(n, m) :: soil, snow, runoff, flux, heat
    integer :: rank, ranks, south, north, solver = 0, ierr
contains
    subroutine fill_halo(a)
        real(dp), intent(inout) :: a(0:n + 1, 0:m + 1)
        integer :: requests(4)
        a(0, :) = a(n, :)
        a(n + 1, :) = a(1, :)
        call MPI_Irecv(a(0, 0), n + 2, MPI_DOUBLE_PRECISION, south, 0, MPI_COMM_WORLD, requests(1), ierr)
        call MPI_Irecv(a(0, m + 1), n + 2, MPI_DOUBLE_PRECISION, north, 1, MPI_COMM_WORLD, requests(2), ierr)
        call MPI_Isend(a(0, m), n + 2, MPI_DOUBLE_PRECISION, north, 0, MPI_COMM_WORLD, requests(3), ierr)
        call MPI_Isend(a(0, 1), n + 2, MPI_DOUBLE_PRECISION, south, 1, MPI_COMM_WORLD, requests(4), ierr)
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    end subroutine

    pure real(dp) function around(a, i, j)
        real(dp), intent(in) :: a(0:n + 1, 0:m + 1)
        integer, intent(in) :: i, j
        around = a(i + 1, j) + a(i - 1, j) + a(i, j + 1) + a(i, j - 1) - 4*a(i, j)
    end function

    subroutine spread_out(a, k)
        real(dp), intent(inout) :: a(0:n + 1, 0:m + 1)
        real(dp), intent(in) :: k
        integer :: i, j
        call fill_halo(a)
        do j = 1, m
            do i = 1, n
                q(i, j) = a(i, j) + k*around(a, i, j)
            end do
        end do
        a(1:n, 1:m) = q(1:n, 1:m)
    end subroutine
end module

module coupler
    use state
    implicit none
contains
    ! To the grid whose blocks lie across: all ranks have something for all.
    subroutine rearrange(a, b)
        real(dp), intent(in) :: a(n, m)
        real(dp), intent(out) :: b(n, m)
        integer, dimension(0:ranks - 1) :: counts, places
        real(dp) :: out(own), in(own)
        integer :: k
        counts = [(own/ranks, k=0, ranks - 1)]
        places = [(k*own/ranks, k=0, ranks - 1)]
        out = reshape(a, [own])
        call MPI_Alltoallv(out, counts, places, MPI_DOUBLE_PRECISION, in, counts, places, MPI_DOUBLE_PRECISION, &
                           MPI_COMM_WORLD, ierr)
        b = reshape(in, [n, m])
    end subroutine

    subroutine sum_budgets(all)
        real(dp), intent(inout) :: all(4)
        real(dp) :: mine(4)
        mine = [sum(air(1:n, 1:m)), sum(soil), sum(ice(1:n, 1:m)), sum(sea(1:n, 1:m))]
        call MPI_Reduce(mine, all, 4, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    end subroutine

    real(dp) function write_history(a)
        real(dp), intent(in) :: a(0:n + 1, 0:m + 1)
        real(dp) :: mine(n, m)
        real(dp), allocatable :: all(:, :, :)
        allocate (all(n, m, merge(ranks, 1, rank == 0)))
        mine = a(1:n, 1:m)
        call MPI_Gather(mine, own, MPI_DOUBLE_PRECISION, all, own, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
        write_history = maxval(all)
    end function
end module

module components
    use state
    implicit none
contains
    ! Dynamics in two short steps, and columns, with radiation each third time.
    subroutine run_atmosphere(step)
        integer, intent(in) :: step
        integer :: k, i, j
        do k = 1, 2
            call spread_out(air, 0.1_dp)
            call spread_out(wind, 0.1_dp)
            wind(1:n, 1:m) = wind(1:n, 1:m) - 0.1_dp*(air(2:n + 1, 1:m) - air(0:n - 1, 1:m))
            air(1:n, 1:m) = air(1:n, 1:m) - 0.1_dp*(wind(2:n + 1, 1:m) - wind(0:n - 1, 1:m))
        end do
        call spread_out(wet, 0.2_dp)
        if (modulo(step, 3) == 0) then
            do j = 1, m
                do i = 1, n
                    heat(i, j) = 0.01_dp*max(0._dp, sin(0.2618_dp*step + 0.0654_dp*i))*exp(-wet(i, j)) &
                        - 1e-3_dp*air(i, j)**4
                end do
            end do
        end if
        flux = 0.01_dp*(air(1:n, 1:m) - 1) + heat
        air(1:n, 1:m) = air(1:n, 1:m) + heat
    end subroutine

    subroutine run_land()
        integer :: k
        do k = 1, 6
            soil = soil + 0.02_dp*(flux*10 - soil + 0.5_dp*snow)
            snow = max(0._dp, snow + 0.01_dp*(wet(1:n, 1:m) - soil))
        end do
        runoff = 0.01_dp*max(0._dp, soil)
    end subroutine

    subroutine run_ice()
        integer :: k
        do k = 1, 8
            call fill_halo(drift)
            drift(1:n, 1:m) = 0.8_dp*drift(1:n, 1:m) + 0.02_dp*wind(1:n, 1:m) &
                - 0.05_dp*(ice(1:n, 2:m + 1) - ice(1:n, 0:m - 1))
        end do
        call fill_halo(ice)
        ice(1:n, 1:m) = ice(1:n, 1:m) - 0.05_dp*(drift(1:n, 2:m + 1) - drift(1:n, 0:m - 1)) - 0.01_dp*flux
        ice(1:n, 1:m) = min(1._dp, max(0._dp, ice(1:n, 1:m)))
    end subroutine

    ! Down the river, from rank to rank.
    subroutine run_river()
        real(dp) :: in(n), out(n)
        in = 0
        if (rank > 0) call MPI_Recv(in, n, MPI_DOUBLE_PRECISION, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        out = 0.7_dp*in + sum(runoff, 2)/m
        if (rank < ranks - 1) call MPI_Send(out, n, MPI_DOUBLE_PRECISION, rank + 1, 7, MPI_COMM_WORLD, ierr)
        sea(1:n, m) = sea(1:n, m) + 0.01_dp*in
    end subroutine

    real(dp) function dot(a, b)
        real(dp), intent(in), dimension(0:n + 1, 0:m + 1) :: a, b
        real(dp) :: mine
        mine = sum(a(1:n, 1:m)*b(1:n, 1:m))
        call MPI_Allreduce(mine, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end function

    ! An implicit step, by conjugate gradients.
    subroutine solve_surface()
        real(dp) :: rho, before, first, alpha
        integer :: k, i, j
        r = 0
        call fill_halo(sea)
        do j = 1, m
            do i = 1, n
                r(i, j) = 3*around(sea, i, j) + 0.2_dp*flux(i, j)
            end do
        end do
        p = r
        rho = dot(r, r)
        first = rho
        do k = 1, 60
            call fill_halo(p)
            do j = 1, m
                do i = 1, n
                    q(i, j) = p(i, j) - 3*around(p, i, j)
                end do
            end do
            alpha = rho/dot(p, q)
            sea = sea + alpha*p
            r(1:n, 1:m) = r(1:n, 1:m) - alpha*q(1:n, 1:m)
            before = rho
            rho = dot(r, r)
            solver = solver + 1
            if (rho < 1e-8_dp*first) exit
            p = r + rho/before*p
        end do
    end subroutine

    subroutine run_ocean()
        integer :: k
        do k = 1, 2
            call spread_out(sea, 0.05_dp)
            call solve_surface()
        end do
    end subroutine
end module

program driver
    use components
    use coupler
    implicit none
    integer :: step, steps, i, j
    real(dp) :: budgets(4), written, across(n, m), back(n, m)
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    south = modulo(rank - 1, ranks)
    north = modulo(rank + 1, ranks)
    steps = argument(900)
    do j = 0, m + 1
        do i = 0, n + 1
            air(i, j) = 1 + 0.3_dp*sin(0.0654_dp*i)*cos(0.0654_dp*(j + rank*m))
            ice(i, j) = merge(0.7_dp, 0.1_dp, rank == 0)
        end do
    end do
    wind = 0
    wet = 0.4_dp
    sea = air
    drift = 0
    soil = 0.5_dp
    snow = 0.1_dp
    heat = 0
    flux = 0
    budgets = 0
    written = 0
    call sum_budgets(budgets)
    do step = 1, steps
        if (modulo(step, 8) == 1) then
            call rearrange(flux, across)
            flux = 0.5_dp*(flux + across)
            call run_ocean()
        end if
        call run_land()
        call run_ice()
        if (modulo(step, 3) == 0) call run_river()
        call rearrange(ice(1:n, 1:m), across)
        call run_atmosphere(step)
        call rearrange(across + air(1:n, 1:m), back)
        wet(1:n, 1:m) = 0.9_dp*wet(1:n, 1:m) + 0.05_dp*abs(back - ice(1:n, 1:m))
        if (modulo(step, 24) == 0) call sum_budgets(budgets)
        if (modulo(step, 120) == 0) written = written + write_history(air) + write_history(sea)
    end do
    if (rank == 0) print '(i0,a,i0,a,5es13.5)', steps, ' steps, ', solver, &
        ' iterations of the ocean, budgets ', budgets, written
    call say_loops(steps, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
