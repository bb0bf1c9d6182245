! SPDX-License-Identifier: BSD-3-Clause
! Steady flow in a cavity with a lid that moves (SIMPLE), and the temperature in it.
!
! usage: simple
!
! The main loop are the iterations, until momentum and continuity hold. In each, velocities are solved for by
! some sweeps, a pressure correction by conjugate gradients, and then the temperature by the same sweeps; all
! in as many inner iterations as it takes. It begins with a pressure from the same conjugate gradients. Each 10
! iterations residuals are told to rank 0, each 100 it gets the velocity.
module cavity
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), nx = 64, ny = 16, most = 900
    real(dp), parameter :: mu = 0.4_dp, relax = 0.7_dp, relax_p = 0.3_dp
    real(dp), dimension(0:nx + 1, 0:ny + 1) :: u, v, p, t, correction, by_a, px, py
    real(dp), dimension(nx, ny) :: ae, aw, an, as, a, source
    real(dp) :: fx(0:nx, ny), fy(nx, 0:ny), dx(0:nx, ny), dy(nx, 0:ny)
    integer :: rank, ranks, up, down, ierr, sweeps = 0, gradients = 0
contains
    subroutine exchange(f)
        real(dp), intent(inout) :: f(0:nx + 1, 0:ny + 1)
        integer :: requests(4)
        call MPI_Irecv(f(0, 0), nx + 2, MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, requests(1), ierr)
        call MPI_Irecv(f(0, ny + 1), nx + 2, MPI_DOUBLE_PRECISION, up, 2, MPI_COMM_WORLD, requests(2), ierr)
        call MPI_Isend(f(0, ny), nx + 2, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, requests(3), ierr)
        call MPI_Isend(f(0, 1), nx + 2, MPI_DOUBLE_PRECISION, down, 2, MPI_COMM_WORLD, requests(4), ierr)
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    end subroutine

    ! The gradient at walls is 0.
    subroutine exchange_free(f)
        real(dp), intent(inout) :: f(0:nx + 1, 0:ny + 1)
        f(0, :) = f(1, :)
        f(nx + 1, :) = f(nx, :)
        if (rank == 0) f(:, 0) = f(:, 1)
        if (rank == ranks - 1) f(:, ny + 1) = f(:, ny)
        call exchange(f)
    end subroutine

    real(dp) function total(mine)
        real(dp), intent(in) :: mine
        call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end function

    subroutine set_walls()
        u = 0
        v = 0
        p = 0
        t = 0
        fx = 0
        fy = 0
        if (rank == ranks - 1) then
            u(:, ny + 1) = 1
            t(:, ny + 1) = 1
        end if
    end subroutine

    ! Coefficients of a transported quantity, upwind.
    subroutine assemble(diffusion)
        real(dp), intent(in) :: diffusion
        ae = diffusion + max(0.0_dp, -fx(1:nx, :))
        aw = diffusion + max(0.0_dp, fx(0:nx - 1, :))
        an = diffusion + max(0.0_dp, -fy(:, 1:ny))
        as = diffusion + max(0.0_dp, fy(:, 0:ny - 1))
        a = (ae + aw + an + as)/relax
    end subroutine

    ! Sweeps until the residual is a tenth; what it was in the beginning.
    real(dp) function solve(f)
        real(dp), intent(inout) :: f(0:nx + 1, 0:ny + 1)
        real(dp) :: r(nx, ny), b(nx, ny), now
        integer :: k
        b = source + (1 - relax)*a*f(1:nx, 1:ny)
        solve = 0
        do k = 1, 8
            call exchange(f)
            r = b - a*f(1:nx, 1:ny) + ae*f(2:nx + 1, 1:ny) + aw*f(0:nx - 1, 1:ny) + an*f(1:nx, 2:ny + 1) &
                + as*f(1:nx, 0:ny - 1)
            now = sqrt(total(sum(r**2)))
            if (k == 1) solve = now
            if (now < 0.1_dp*solve .or. now < 1e-9_dp) exit
            f(1:nx, 1:ny) = f(1:nx, 1:ny) + r/a
            sweeps = sweeps + 1
        end do
        call exchange(f)
    end function

    subroutine find_gradient()
        call exchange_free(p)
        px(1:nx, 1:ny) = (p(2:nx + 1, 1:ny) - p(0:nx - 1, 1:ny))/2
        py(1:nx, 1:ny) = (p(1:nx, 2:ny + 1) - p(1:nx, 0:ny - 1))/2
        call exchange_free(px)
        call exchange_free(py)
    end subroutine

    ! Through the faces (Rhie and Chow); walls let nothing through.
    subroutine find_fluxes()
        by_a(1:nx, 1:ny) = 1/a
        call exchange_free(by_a)
        dx(0:nx, :) = (by_a(0:nx, 1:ny) + by_a(1:nx + 1, 1:ny))/2
        dy(:, 0:ny) = (by_a(1:nx, 0:ny) + by_a(1:nx, 1:ny + 1))/2
        call close_walls(dx, dy)
        fx = (u(0:nx, 1:ny) + u(1:nx + 1, 1:ny))/2 - dx*(p(1:nx + 1, 1:ny) - p(0:nx, 1:ny) &
                                                         - (px(0:nx, 1:ny) + px(1:nx + 1, 1:ny))/2)
        fy = (v(1:nx, 0:ny) + v(1:nx, 1:ny + 1))/2 - dy*(p(1:nx, 1:ny + 1) - p(1:nx, 0:ny) &
                                                         - (py(1:nx, 0:ny) + py(1:nx, 1:ny + 1))/2)
        call close_walls(fx, fy)
    end subroutine

    subroutine close_walls(x, y)
        real(dp), intent(inout) :: x(0:nx, ny), y(nx, 0:ny)
        x(0, :) = 0
        x(nx, :) = 0
        if (rank == 0) y(:, 0) = 0
        if (rank == ranks - 1) y(:, ny) = 0
    end subroutine

    subroutine multiply(f, y)
        real(dp), intent(inout) :: f(0:nx + 1, 0:ny + 1)
        real(dp), intent(out) :: y(nx, ny)
        call exchange(f)
        y = dx(1:nx, :)*(f(1:nx, 1:ny) - f(2:nx + 1, 1:ny)) + dx(0:nx - 1, :)*(f(1:nx, 1:ny) - f(0:nx - 1, 1:ny)) &
            + dy(:, 1:ny)*(f(1:nx, 1:ny) - f(1:nx, 2:ny + 1)) + dy(:, 0:ny - 1)*(f(1:nx, 1:ny) - f(1:nx, 0:ny - 1))
    end subroutine

    ! Conjugate gradients for the correction; the norm of the right hand side.
    real(dp) function correct_pressure(b, share)
        real(dp), intent(in) :: b(nx, ny), share
        real(dp) :: r(nx, ny), y(nx, ny), d(0:nx + 1, 0:ny + 1), now, before, alpha
        integer :: k
        r = b
        correction = 0
        d = 0
        now = total(sum(r**2))
        correct_pressure = sqrt(now)
        before = now
        do k = 1, 60
            if (sqrt(now) < share*correct_pressure .or. now < 1e-24_dp) exit
            d(1:nx, 1:ny) = r + merge(0.0_dp, now/before, k == 1)*d(1:nx, 1:ny)
            call multiply(d, y)
            alpha = now/total(sum(d(1:nx, 1:ny)*y))
            correction = correction + alpha*d
            r = r - alpha*y
            before = now
            now = total(sum(r**2))
            gradients = gradients + 1
        end do
        call exchange_free(correction)
    end function

    subroutine apply_correction()
        fx = fx - dx*(correction(1:nx + 1, 1:ny) - correction(0:nx, 1:ny))
        fy = fy - dy*(correction(1:nx, 1:ny + 1) - correction(1:nx, 0:ny))
        u(1:nx, 1:ny) = u(1:nx, 1:ny) - by_a(1:nx, 1:ny)*(correction(2:nx + 1, 1:ny) - correction(0:nx - 1, 1:ny))/2
        v(1:nx, 1:ny) = v(1:nx, 1:ny) - by_a(1:nx, 1:ny)*(correction(1:nx, 2:ny + 1) - correction(1:nx, 0:ny - 1))/2
        p = p + relax_p*correction
        call exchange(u)
        call exchange(v)
    end subroutine

    ! The residuals of momentum, continuity and temperature.
    function iterate() result(r)
        real(dp) :: r(3), b(nx, ny)
        call assemble(mu)
        call find_gradient()
        source = -px(1:nx, 1:ny)
        r(1) = solve(u)
        source = -py(1:nx, 1:ny) + 2e-3_dp*t(1:nx, 1:ny)
        r(1) = r(1) + solve(v)
        call find_fluxes()
        b = fx(0:nx - 1, :) - fx(1:nx, :) + fy(:, 0:ny - 1) - fy(:, 1:ny)
        r(2) = correct_pressure(b, 0.05_dp)
        call apply_correction()
        call assemble(0.5_dp*mu)
        source = 0
        r(3) = solve(t)
    end function

    ! Still fluid under the lid.
    subroutine begin()
        real(dp) :: b(nx, ny), norm
        call set_walls()
        dx = 1
        dy = 1
        call close_walls(dx, dy)
        b = 0
        if (rank == ranks - 1) then
            b(1, ny) = -1e-3_dp
            b(nx, ny) = 1e-3_dp
        end if
        norm = correct_pressure(b, 1e-2_dp)
        p = correction
    end subroutine

    subroutine monitor(k, r)
        integer, intent(in) :: k
        real(dp), intent(in) :: r(3)
        real(dp) :: mine(2), all(2)
        mine = [sum(u(1:nx, 1:ny)**2), maxval(abs(v(1:nx, 1:ny)))]
        call MPI_Reduce(mine, all, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
        if (rank == 0 .and. modulo(k, 100) == 0) print '(i5,3es10.2,2f12.5)', k, r, all
    end subroutine

    real(dp) function write_velocity()
        real(dp), allocatable :: all(:, :)
        allocate (all(size(u), merge(ranks, 1, rank == 0)))
        call MPI_Gather(u, size(u), MPI_DOUBLE_PRECISION, all, size(u), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
        write_velocity = sum(all**2)
    end function
end module

program simple
    use cavity
    implicit none
    integer :: k, done
    real(dp) :: r(3), written
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    up = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    down = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    call begin()
    written = 0
    done = 0
    do k = 1, most
        r = iterate()
        done = done + 1
        if (modulo(k, 10) == 0) call monitor(k, r)
        if (modulo(k, 100) == 0) written = written + write_velocity()
        if (r(1) < 8e-3_dp .and. r(2) < 1e-4_dp) exit
    end do
    if (rank == 0) print '(i0,a,i0,a,i0,a,2es13.5)', done, ' iterations, ', sweeps, ' sweeps, ', gradients, &
        ' of conjugate gradients, ', r(2), written
    call say_loops(done, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
