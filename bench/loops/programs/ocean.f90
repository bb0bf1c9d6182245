! SPDX-License-Identifier: BSD-3-Clause
! An ocean with a free surface: fast waves have short steps of their own, and there is ice.
!
! usage: ocean [STEPS]
!
! The main loop are the time steps: tracers and velocities of all levels, then 30 short ones of the
! surface and of the mean flow, whose mean is put into the levels. Each fifth step has the
! forcing by the air, and the ice, whose stress takes 24 rounds. It is looked each tenth step whether
! the model has blown up, and rank 0 gets the surface each fiftieth.
module model
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 90, m = 30, levels = 8, short = 30, rounds = 24
    real(dp), parameter :: dt = 0.3_dp, fast = dt/short, g = 6
    real(dp), dimension(0:n + 1, 0:m + 1, levels) :: t, u, v
    real(dp), dimension(0:n + 1, 0:m + 1) :: eta, ubar, vbar, ice, uice, vice, heat, new
    integer :: rank, ranks, south, north, ierr
contains
    ! The halo of a field of so many levels; east and west are on the same rank.
    subroutine fill_halo(a, k)
        integer, intent(in) :: k
        real(dp), intent(inout) :: a(0:n + 1, 0:m + 1, k)
        real(dp), dimension(0:n + 1, k) :: out, in
        a(0, :, :) = a(n, :, :)
        a(n + 1, :, :) = a(1, :, :)
        out = a(:, m, :)
        in = a(:, 1, :)
        call MPI_Sendrecv(out, size(out), MPI_DOUBLE_PRECISION, north, 0, in, size(in), MPI_DOUBLE_PRECISION, south, 0, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        a(:, 0, :) = in
        out = a(:, 1, :)
        in = a(:, m, :)
        call MPI_Sendrecv(out, size(out), MPI_DOUBLE_PRECISION, south, 1, in, size(in), MPI_DOUBLE_PRECISION, north, 1, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        a(:, m + 1, :) = in
    end subroutine

    ! Advection by u and v, up the wind, and diffusion.
    subroutine advect(a, k)
        real(dp), intent(inout) :: a(0:n + 1, 0:m + 1)
        integer, intent(in) :: k
        integer :: i, j
        do j = 1, m
            do i = 1, n
                new(i, j) = a(i, j) - dt*(max(u(i, j, k), 0._dp)*(a(i, j) - a(i - 1, j)) &
                                          + min(u(i, j, k), 0._dp)*(a(i + 1, j) - a(i, j)) &
                                          + max(v(i, j, k), 0._dp)*(a(i, j) - a(i, j - 1)) &
                                          + min(v(i, j, k), 0._dp)*(a(i, j + 1) - a(i, j))) &
                    + 0.05_dp*(a(i + 1, j) + a(i - 1, j) + a(i, j + 1) + a(i, j - 1) - 4*a(i, j))
            end do
        end do
        a(1:n, 1:m) = new(1:n, 1:m)
    end subroutine

    subroutine step_tracers()
        integer :: k
        do k = 1, levels
            call advect(t(:, :, k), k)
        end do
        t(1:n, 1:m, 1) = t(1:n, 1:m, 1) + dt*heat(1:n, 1:m)
        call fill_halo(t, levels)
    end subroutine

    subroutine step_velocities()
        integer :: i, j, k
        real(dp) :: a, b, p_x, p_y
        do k = 1, levels
            do j = 1, m
                do i = 1, n
                    p_x = sum(t(i + 1, j, 1:k) - t(i - 1, j, 1:k))
                    p_y = sum(t(i, j + 1, 1:k) - t(i, j - 1, 1:k))
                    a = u(i, j, k) + 0.02_dp*dt*p_x + 0.3_dp*dt*v(i, j, k)
                    b = v(i, j, k) + 0.02_dp*dt*p_y - 0.3_dp*dt*u(i, j, k)
                    u(i, j, k) = 0.99_dp*a
                    v(i, j, k) = 0.99_dp*b
                end do
            end do
        end do
        call fill_halo(u, levels)
        call fill_halo(v, levels)
        do k = 1, levels
            call advect(u(:, :, k), k)
            call advect(v(:, :, k), k)
        end do
    end subroutine

    subroutine short_step()
        integer :: i, j
        do j = 1, m
            do i = 1, n
                new(i, j) = eta(i, j) - fast*(ubar(i + 1, j) - ubar(i - 1, j) + vbar(i, j + 1) - vbar(i, j - 1))/2
            end do
        end do
        eta(1:n, 1:m) = new(1:n, 1:m)
        call fill_halo(eta, 1)
        do j = 1, m
            do i = 1, n
                ubar(i, j) = ubar(i, j) - fast*(g*(eta(i + 1, j) - eta(i - 1, j))/2 &
                                                - 0.3_dp*vbar(i, j) + 0.02_dp*ubar(i, j))
                vbar(i, j) = vbar(i, j) - fast*(g*(eta(i, j + 1) - eta(i, j - 1))/2 &
                                                + 0.3_dp*ubar(i, j) + 0.02_dp*vbar(i, j))
            end do
        end do
        call fill_halo(ubar, 1)
        call fill_halo(vbar, 1)
    end subroutine

    subroutine step_surface()
        integer :: k, step
        real(dp), dimension(n, m) :: mean_u, mean_v
        ubar = sum(u, 3)/levels
        vbar = sum(v, 3)/levels
        call fill_halo(ubar, 1)
        call fill_halo(vbar, 1)
        mean_u = -ubar(1:n, 1:m)
        mean_v = -vbar(1:n, 1:m)
        do step = 1, short
            call short_step()
        end do
        mean_u = mean_u + ubar(1:n, 1:m)
        mean_v = mean_v + vbar(1:n, 1:m)
        do k = 1, levels
            u(1:n, 1:m, k) = u(1:n, 1:m, k) + mean_u
            v(1:n, 1:m, k) = v(1:n, 1:m, k) + mean_v
        end do
        call fill_halo(u, levels)
        call fill_halo(v, levels)
    end subroutine

    subroutine step_ice(step)
        integer, intent(in) :: step
        integer :: k
        heat(1:n, 1:m) = 1e-3_dp*cos(0.02_dp*step)*(1 - ice(1:n, 1:m)) - 1e-3_dp*(t(1:n, 1:m, 1) - 1)
        do k = 1, rounds
            uice(1:n, 1:m) = 0.9_dp*uice(1:n, 1:m) + 0.1_dp*u(1:n, 1:m, 1) - 0.1_dp*(ice(2:n + 1, 1:m) - ice(0:n - 1, 1:m))
            vice(1:n, 1:m) = 0.9_dp*vice(1:n, 1:m) + 0.1_dp*v(1:n, 1:m, 1) - 0.1_dp*(ice(1:n, 2:m + 1) - ice(1:n, 0:m - 1))
            call fill_halo(uice, 1)
            call fill_halo(vice, 1)
        end do
        new(1:n, 1:m) = ice(1:n, 1:m) - 0.1_dp*(uice(2:n + 1, 1:m) - uice(0:n - 1, 1:m) &
                                                + vice(1:n, 2:m + 1) - vice(1:n, 0:m - 1))
        ice(1:n, 1:m) = min(1._dp, max(0._dp, new(1:n, 1:m) - 10*heat(1:n, 1:m)))
        call fill_halo(ice, 1)
    end subroutine

    subroutine control(step, most)
        integer, intent(in) :: step
        real(dp), intent(out) :: most
        real(dp) :: mine
        mine = max(maxval(abs(u)), maxval(abs(eta)))
        call MPI_Allreduce(mine, most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
        if (most > 50) then
            print '(a,i0)', 'blown up at step ', step
            call MPI_Abort(MPI_COMM_WORLD, 2, ierr)
        end if
    end subroutine

    real(dp) function write_surface()
        real(dp), allocatable :: all(:, :, :)
        real(dp) :: mine(n, m)
        allocate (all(n, m, merge(ranks, 1, rank == 0)))
        mine = eta(1:n, 1:m)
        call MPI_Gather(mine, n*m, MPI_DOUBLE_PRECISION, all, n*m, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
        write_surface = maxval(all)
    end function

    subroutine prepare()
        integer :: i, j, k
        u = 0
        v = 0
        ubar = 0
        vbar = 0
        uice = 0
        vice = 0
        heat = 0
        do j = 1, m
            do i = 1, n
                eta(i, j) = exp(-((i - 40)**2 + (j + rank*m - 50)**2)/60._dp)
                ice(i, j) = merge(0.8_dp, 0._dp, j + rank*m > 90)
                do k = 1, levels
                    t(i, j, k) = 1 + sin(0.07_dp*i)*cos(0.0524_dp*(j + rank*m))/k
                end do
            end do
        end do
        call fill_halo(eta, 1)
        call fill_halo(ice, 1)
        call fill_halo(t, levels)
    end subroutine
end module

program ocean
    use model
    implicit none
    integer :: step, steps
    real(dp) :: most, written
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    south = modulo(rank - 1, ranks)
    north = modulo(rank + 1, ranks)
    steps = argument(500)
    call prepare()
    written = 0
    most = 0
    do step = 1, steps
        if (modulo(step, 5) == 1) call step_ice(step)
        call step_tracers()
        call step_velocities()
        call step_surface()
        if (modulo(step, 10) == 0) call control(step, most)
        if (modulo(step, 50) == 0) written = written + write_surface()
    end do
    if (rank == 0) print '(i0,a,2f12.6)', steps, ' steps, most and written: ', most, written
    call say_loops(steps, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
