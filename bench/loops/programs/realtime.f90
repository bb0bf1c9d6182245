! SPDX-License-Identifier: BSD-3-Clause
! Electrons in a laser pulse: time-dependent density functional theory, in real time and on a grid.
!
! usage: realtime [STEPS]
!
! The main loop are the time steps. Orbitals are taken on with a series of four terms, first with the potential of
! the beginning, then with that of the middle; a potential needs conjugate gradients, as many as it takes.
module electrons
    use mpi_f08
    implicit none
    integer, parameter :: dp = kind(1d0), n = 72, m = 18, orbitals = 5
    real(dp), parameter :: dt = 0.05_dp
    complex(dp), dimension(n, 0:m + 1, orbitals) :: psi = 0, term = 0
    complex(dp) :: h_term(n, m, orbitals), start(n, m, orbitals)
    real(dp) :: density(n, m), well(n, m), hartree(n, 0:m + 1) = 0, total(n, m), before(n, m)
    real(dp) :: direction(n, 0:m + 1) = 0
    integer :: rank, ranks, up, down, iterations = 0
contains
    real(dp) function of_all(mine)
        real(dp), intent(in) :: mine
        call MPI_Allreduce(mine, of_all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    end function

    subroutine prepare()
        integer :: i, j, k
        real(dp) :: x, y
        do j = 1, m
            do i = 1, n
                x = i - 0.5_dp*(n + 1)
                y = j + rank*m - 0.5_dp*(m*ranks + 1)
                well(i, j) = -exp(-((x - 6)**2 + y**2)/80) - exp(-((x + 6)**2 + y**2)/80)
                do k = 1, orbitals
                    psi(i, j, k) = exp(-(x**2 + y**2)/(60 + 5*k))*cos(0.1_dp*k*x)*cos(0.07_dp*(k - 1)*y)
                end do
            end do
        end do
        do k = 1, orbitals
            psi(:, 1:m, k) = psi(:, 1:m, k)/sqrt(of_all(sum(abs(psi(:, 1:m, k))**2)))
        end do
    end subroutine

    ! All orbitals in one message.
    subroutine exchange_orbitals()
        complex(dp), dimension(n, orbitals) :: to_up, to_down, from_up, from_down
        type(MPI_Status) :: status
        from_up = 0
        from_down = 0
        to_up = term(:, 1, :)
        to_down = term(:, m, :)
        call MPI_Sendrecv(to_up, n*orbitals, MPI_DOUBLE_COMPLEX, up, 1, from_down, n*orbitals, MPI_DOUBLE_COMPLEX, &
                          down, 1, MPI_COMM_WORLD, status)
        call MPI_Sendrecv(to_down, n*orbitals, MPI_DOUBLE_COMPLEX, down, 2, from_up, n*orbitals, &
                          MPI_DOUBLE_COMPLEX, up, 2, MPI_COMM_WORLD, status)
        term(:, 0, :) = from_up
        term(:, m + 1, :) = from_down
    end subroutine

    subroutine exchange(f)
        real(dp), intent(inout) :: f(n, 0:m + 1)
        type(MPI_Status) :: status
        call MPI_Sendrecv(f(:, 1), n, MPI_DOUBLE_PRECISION, up, 3, f(:, m + 1), n, MPI_DOUBLE_PRECISION, down, 3, &
                          MPI_COMM_WORLD, status)
        call MPI_Sendrecv(f(:, m), n, MPI_DOUBLE_PRECISION, down, 4, f(:, 0), n, MPI_DOUBLE_PRECISION, up, 4, &
                          MPI_COMM_WORLD, status)
    end subroutine

    subroutine apply_hamiltonian()
        integer :: i, j, k
        complex(dp) :: around
        call exchange_orbitals()
        do k = 1, orbitals
            do j = 1, m
                do i = 1, n
                    around = term(i, j - 1, k) + term(i, j + 1, k)
                    if (i > 1) around = around + term(i - 1, j, k)
                    if (i < n) around = around + term(i + 1, j, k)
                    h_term(i, j, k) = (2 + total(i, j))*term(i, j, k) - 0.5_dp*around
                end do
            end do
        end do
    end subroutine

    ! exp(-i dt H) of what was at the start of the step
    subroutine propagate()
        integer :: k
        psi(:, 1:m, :) = start
        term(:, 1:m, :) = start
        do k = 1, 4
            call apply_hamiltonian()
            term(:, 1:m, :) = (0, -1)*dt/k*h_term
            psi(:, 1:m, :) = psi(:, 1:m, :) + term(:, 1:m, :)
        end do
    end subroutine

    subroutine find_density()
        integer :: k
        density = 0
        do k = 1, orbitals
            density = density + 2*abs(psi(:, 1:m, k))**2
        end do
    end subroutine

    subroutine apply_laplacian(f, g)
        real(dp), intent(inout) :: f(n, 0:m + 1)
        real(dp), intent(out) :: g(n, m)
        call exchange(f)
        g = 4.01_dp*f(:, 1:m) - f(:, 0:m - 1) - f(:, 2:m + 1)
        g(2:, :) = g(2:, :) - f(:n - 1, 1:m)
        g(:n - 1, :) = g(:n - 1, :) - f(2:, 1:m)
    end subroutine

    ! Conjugate gradients, from the potential that there was.
    subroutine solve_poisson()
        real(dp) :: residual(n, m), product(n, m), now, next, step
        call apply_laplacian(hartree, product)
        residual = 6.2831853_dp*density - product
        direction(:, 1:m) = residual
        now = of_all(sum(residual**2))
        do while (now > 1e-7_dp)
            call apply_laplacian(direction, product)
            step = now/of_all(sum(direction(:, 1:m)*product))
            hartree(:, 1:m) = hartree(:, 1:m) + step*direction(:, 1:m)
            residual = residual - step*product
            next = of_all(sum(residual**2))
            direction(:, 1:m) = residual + next/now*direction(:, 1:m)
            now = next
            iterations = iterations + 1
        end do
    end subroutine

    subroutine find_potential(time)
        real(dp), intent(in) :: time
        integer :: i
        call find_density()
        call solve_poisson()
        total = well + 0.2_dp*hartree(:, 1:m) - 0.7_dp*density**(1/3._dp)
        do i = 1, n
            total(i, :) = total(i, :) + 0.02_dp*(i - 0.5_dp*(n + 1))*sin(0.8_dp*time)*exp(-((time - 3)/1.5_dp)**2)
        end do
    end subroutine

    subroutine advance(time)
        real(dp), intent(in) :: time
        start = psi(:, 1:m, :)
        before = total
        call propagate()
        call find_potential(time + dt)
        total = (total + before)/2
        call propagate()
        call find_potential(time + dt)
    end subroutine

    ! The dipole, and how much there is of electrons.
    subroutine measure(values)
        real(dp), intent(out) :: values(2)
        integer :: i
        values = 0
        do i = 1, n
            values = values + [i - 0.5_dp*(n + 1), 1.0_dp]*sum(density(i, :))
        end do
        call MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    end subroutine
end module

program realtime
    use electrons
    implicit none
    integer :: step, steps
    real(dp) :: values(2)
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    steps = argument(150)
    up = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    down = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    call prepare()
    call find_potential(0.0_dp)
    do step = 1, steps
        call advance((step - 1)*dt)
        call measure(values)
        if (rank == 0 .and. modulo(step, 30) == 0) print '(i0,a,2f12.7)', step, ': ', values
    end do
    if (rank == 0) print '(i0,a)', iterations, ' iterations of conjugate gradients'
    call say_loops(steps, 0)
    call MPI_Finalize()
contains
    include 'programs.inc'
end program
