! SPDX-License-Identifier: BSD-3-Clause
! A shock by Lagrange's method: the mesh moves with the gas, and each 10 steps it is put back.
!
! usage: ale [STEPS]
!
! The main loop are the time steps. A step has a predictor and a corrector, and a length that all ranks
! agree on. Each tenth, all is remapped to the mesh as it was: fields one by one, with
! their slopes, which takes more time and messages than a step. Plots each 500.
module shock
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 150, rows = 40, each = 10
    real(dp), parameter :: gamma = 1.4_dp
    real(dp), dimension(0:n, rows) :: x, home, v, half_x, half_v, force
    real(dp), dimension(-1:n + 2, rows) :: density, energy, half_energy, push
    real(dp) :: mass(0:n + 1, rows), new(n, rows), time
    integer :: rank, ranks, left, right, ierr
contains
    ! So many columns of cells at each side.
    subroutine halo(a, width)
        integer, intent(in) :: width
        real(dp), intent(inout) :: a(-1:n + 2, rows)
        real(dp), dimension(width, rows) :: out, in
        integer :: i
        do i = 1, width
            a(1 - i, :) = a(i, :)
            a(n + i, :) = a(n + 1 - i, :)
        end do
        out = a(1:width, :)
        in = a(n + 1:n + width, :)
        call MPI_Sendrecv(out, width*rows, MPI_DOUBLE_PRECISION, left, 0, in, width*rows, &
                          MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        a(n + 1:n + width, :) = in
        out = a(n + 1 - width:n, :)
        in = a(1 - width:0, :)
        call MPI_Sendrecv(out, width*rows, MPI_DOUBLE_PRECISION, right, 1, in, width*rows, &
                          MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        a(1 - width:0, :) = in
    end subroutine

    ! Density, energy and what pushes the nodes, with a viscosity, of cells with energy e between nodes at.
    subroutine find_push(at, speeds, e)
        real(dp), dimension(0:n, rows), intent(in) :: at, speeds
        real(dp), intent(in) :: e(-1:n + 2, rows)
        real(dp) :: jump, sound
        integer :: i, j
        do j = 1, rows
            do i = 1, n
                density(i, j) = mass(i, j)/(at(i, j) - at(i - 1, j))
                sound = sqrt(gamma*(gamma - 1)*e(i, j))
                jump = min(0._dp, speeds(i, j) - speeds(i - 1, j))
                push(i, j) = density(i, j)*((gamma - 1)*e(i, j) + 1.5_dp*jump**2 - 0.5_dp*sound*jump)
            end do
        end do
        call halo(push, 1)
    end subroutine

    subroutine accelerate(dt)
        real(dp), intent(in) :: dt
        integer :: i, j
        do j = 1, rows
            do i = 0, n
                force(i, j) = (push(i, j) - push(i + 1, j))*2/(mass(i, j) + mass(i + 1, j))
            end do
        end do
        if (rank == 0) force(0, :) = 0
        if (rank == ranks - 1) force(n, :) = 0
        half_v = v + dt/2*force
    end subroutine

    ! The energy after dt.
    subroutine work(dt, new_energy)
        real(dp), intent(in) :: dt
        real(dp), intent(inout) :: new_energy(-1:n + 2, rows)
        integer :: i, j
        do j = 1, rows
            do i = 1, n
                new_energy(i, j) = max(1e-4_dp, energy(i, j) - dt*push(i, j)*(half_v(i, j) - half_v(i - 1, j))/mass(i, j))
            end do
        end do
    end subroutine

    subroutine lagrange(dt)
        real(dp), intent(in) :: dt
        call find_push(x, v, energy)
        call accelerate(dt/2)
        half_x = x + dt/2*half_v
        call work(dt/2, half_energy)
        call find_push(half_x, half_v, half_energy)
        call accelerate(dt)
        call work(dt, energy)
        x = x + dt*half_v
        v = v + dt*force
    end subroutine

    real(dp) function length_of_step()
        real(dp) :: mine
        integer :: i, j
        mine = 1e-3_dp
        do j = 1, rows
            do i = 1, n
                mine = min(mine, 0.08_dp*(x(i, j) - x(i - 1, j))/(sqrt(gamma*(gamma - 1)*energy(i, j)) &
                                                               + 2*abs(v(i, j) - v(i - 1, j))))
            end do
        end do
        call MPI_Allreduce(mine, length_of_step, 1, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD, ierr)
    end function

    ! What goes through the places of the old mesh, of a thing that cells have.
    subroutine remap_one(a)
        real(dp), intent(inout) :: a(-1:n + 2, rows)
        real(dp) :: through(0:n), slope, moved
        integer :: i, j, from
        call halo(a, 2)
        do j = 1, rows
            do i = 0, n
                moved = x(i, j) - home(i, j)
                from = merge(i, i + 1, moved > 0)
                slope = 0
                if ((a(from + 1, j) - a(from, j))*(a(from, j) - a(from - 1, j)) > 0) &
                    slope = sign(min(abs(a(from + 1, j) - a(from, j)), abs(a(from, j) - a(from - 1, j))), &
                                 a(from + 1, j) - a(from, j))
                through(i) = moved*(a(from, j) + merge(0.5_dp, -0.5_dp, moved > 0)*slope)
            end do
            do i = 1, n
                new(i, j) = (a(i, j)*(x(i, j) - x(i - 1, j)) - through(i) + through(i - 1))/(home(i, j) - home(i - 1, j))
            end do
        end do
    end subroutine

    subroutine remap()
        real(dp), dimension(-1:n + 2, rows) :: inner, momentum
        integer :: i, j
        do j = 1, rows
            do i = 1, n
                density(i, j) = mass(i, j)/(x(i, j) - x(i - 1, j))
                inner(i, j) = density(i, j)*energy(i, j)
                momentum(i, j) = density(i, j)*(v(i, j) + v(i - 1, j))/2
            end do
        end do
        call remap_one(inner)
        inner(1:n, :) = new
        call remap_one(momentum)
        momentum(1:n, :) = new
        call remap_one(density)
        density(1:n, :) = new
        energy(1:n, :) = inner(1:n, :)/density(1:n, :)
        momentum(1:n, :) = momentum(1:n, :)/density(1:n, :)
        call halo(momentum, 1)
        x = home
        v = (momentum(0:n, :) + momentum(1:n + 1, :))/2
        if (rank == 0) v(0, :) = 0
        if (rank == ranks - 1) v(n, :) = 0
        call find_mass()
    end subroutine

    subroutine find_mass()
        call halo(density, 1)
        mass(1:n, :) = density(1:n, :)*(home(1:n, :) - home(0:n - 1, :))
        mass(0, :) = density(0, :)*(home(1, :) - home(0, :))
        mass(n + 1, :) = density(n + 1, :)*(home(n, :) - home(n - 1, :))
    end subroutine

    real(dp) function plot()
        real(dp) :: mine(rows), all(rows)
        mine = sum(energy(1:n, :)*mass(1:n, :), 1)
        all = 0
        call MPI_Reduce(mine, all, rows, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
        plot = sum(all)
    end function

    subroutine prepare()
        integer :: i, j
        do j = 1, rows
            do i = 0, n
                home(i, j) = real(i + rank*n, dp)/(n*ranks)
            end do
            do i = 1, n
                density(i, j) = merge(1._dp, 0.125_dp, home(i, j) < 0.3_dp + 0.01_dp*j)
                energy(i, j) = merge(2.5_dp, 2._dp, home(i, j) < 0.3_dp + 0.01_dp*j)
            end do
        end do
        x = home
        v = 0
        time = 0
        call find_mass()
    end subroutine
end module

program ale
    use shock
    implicit none
    integer :: step, steps
    real(dp) :: dt, inner
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    steps = argument(5000)
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    call prepare()
    do step = 1, steps
        dt = length_of_step()
        call lagrange(dt)
        time = time + dt
        if (modulo(step, each) == 0) call remap()
        if (modulo(step, 500) == 0) inner = plot()
    end do
    if (rank == 0) print '(i0,a,f9.5,a,f12.5)', steps, ' steps to ', time, ', inner energy ', inner
    call say_loops(steps, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
