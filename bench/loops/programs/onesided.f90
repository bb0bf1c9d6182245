! SPDX-License-Identifier: BSD-3-Clause
! Waves in shallow water, whose halos are put into the memory of the neighbours.
!
! usage: onesided [STEPS]
!
! The main loop are the time steps: twice a fence, puts and a fence, once for each kind of
! field. Each 40 steps rank 0 looks at the others' extremes, which they have accumulated there.
module water
    use mpi_f08
    implicit none
    integer, parameter :: dp = kind(1d0), n = 300, m = 60
    real(dp), asynchronous, target :: height(n, 0:m + 1), speed(n, 0:m + 1, 2), extremes(2)
    type(MPI_Win) :: of_height, of_speed, of_extremes
    integer :: rank, ranks, up, down
contains
    subroutine make_window(a, win)
        real(dp), asynchronous, intent(in) :: a(..)
        type(MPI_Win), intent(out) :: win
        call MPI_Win_create(a, size(a)*8_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    end subroutine

    subroutine put_line(line, target_rank, place, win)
        real(dp), asynchronous, intent(in) :: line(n)
        integer, intent(in) :: target_rank, place
        type(MPI_Win), intent(in) :: win
        call MPI_Put(line, n, MPI_DOUBLE_PRECISION, target_rank, int(place, MPI_ADDRESS_KIND)*n, n, &
                     MPI_DOUBLE_PRECISION, win)
    end subroutine

    subroutine halo_of_height()
        call MPI_Win_fence(0, of_height)
        call put_line(height(:, 1), up, m + 1, of_height)
        call put_line(height(:, m), down, 0, of_height)
        call MPI_Win_fence(0, of_height)
    end subroutine

    subroutine halo_of_speed()
        integer :: k
        call MPI_Win_fence(0, of_speed)
        do k = 1, 2
            call put_line(speed(:, 1, k), up, (k - 1)*(m + 2) + m + 1, of_speed)
            call put_line(speed(:, m, k), down, (k - 1)*(m + 2), of_speed)
        end do
        call MPI_Win_fence(0, of_speed)
    end subroutine

    subroutine move_speed(dt)
        real(dp), intent(in) :: dt
        speed(:, 1:m, 1) = speed(:, 1:m, 1) - dt*(cshift(height(:, 1:m), 1) - cshift(height(:, 1:m), -1))
        speed(:, 1:m, 2) = speed(:, 1:m, 2) - dt*(height(:, 2:m + 1) - height(:, 0:m - 1))
        speed(:, 1:m, :) = speed(:, 1:m, :)*0.9995_dp
    end subroutine

    subroutine move_height(dt)
        real(dp), intent(in) :: dt
        height(:, 1:m) = height(:, 1:m) - dt*(cshift(speed(:, 1:m, 1), 1) - cshift(speed(:, 1:m, 1), -1) &
                                              + speed(:, 2:m + 1, 2) - speed(:, 0:m - 1, 2))
    end subroutine

    real(dp) function collect_extremes()
        real(dp), asynchronous :: mine(2)
        mine = [maxval(height(:, 1:m)), maxval(speed(:, 1:m, :))]
        extremes = 0
        call MPI_Win_fence(0, of_extremes)
        call MPI_Accumulate(mine, 2, MPI_DOUBLE_PRECISION, 0, 0_MPI_ADDRESS_KIND, 2, MPI_DOUBLE_PRECISION, &
                            MPI_MAX, of_extremes)
        call MPI_Win_fence(0, of_extremes)
        collect_extremes = extremes(1)
    end function
end module

program onesided
    use water
    implicit none
    integer :: step, steps, i, j
    real(dp) :: highest
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    up = modulo(rank - 1, ranks)
    down = modulo(rank + 1, ranks)
    steps = argument(4000)
    speed = 0
    do j = 0, m + 1
        height(:, j) = [(exp(-1e-2_dp*((i - n/2)**2 + (j + m*rank - 90)**2)), i=1, n)]
    end do
    call make_window(height, of_height)
    call make_window(speed, of_speed)
    call make_window(extremes, of_extremes)
    do step = 1, steps
        call halo_of_height()
        call move_speed(0.15_dp)
        call halo_of_speed()
        call move_height(0.15_dp)
        if (modulo(step, 40) == 0) highest = collect_extremes()
    end do
    call MPI_Win_free(of_height)
    call MPI_Win_free(of_speed)
    call MPI_Win_free(of_extremes)
    if (rank == 0) print '(i0,a,f10.6)', steps, ' steps, highest ', highest
    call say_loops(steps, 0)
    call MPI_Finalize()
contains
    include 'programs.inc'
end program
