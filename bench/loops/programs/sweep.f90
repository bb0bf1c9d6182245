! SPDX-License-Identifier: BSD-3-Clause
! Neutron transport by discrete ordinates: the greatest eigenvalue of a reactor.
!
! usage: sweep
!
! The main loop are the outer iterations, in each of which all fission is known: for each group of
! energies, sources of scattering are iterated, 2 to 12 times a sweep. A sweep goes through all ranks
! as a pipeline, direction by direction, in pieces of the grid, from both sides.
module reactor
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 144, m = 30, groups = 2, angles = 4, piece = 36, most_outer = 300
    real(dp), parameter :: mu(angles) = [0.2_dp, 0.5_dp, 0.75_dp, 0.95_dp], share = 1._dp/(4*angles)
    real(dp) :: flux(n, m, groups), new(n, m), source(n, m), fission(n, m), total(n, m, groups)
    real(dp) :: scatter(n, m, groups), k_now
    integer :: rank, ranks, sweeps = 0, ierr
contains
    subroutine prepare()
        integer :: i, j, row
        logical :: is_fuel
        do j = 1, m
            row = j + rank*m
            do i = 1, n
                is_fuel = modulo(i/8 + row/8, 2) == 0 .and. i > 24 .and. i < 120
                total(i, j, :) = merge([0.40_dp, 0.90_dp], [0.45_dp, 1.10_dp], is_fuel)
                scatter(i, j, :) = merge([0.30_dp, 0.60_dp], [0.38_dp, 1.02_dp], is_fuel)
            end do
        end do
        flux = 1
        k_now = 1
    end subroutine

    ! The neutrons that fission makes; the sum of all.
    real(dp) function find_fission()
        real(dp) :: mine
        integer :: i, j
        do j = 1, m
            do i = 1, n
                fission(i, j) = merge(0.012_dp*flux(i, j, 1) + 0.5_dp*flux(i, j, 2), 0._dp, total(i, j, 2) < 1)
            end do
        end do
        mine = sum(fission)
        call MPI_Allreduce(mine, find_fission, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end function

    ! One piece of columns, one direction: dy up or down, dx to the right or left.
    subroutine sweep_piece(g, first, dx, dy, a, edge, side)
        integer, intent(in) :: g, first, dx, dy, a
        real(dp), intent(inout) :: edge(piece), side(m)
        real(dp) :: across, along, psi, eta
        integer :: i, j, ii, jj
        eta = sqrt(1 - mu(a)**2)
        do jj = 1, m
            j = merge(jj, m + 1 - jj, dy > 0)
            do ii = 1, piece
                i = first + merge(ii, piece + 1 - ii, dx > 0)
                across = side(j)
                along = edge(i - first)
                psi = (source(i, j) + 2*mu(a)*across + 2*eta*along)/(total(i, j, g) + 2*mu(a) + 2*eta)
                side(j) = max(0._dp, 2*psi - across)
                edge(i - first) = max(0._dp, 2*psi - along)
                new(i, j) = new(i, j) + share*psi
            end do
        end do
    end subroutine

    subroutine sweep_direction(g, dx, dy)
        integer, intent(in) :: g, dx, dy
        real(dp) :: edge(piece, angles), side(m, angles)
        integer :: a, p, first, before, after
        before = merge(rank - dy, MPI_PROC_NULL, rank - dy >= 0 .and. rank - dy < ranks)
        after = merge(rank + dy, MPI_PROC_NULL, rank + dy >= 0 .and. rank + dy < ranks)
        side = 0
        do p = 0, n/piece - 1
            first = merge(p*piece, n - (p + 1)*piece, dx > 0)
            edge = 0
            call MPI_Recv(edge, piece*angles, MPI_DOUBLE_PRECISION, before, 0, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE, ierr)
            do a = 1, angles
                call sweep_piece(g, first, dx, dy, a, edge(:, a), side(:, a))
            end do
            call MPI_Send(edge, piece*angles, MPI_DOUBLE_PRECISION, after, 0, MPI_COMM_WORLD, ierr)
        end do
    end subroutine

    subroutine sweep_all(g)
        integer, intent(in) :: g
        new = 0
        call sweep_direction(g, 1, 1)
        call sweep_direction(g, -1, 1)
        call sweep_direction(g, 1, -1)
        call sweep_direction(g, -1, -1)
        sweeps = sweeps + 1
    end subroutine

    subroutine find_source(g)
        integer, intent(in) :: g
        source = scatter(:, :, g)*flux(:, :, g)
        if (g == 1) source = source + fission/k_now
        if (g == 2) source = source + 0.06_dp*flux(:, :, 1)
    end subroutine

    ! The iterations of scattering within a group.
    subroutine solve_group(g)
        integer, intent(in) :: g
        real(dp) :: mine, change
        integer :: inner
        do inner = 1, 12
            call find_source(g)
            call sweep_all(g)
            mine = maxval(abs(new - flux(:, :, g))/new)
            flux(:, :, g) = new
            call MPI_Allreduce(mine, change, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
            if (change < 1e-3_dp .and. inner > 1) exit
        end do
    end subroutine

    ! How many outer iterations it takes.
    integer function solve()
        real(dp) :: born, before, old
        integer :: g
        born = find_fission()
        do solve = 1, most_outer
            before = born
            do g = 1, groups
                call solve_group(g)
            end do
            born = find_fission()
            old = k_now
            k_now = k_now*born/before
            if (abs(k_now - old) < 1e-6_dp) return
        end do
    end function

    real(dp) function power()
        real(dp), allocatable :: all(:, :, :)
        allocate (all(n, m, merge(ranks, 1, rank == 0)))
        call MPI_Gather(fission, n*m, MPI_DOUBLE_PRECISION, all, n*m, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
        power = 0
        if (rank == 0) power = maxval(all)/sum(all)*count(all > 0)
    end function
end module

program sweep
    use reactor
    implicit none
    integer :: outer
    real(dp) :: peak
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    call prepare()
    outer = min(solve(), most_outer)
    peak = power()
    if (rank == 0) print '(i0,a,i0,a,f9.6,a,f7.4)', outer, ' outer iterations, ', sweeps, &
        ' sweeps, k ', k_now, ', peak ', peak
    call say_loops(outer, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
