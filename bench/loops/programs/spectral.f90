! SPDX-License-Identifier: BSD-3-Clause
! Turbulence in two dimensions, by Fourier transforms whose rows are redistributed among all ranks.
!
! usage: spectral [STEPS]
!
! The main loop are the time steps, of two stages; a stage is five transforms, each a transposition
! by MPI_Alltoall. Each 10 steps there is a spectrum.
module flow
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 128
    real(dp), parameter :: pi = acos(-1d0)
    complex(dp), allocatable :: vorticity(:, :), work(:, :), gathered(:, :, :), sent(:, :, :)
    integer :: rank, ranks, own, ierr
contains
    ! Of columns of n, in place; way is 1 or -1.
    subroutine transform_columns(a, way)
        complex(dp), intent(inout) :: a(:, :)
        integer, intent(in) :: way
        complex(dp) :: turn, twist, odd
        integer :: c, i, j, bit, half
        do c = 1, size(a, 2)
            j = 0
            do i = 0, n - 2
                if (i < j) a([i, j] + 1, c) = a([j, i] + 1, c)
                bit = n/2
                do while (iand(j, bit) /= 0)
                    j = ieor(j, bit)
                    bit = bit/2
                end do
                j = ior(j, bit)
            end do
            half = 1
            do while (half < n)
                do j = 0, half - 1
                    turn = way*pi*j/half*(0, 1)
                    twist = exp(turn)
                    do i = j + 1, n, 2*half
                        odd = twist*a(i + half, c)
                        a(i + half, c) = a(i, c) - odd
                        a(i, c) = a(i, c) + odd
                    end do
                end do
                half = 2*half
            end do
        end do
    end subroutine

    subroutine transpose_all(a)
        complex(dp), intent(inout) :: a(n, own)
        integer :: r
        do r = 1, ranks
            sent(:, :, r) = transpose(a((r - 1)*own + 1:r*own, :))
        end do
        call MPI_Alltoall(sent, own*own, MPI_DOUBLE_COMPLEX, gathered, own*own, MPI_DOUBLE_COMPLEX, &
                          MPI_COMM_WORLD, ierr)
        do r = 1, ranks
            a((r - 1)*own + 1:r*own, :) = gathered(:, :, r)
        end do
    end subroutine

    subroutine to_space(a)
        complex(dp), intent(inout) :: a(n, own)
        call transform_columns(a, 1)
        call transpose_all(a)
        call transform_columns(a, 1)
    end subroutine

    subroutine to_waves(a)
        complex(dp), intent(inout) :: a(n, own)
        call transform_columns(a, -1)
        call transpose_all(a)
        call transform_columns(a, -1)
        a = a/n**2
    end subroutine

    integer function wave(i)
        integer, intent(in) :: i
        wave = merge(i - 1, i - 1 - n, i <= n/2)
    end function

    ! u . grad vorticity, and friction
    subroutine change(w, dw)
        complex(dp), intent(in) :: w(n, own)
        complex(dp), intent(out) :: dw(n, own)
        complex(dp), dimension(n, own) :: u, v, wx, wy
        integer :: i, j, kx, ky, square
        do j = 1, own
            do i = 1, n
                ky = wave(i)
                kx = wave(j + rank*own)
                square = max(1, kx**2 + ky**2)
                u(i, j) = (0, 1)*ky*w(i, j)/square
                v(i, j) = -(0, 1)*kx*w(i, j)/square
                wx(i, j) = (0, 1)*kx*w(i, j)
                wy(i, j) = (0, 1)*ky*w(i, j)
            end do
        end do
        call to_space(u)
        call to_space(v)
        call to_space(wx)
        call to_space(wy)
        dw = cmplx(-real(u)*real(wx) - real(v)*real(wy), 0, dp)
        call to_waves(dw)
        do j = 1, own
            do i = 1, n
                kx = wave(j + rank*own)
                dw(i, j) = dw(i, j)*merge(1, 0, max(abs(kx), abs(wave(i))) <= 42) &
                           - 2e-3_dp*(kx**2 + wave(i)**2)*w(i, j)
            end do
        end do
    end subroutine

    real(dp) function spectrum()
        real(dp) :: mine(0:n), all(0:n)
        integer :: i, j, shell
        mine = 0
        do j = 1, own
            do i = 1, n
                shell = nint(hypot(real(wave(i), dp), real(wave(j + rank*own), dp)))
                mine(shell) = mine(shell) + abs(vorticity(i, j))**2
            end do
        end do
        call MPI_Reduce(mine, all, n + 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
        spectrum = sum(all)
    end function
end module

program spectral
    use flow
    implicit none
    complex(dp), allocatable :: d1(:, :), d2(:, :)
    integer :: step, steps
    real(dp), parameter :: dt = 2e-3_dp
    real(dp) :: enstrophy
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    steps = argument(220)
    own = n/ranks
    allocate (vorticity(n, own), work(n, own), d1(n, own), d2(n, own), gathered(own, own, ranks), sent(own, own, ranks))
    vorticity = 0
    if (rank == 0) vorticity(2:6, 2:5) = reshape([(exp((0, 1)*cmplx(step**2, 0, dp)), step=1, 20)], [5, 4])
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    do step = 1, steps
        call change(vorticity, d1)
        work = vorticity + dt*d1
        call change(work, d2)
        vorticity = vorticity + dt/2*(d1 + d2)
        if (modulo(step, 10) == 0) enstrophy = spectrum()
    end do
    if (rank == 0) print '(i0,a,f12.6)', steps, ' steps, enstrophy ', enstrophy
    call say_loops(steps, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
