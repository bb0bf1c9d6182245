! SPDX-License-Identifier: BSD-3-Clause
! Large eddies: Runge-Kutta with 3 stages, and in each a pressure by multigrid until it has converged.
!
! usage: stages [STEPS]
!
! The main loop are the time steps. But for statistics in each 20th, a step makes no calls besides its stages,
! each of 2 to 7 V-cycles.
module eddies
    use mpi_f08
    implicit none
    integer, parameter :: dp = kind(1d0), n = 64, m = 32, levels = 4
    real(dp) :: velocity(n, 0:m + 1), pressure(n, 0:m + 1, levels)
    integer :: rank, ranks, up, down
contains
    subroutine halo(field, level)
        real(dp), intent(inout) :: field(n, 0:m + 1)
        integer, intent(in) :: level
        integer :: points, rows
        points = n/2**(level - 1)
        rows = m/2**(level - 1)
        call MPI_Sendrecv(field(1, rows), points, MPI_DOUBLE_PRECISION, down, level, field(1, 0), points, &
                          MPI_DOUBLE_PRECISION, up, level, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Sendrecv(field(1, 1), points, MPI_DOUBLE_PRECISION, up, level, field(1, rows + 1), points, &
                          MPI_DOUBLE_PRECISION, down, level, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine

    subroutine smooth(level, times)
        integer, intent(in) :: level, times
        integer :: k, rows
        rows = m/2**(level - 1)
        do k = 1, times
            call halo(pressure(:, :, level), level)
            pressure(:, 1:rows, level) = 0.5_dp*pressure(:, 1:rows, level) + 0.01_dp*cos(pressure(:, 1:rows, level)) &
                                         + 0.2_dp*(pressure(:, 0:rows - 1, level) + pressure(:, 2:rows + 1, level))
        end do
    end subroutine

    recursive subroutine cycle_from(level)
        integer, intent(in) :: level
        real(dp) :: sum_of_all
        if (level == levels) then
            call MPI_Allreduce(pressure(1, 1, level), sum_of_all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
            pressure(:, :, level) = pressure(:, :, level) + 1d-3*sum_of_all
            return
        end if
        call smooth(level, 2)
        pressure(:, :, level + 1) = 0.5_dp*pressure(:, :, level)
        call cycle_from(level + 1)
        pressure(:, :, level) = 0.9_dp*pressure(:, :, level) + 0.1_dp*pressure(:, :, level + 1) + 1d-3
        call smooth(level, 1)
    end subroutine

    subroutine solve(cycles)
        integer, intent(in) :: cycles
        real(dp) :: mine, residual
        integer :: k
        do k = 1, cycles
            call cycle_from(1)
            mine = sum(pressure(:, 1:m, 1)**2)
            call MPI_Allreduce(mine, residual, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        end do
    end subroutine

    subroutine advect(part)
        real(dp), intent(in) :: part
        integer :: k
        call halo(velocity, 1)
        do k = 1, 6
            velocity(:, 1:m) = 0.99_dp*velocity(:, 1:m) + 1d-3 &
                               + 0.01_dp*part*(velocity(:, 0:m - 1) - velocity(:, 2:m + 1))*sin(velocity(:, 1:m))
        end do
    end subroutine

    real(dp) function energy()
        real(dp) :: mine
        mine = sum(velocity(:, 1:m)**2)
        call MPI_Reduce(mine, energy, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
    end function
end module

program stages
    use eddies
    implicit none
    integer :: step, steps, stage
    real(dp) :: now
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    up = modulo(rank - 1, ranks)
    down = modulo(rank + 1, ranks)
    steps = argument(250)
    velocity = rank + 0.5_dp
    pressure = 0.1_dp
    do step = 1, steps
        do stage = 1, 3
            call advect(1d0/stage)
            call solve(2 + modulo(5*step + 3*stage, 6))
        end do
        if (modulo(step, 20) == 0) then
            now = energy()
            if (rank == 0) print '(a,i0,a,es14.6)', 'step ', step, ' energy ', now
        end if
    end do
    call say_loops(steps, 0)
    call MPI_Finalize()
contains
    include 'programs.inc'
end program
