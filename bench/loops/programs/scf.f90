! SPDX-License-Identifier: BSD-3-Clause
! A self-consistent field: density to potential to wave functions to density, at several geometries.
!
! usage: scf
!
! The main loop are the self-consistency cycles. In each, bands are found by an inner iteration,
! 2 to 8 times a product with the Hamiltonian, orthogonalisation and a small matrix of all ranks, with
! less effort in the beginning. Around it are 8 geometries.
module fields
    use mpi_f08
    implicit none
    integer, parameter :: dp = kind(1d0), n = 3000, bands = 8, geometries = 8, most_cycles = 60
    real(dp) :: psi(0:n + 1, bands), h_psi(n, bands), potential(n), ions(n), density(n)
    real(dp) :: small(bands, bands), values(bands)
    integer :: rank, ranks, left, right, inner = 0
contains
    subroutine sum_of_all(a)
        real(dp), intent(inout) :: a(:, :)
        call MPI_Allreduce(MPI_IN_PLACE, a, size(a), MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    end subroutine

    subroutine halo()
        real(dp) :: out(bands), in(bands)
        out = psi(1, :)
        call MPI_Sendrecv(out, bands, MPI_DOUBLE_PRECISION, left, 0, in, bands, &
                          MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        psi(n + 1, :) = in
        out = psi(n, :)
        call MPI_Sendrecv(out, bands, MPI_DOUBLE_PRECISION, right, 1, in, bands, &
                          MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        psi(0, :) = in
    end subroutine

    subroutine apply_hamiltonian()
        integer :: b
        call halo()
        do b = 1, bands
            h_psi(:, b) = (potential + 2)*psi(1:n, b) - psi(0:n - 1, b) - psi(2:n + 1, b)
        end do
    end subroutine

    subroutine orthonormalise()
        integer :: b, c
        small = matmul(transpose(psi(1:n, :)), psi(1:n, :))
        call sum_of_all(small)
        do b = 1, bands ! Cholesky
            small(b, b) = sqrt(small(b, b) - sum(small(b, 1:b - 1)**2))
            do c = b + 1, bands
                small(c, b) = (small(c, b) - sum(small(c, 1:b - 1)*small(b, 1:b - 1)))/small(b, b)
            end do
            do c = 1, b - 1
                psi(1:n, b) = psi(1:n, b) - small(b, c)*psi(1:n, c)
            end do
            psi(1:n, b) = psi(1:n, b)/small(b, b)
        end do
    end subroutine

    ! Down the gradient until it is below limit: how often.
    integer function find_bands(limit)
        real(dp), intent(in) :: limit
        real(dp) :: change, all
        integer :: b
        do find_bands = 1, 8
            call apply_hamiltonian()
            small = matmul(transpose(psi(1:n, :)), h_psi)
            call sum_of_all(small)
            change = 0
            do b = 1, bands
                values(b) = small(b, b)
                h_psi(:, b) = h_psi(:, b) - matmul(psi(1:n, :), small(:, b))
                change = change + sum(h_psi(:, b)**2)
                psi(1:n, b) = psi(1:n, b) - 0.3_dp*h_psi(:, b)
            end do
            call orthonormalise()
            call MPI_Allreduce(change, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
            if (sqrt(all) < limit .and. find_bands > 1) return
        end do
    end function

    ! Mixes the new density in: how far it is from the old one.
    real(dp) function mix()
        real(dp) :: new(n), mine
        integer :: b
        new = 0
        do b = 1, bands
            new = new + 2*psi(1:n, b)**2
        end do
        mine = sum((new - density)**2)
        call MPI_Allreduce(mine, mix, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        density = density + 0.5_dp*(new - density)
        potential = ions + 0.8_dp*density
        mix = sqrt(mix)
    end function

    integer function solve()
        real(dp) :: change
                change = 1
        do solve = 1, most_cycles
            inner = inner + min(8, find_bands(max(1e-4_dp, 0.7_dp*change)))
            change = mix()
            call MPI_Bcast(values, bands, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
            if (change < 5e-3_dp) return
        end do
    end function

    subroutine place_ions(geometry)
        integer, intent(in) :: geometry
        integer :: i
        ions = [(-0.6_dp*exp(-1e-2_dp*(modulo(i, n/2) - 600 - modulo(5*geometry**2, 37))**2), i=1, n)]
        potential = ions + 0.8_dp*density
    end subroutine
end module

program scf
    use fields
    implicit none
    integer :: geometry, cycles, now
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
    call random_init(.true., .false.)
    call random_number(psi)
    density = 0
    call orthonormalise()
    cycles = 0
    do geometry = 1, geometries
        call place_ions(geometry)
        now = min(solve(), most_cycles)
        cycles = cycles + now
        if (rank == 0) print '(a,i0,a,i0,a,f10.5)', 'geometry ', geometry, ', ', now, &
            ' cycles, energy ', sum(values)
    end do
    if (rank == 0) print '(i0,a)', inner, ' inner iterations'
    call say_loops(cycles, geometries)
    call MPI_Finalize()
contains
    include 'programs.inc'
end program
