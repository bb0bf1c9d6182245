! SPDX-License-Identifier: BSD-3-Clause
! Amplitudes of pairs of electrons, as in coupled-cluster methods: iterated, and extrapolated (DIIS).
!
! usage: amplitudes
!
! The main loop are the iterations. In each, every rank needs the blocks of all others, which go
! round by MPI_Bcast one after the other, and multiplies them with its own integrals; then new
! amplitudes, the energy, and from the third one on an extrapolation by the last 6. Before, there are
! orbitals by a short iteration, and a transformation of the integrals. Each 5 the amplitudes are saved.
module pairs
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 960, history = 6, most = 100
    real(dp), allocatable, dimension(:, :) :: t, residual, ladder, ring, block, integrals
    real(dp), allocatable, dimension(:, :, :) :: old_t, old_r
    real(dp) :: levels(n), energy
    integer :: rank, ranks, own, first, ierr
contains
    ! Orbital energies: damped until they do not change.
    integer function find_levels()
        real(dp) :: mine(n), all(n), change
        integer :: i, k
        levels = [(0.05_dp*i, i=1, n)]
        do find_levels = 1, 30
            mine = 0
            do k = first + 1, first + own
                do i = 1, n
                    mine(i) = mine(i) + 0.02_dp*exp(-0.1_dp*abs(i - k))*tanh(levels(k))
                end do
            end do
            call MPI_Allreduce(mine, all, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
            all = [(1 + 0.05_dp*i, i=1, n)] + all
            change = maxval(abs(all - levels))
            levels = (levels + all)/2
            if (change < 1e-4_dp) return
        end do
    end function

    real(dp) function repulsion(i, j)
        integer, intent(in) :: i, j
        repulsion = 0.22_dp*cos(0.3_dp*i)*cos(0.3_dp*j)/(1 + 0.2_dp*abs(i - j))
    end function

    ! Columns of the integrals, transformed block by block of all ranks.
    subroutine transform()
        real(dp), allocatable :: sent(:, :, :), got(:, :, :)
        integer :: i, j, r
        allocate (sent(own, own, ranks), got(own, own, ranks))
        do j = 1, own
            do i = 1, n
                integrals(i, j) = repulsion(i, first + j)
            end do
        end do
        do r = 1, ranks
            sent(:, :, r) = transpose(integrals((r - 1)*own + 1:r*own, :))
        end do
        call MPI_Alltoall(sent, own*own, MPI_DOUBLE_PRECISION, got, own*own, MPI_DOUBLE_PRECISION, &
                          MPI_COMM_WORLD, ierr)
        do r = 1, ranks
            integrals((r - 1)*own + 1:r*own, :) = (integrals((r - 1)*own + 1:r*own, :) + got(:, :, r))/2
        end do
    end subroutine

    subroutine contract(r)
        integer, intent(in) :: r
        real(dp) :: small(own, own)
        small = integrals(r*own + 1:(r + 1)*own, :)
        ladder = ladder + matmul(block, small)
        small = t(r*own + 1:(r + 1)*own, :)
        ring = ring + matmul(block, matmul(small, integrals(first + 1:first + own, :)))
    end subroutine

    subroutine find_residual()
        integer :: i, j, r
        ladder = 0
        ring = 0
        do r = 0, ranks - 1
            if (r == rank) block = t
            call MPI_Bcast(block, n*own, MPI_DOUBLE_PRECISION, r, MPI_COMM_WORLD, ierr)
            call contract(r)
        end do
        do j = 1, own
            do i = 1, n
                residual(i, j) = integrals(i, j) + 0.9_dp*ladder(i, j) - 0.4_dp*ring(i, j) &
                                 - (levels(i) + levels(first + j))*t(i, j)
            end do
        end do
    end subroutine

    real(dp) function update()
        real(dp) :: mine(2), all(2)
        integer :: j
        do j = 1, own
            t(:, j) = t(:, j) + residual(:, j)/(levels + levels(first + j))
        end do
        mine = [sum(residual**2), sum(t*integrals)]
        call MPI_Allreduce(mine, all, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
        energy = -all(2)
        update = sqrt(all(1))
    end function

    ! Of the small system of the last residuals; pivots are on its diagonal.
    subroutine solve_small(b, c, k)
        integer, intent(in) :: k
        real(dp), intent(inout) :: b(k, k), c(k)
        integer :: i, j
        do i = 1, k
            b(i, i) = b(i, i)*(1 + 1e-10_dp)
        end do
        do i = 1, k
            do j = i + 1, k
                c(j) = c(j) - b(j, i)/b(i, i)*c(i)
                b(j, :) = b(j, :) - b(j, i)/b(i, i)*b(i, :)
            end do
        end do
        do i = k, 1, -1
            c(i) = (c(i) - sum(b(i, i + 1:)*c(i + 1:)))/b(i, i)
        end do
        c = c/sum(c)
    end subroutine

    subroutine extrapolate(iteration)
        integer, intent(in) :: iteration
        real(dp) :: mine(history, history), all(history, history), c(history)
        integer :: i, j, k
        k = min(iteration, history)
        i = modulo(iteration - 1, history) + 1
        old_t(:, :, i) = t
        old_r(:, :, i) = residual
        if (iteration < 3) return
        mine = 0
        do j = 1, k
            do i = 1, j
                mine(i, j) = sum(old_r(:, :, i)*old_r(:, :, j))
                mine(j, i) = mine(i, j)
            end do
        end do
        call MPI_Allreduce(mine, all, history**2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
        c = 1
        call solve_small(all(:k, :k), c(:k), k)
        t = 0
        do i = 1, k
            t = t + c(i)*old_t(:, :, i)
        end do
    end subroutine

    subroutine save_amplitudes()
        real(dp), allocatable :: all(:, :)
        allocate (all(n, merge(n, 1, rank == 0)))
        call MPI_Gather(t, n*own, MPI_DOUBLE_PRECISION, all, n*own, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    end subroutine

    ! How many iterations.
    integer function iterate(limit)
        real(dp), intent(in) :: limit
        t = 0
        do iterate = 1, most
            call find_residual()
            if (update() < limit) return
            call extrapolate(iterate)
            if (modulo(iterate, 5) == 0) call save_amplitudes()
        end do
    end function
end module

program amplitudes
    use pairs
    implicit none
    integer :: before, iterations
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    own = n/ranks
    first = rank*own
    allocate (t(n, own), residual(n, own), ladder(n, own), ring(n, own), block(n, own), integrals(n, own))
    allocate (old_t(n, own, history), old_r(n, own, history))
    before = min(find_levels(), 30)
    call transform()
    iterations = min(iterate(1e-9_dp), most)
    if (rank == 0) print '(2(i0,a),f14.8)', before, ' for orbitals, ', iterations, ' iterations, energy ', energy
    call say_loops(iterations, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
