! SPDX-License-Identifier: BSD-3-Clause
! Quasiparticles of a crystal: screening at many q-points and frequencies, which two groups of ranks share.
!
! usage: gw [POINTS]
!
! The main loop are the q-points. At each, a group has some blocks of frequencies, not as many as the other
! one: polarisation from the bands, in chunks, and the inverse of the dielectric matrix, whose
! rows are shared out in the group. Then all groups add what they have to the self-energy, and rank 0 gets the
! matrix. In the end, matrix elements of some states are computed.
module screening
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 96, bands = 64, chunks = 4, panel = 12, groups = 2, states = 10
    real(dp) :: wave(n, bands), coulomb(n)
    real(dp), allocatable :: chi(:, :), eps(:, :), inverse(:, :), screened(:, :), self(:, :)
    integer :: rank, ranks, group, others, me, members, which, own, first, ierr, blocks = 0
contains
    subroutine make_groups()
        members = ranks/groups
        which = rank/members
        call MPI_Comm_split(MPI_COMM_WORLD, which, rank, group, ierr)
        call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, members), rank, others, ierr)
        call MPI_Comm_rank(group, me, ierr)
        own = n/members
        first = me*own
        allocate (chi(n, own), eps(n, own), inverse(n, own), screened(n, own), self(n, own))
        self = 0
    end subroutine

    ! Rank 0 reads, here: computes, the wave functions.
    subroutine read_waves(point)
        integer, intent(in) :: point
        integer :: i, b
        if (rank == 0) then
            do b = 1, bands
                wave(:, b) = [(sin(0.7_dp*i*b + 0.3_dp*point)/sqrt(real(n, dp)), i=1, n)]
            end do
            coulomb = [(0.4_dp/(1 + 0.02_dp*(i + modulo(point, 5))**2), i=1, n)]
        end if
        call MPI_Bcast(wave, size(wave), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
        call MPI_Bcast(coulomb, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    end subroutine

    ! A chunk of bands, of which each rank of the group has a part; then each has its columns of the sum.
    subroutine add_chunk(chunk, frequency)
        integer, intent(in) :: chunk
        real(dp), intent(in) :: frequency
        real(dp) :: part(n, n), mine(n, own), scaled(n, bands/chunks/members)
        integer :: b, k
        b = (chunk - 1)*bands/chunks + me*(bands/chunks/members)
        do k = 1, size(scaled, 2)
            scaled(:, k) = wave(:, b + k)*2*k/(k**2 + frequency**2)
        end do
        part = matmul(scaled, transpose(wave(:, b + 1:b + size(scaled, 2))))
        call MPI_Reduce_scatter_block(part, mine, n*own, MPI_DOUBLE_PRECISION, MPI_SUM, group, ierr)
        chi = chi - mine
    end subroutine

    ! Gauss and Jordan on columns of the group's ranks, whose owner tells the factors of a panel.
    subroutine invert()
        real(dp) :: factors(n, panel)
        integer :: k, p, owner
        inverse = 0
        do k = 1, own
            inverse(first + k, k) = 1
        end do
        do p = 0, n - 1, panel
            owner = p/own
            if (me == owner) call eliminate_panel(p, factors)
            call MPI_Bcast(factors, n*panel, MPI_DOUBLE_PRECISION, owner, group, ierr)
            if (me /= owner) call follow(eps, p, factors)
            call follow(inverse, p, factors)
        end do
    end subroutine

    subroutine one_step(a, row, factor)
        real(dp), intent(inout) :: a(:, :)
        integer, intent(in) :: row
        real(dp), intent(in) :: factor(n)
        integer :: j
        real(dp) :: x
        do j = 1, size(a, 2)
            x = a(row, j)
            a(row, j) = 0
            a(:, j) = a(:, j) + factor*x
        end do
    end subroutine

    subroutine eliminate_panel(p, factors)
        integer, intent(in) :: p
        real(dp), intent(out) :: factors(n, panel)
        integer :: k, column
        do k = 1, panel
            column = p + k - first
            factors(:, k) = -eps(:, column)/eps(p + k, column)
            factors(p + k, k) = 1/eps(p + k, column)
            call one_step(eps, p + k, factors(:, k))
        end do
    end subroutine

    subroutine follow(a, p, factors)
        real(dp), intent(inout) :: a(:, :)
        integer, intent(in) :: p
        real(dp), intent(in) :: factors(n, panel)
        integer :: k
        do k = 1, panel
            call one_step(a, p + k, factors(:, k))
        end do
    end subroutine

    subroutine do_block(frequency)
        real(dp), intent(in) :: frequency
        integer :: chunk, k
        chi = 0
        do chunk = 1, chunks
            call add_chunk(chunk, frequency)
        end do
        do k = 1, own
            eps(:, k) = -coulomb*chi(:, k)
            eps(first + k, k) = eps(first + k, k) + 1
        end do
        call invert()
        do k = 1, own
            screened(:, k) = screened(:, k) + inverse(:, k)*coulomb(first + k)/(1 + frequency)
        end do
        blocks = blocks + 1
    end subroutine

    ! How many blocks of frequencies a group has at a q-point.
    pure integer function blocks_of(point, g)
        integer, intent(in) :: point, g
        blocks_of = 3 + modulo(5*point + 2*g, 4)
    end function

    ! The sum of both groups; what a state would get from it.
    real(dp) function add_to_self_energy(point)
        integer, intent(in) :: point
        real(dp) :: sum_of_groups(n, own), mine
        call MPI_Allreduce(screened, sum_of_groups, n*own, MPI_DOUBLE_PRECISION, MPI_SUM, others, ierr)
        self = self + sum_of_groups/(1 + point)
        mine = dot_product(matmul(wave(:, 1), sum_of_groups), wave(first + 1:first + own, 1))
        call MPI_Allreduce(mine, add_to_self_energy, 1, MPI_DOUBLE_PRECISION, MPI_SUM, group, ierr)
    end function

    ! By the first group, to rank 0.
    real(dp) function write_matrix()
        real(dp) :: all(n, n)
        all = 0
        if (which == 0) call MPI_Gather(inverse, n*own, MPI_DOUBLE_PRECISION, all, n*own, &
                                        MPI_DOUBLE_PRECISION, 0, group, ierr)
        write_matrix = sum(all)
    end function

    function matrix_elements() result(values)
        real(dp) :: values(states), mine(states)
        integer :: s
        do s = 1, states
            mine(s) = dot_product(matmul(wave(:, s), self), wave(first + 1:first + own, s))
        end do
        call MPI_Allreduce(mine, values, states, MPI_DOUBLE_PRECISION, MPI_SUM, group, ierr)
    end function
end module

program gw
    use screening
    implicit none
    integer :: point, points, k
    real(dp) :: total, written, values(states)
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    if (modulo(ranks, groups) /= 0 .or. modulo(n*groups, ranks*panel) /= 0) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
    points = argument(150)
    call make_groups()
    total = 0
    written = 0
    do point = 1, points
        call read_waves(point)
        screened = 0
        do k = 1, blocks_of(point, which)
            call do_block(0.3_dp*(groups*k + which))
        end do
        total = total + add_to_self_energy(point)
        written = written + write_matrix()
    end do
    values = matrix_elements()
    if (rank == 0) print '(i0,a,i0,a,2es14.6)', points, ' q-points, ', blocks, ' blocks here, sums ', total, written
    if (rank == 0) print '(a,10f10.5)', 'states', values
    call MPI_Comm_free(group, ierr)
    call MPI_Comm_free(others, ierr)
    call say_loops(points, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
