! SPDX-License-Identifier: BSD-3-Clause
! A plasma as a density in space and velocity, moved along its paths, with the field by a Fourier sum.
!
! usage: vlasov [STEPS]
!
! The main loop are the time steps: half of the way in space, where each rank has all places of some
! velocities; a transposition; the field, which all ranks solve alike; velocities; the transposition back;
! and the other half. Diagnostics each 5 steps, a slice of the density to rank 0 each 50.
module plasma
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 256, modes = 16
    real(dp), parameter :: pi = acos(-1._dp), length = 4*pi, fastest = 6, dt = 0.1_dp
    real(dp), allocatable :: f(:, :), g(:, :), sent(:, :, :), got(:, :, :)
    real(dp) :: field(n)
    integer :: rank, ranks, own, first, ierr
contains
    ! Each line of a moved by so many cells, periodic; cubic in between.
    subroutine shift_line(a, cells)
        real(dp), intent(inout) :: a(n)
        real(dp), intent(in) :: cells
        real(dp) :: old(-1:n + 2), t
        integer :: i, whole, from
        whole = floor(-cells)
        t = -cells - whole
        do i = -1, n + 2
            from = modulo(i + whole - 1, n) + 1
            old(i) = a(from)
        end do
        do i = 1, n
            a(i) = -t*(t - 1)*(t - 2)/6*old(i - 1) + (t + 1)*(t - 1)*(t - 2)/2*old(i) &
                   - (t + 1)*t*(t - 2)/2*old(i + 1) + (t + 1)*t*(t - 1)/6*old(i + 2)
        end do
    end subroutine

    pure real(dp) function velocity(k)
        integer, intent(in) :: k
        velocity = fastest*(2*(k - 0.5_dp)/n - 1)
    end function

    subroutine move_places(step)
        real(dp), intent(in) :: step
        integer :: k
        do k = 1, own
            call shift_line(f(:, k), step*velocity(first + k)*n/length)
        end do
    end subroutine

    subroutine move_velocities(step)
        real(dp), intent(in) :: step
        integer :: i
        do i = 1, own
            call shift_line(g(:, i), step*field(first + i)*n/(2*fastest))
        end do
    end subroutine

    subroutine transpose_all(a, b)
        real(dp), intent(in) :: a(n, own)
        real(dp), intent(out) :: b(n, own)
        integer :: r
        do r = 1, ranks
            sent(:, :, r) = transpose(a((r - 1)*own + 1:r*own, :))
        end do
        call MPI_Alltoall(sent, own*own, MPI_DOUBLE_PRECISION, got, own*own, MPI_DOUBLE_PRECISION, &
                          MPI_COMM_WORLD, ierr)
        do r = 1, ranks
            b((r - 1)*own + 1:r*own, :) = got(:, :, r)
        end do
    end subroutine

    ! The density of each place is known to one rank; then to all.
    subroutine solve_field()
        real(dp) :: mine(own), density(n), x, re, im
        integer :: i, k
        do i = 1, own
            mine(i) = sum(g(:, i))*2*fastest/n
        end do
        call MPI_Allgather(mine, own, MPI_DOUBLE_PRECISION, density, own, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
        field = 0
        do k = 1, modes
            re = 0
            im = 0
            do i = 1, n
                x = 2*pi*k*i/n
                re = re + density(i)*cos(x)*2/n
                im = im + density(i)*sin(x)*2/n
            end do
            do i = 1, n
                x = 2*pi*k*i/n
                field(i) = field(i) + (re*sin(x) - im*cos(x))*length/(2*pi*k)
            end do
        end do
    end subroutine

    subroutine time_step()
        call move_places(dt/2)
        call transpose_all(f, g)
        call solve_field()
        call move_velocities(dt)
        call transpose_all(g, f)
        call move_places(dt/2)
    end subroutine

    real(dp) function diagnose()
        real(dp) :: mine(3), all(3)
        integer :: k
        mine = 0
        do k = 1, own
            mine = mine + sum(f(:, k))*[1._dp, velocity(first + k), velocity(first + k)**2]
        end do
        all = 0
        call MPI_Reduce(mine, all, 3, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
        diagnose = all(3)/n**2
    end function

    subroutine write_slice()
        real(dp) :: slice(n)
        call MPI_Gather(f(1, :), own, MPI_DOUBLE_PRECISION, slice, own, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    end subroutine

    subroutine prepare()
        integer :: i, k
        own = n/ranks
        first = rank*own
        allocate (f(n, own), g(n, own), sent(own, own, ranks), got(own, own, ranks))
        do k = 1, own
            do i = 1, n
                f(i, k) = (1 + 0.05_dp*cos(2*pi*i/n))*velocity(first + k)**2 &
                          *exp(-velocity(first + k)**2/2)/sqrt(2*pi)
            end do
        end do
    end subroutine
end module

program vlasov
    use plasma
    implicit none
    integer :: step, steps
    real(dp) :: energy
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    steps = argument(3000)
    call prepare()
    energy = diagnose()
    do step = 1, steps
        call time_step()
        if (modulo(step, 5) == 0) energy = diagnose()
        if (modulo(step, 50) == 0) call write_slice()
    end do
    if (rank == 0) print '(i0,a,2f12.6)', steps, ' steps, energy, field ', energy, sum(field**2)
    call say_loops(steps, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
