! SPDX-License-Identifier: BSD-3-Clause
! Sound in a moving gas: Runge-Kutta with 5 stages, checkpoints to a file.
!
! usage: rungekutta [STEPS]
!
! The main loop are the time steps: their length by the fastest wave, and 5 stages, each with
! a halo. Each 100 steps all ranks write a checkpoint together, each 20 the energy is summed.
module gas
    use mpi_f08
    implicit none
    integer, parameter :: dp = kind(1d0), n = 128, m = 80, parts = 3
    real(dp), parameter :: a(5) = [0d0, -0.4178904745d0, -1.192151694643d0, -1.697784692471d0, -1.514183444257d0]
    real(dp), parameter :: b(5) = [0.1496590219993d0, 0.3792103129999d0, 0.8229550293869d0, 0.6994504559488d0, &
                                   0.1530572479681d0]
    real(dp) :: q(n, 0:m + 1, parts), rate(n, m, parts)
    integer :: rank, ranks, up, down
contains
    subroutine halo()
        type(MPI_Request) :: requests(4)
        real(dp) :: low(n, parts), high(n, parts)
        call MPI_Irecv(low, n*parts, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, requests(1))
        call MPI_Irecv(high, n*parts, MPI_DOUBLE_PRECISION, down, 2, MPI_COMM_WORLD, requests(2))
        call MPI_Isend(q(:, m, :), n*parts, MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, requests(3))
        call MPI_Isend(q(:, 1, :), n*parts, MPI_DOUBLE_PRECISION, up, 2, MPI_COMM_WORLD, requests(4))
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
        q(:, 0, :) = low
        q(:, m + 1, :) = high
    end subroutine

    subroutine add_rates()
        integer :: i, j, left, right
        do j = 1, m
            do i = 1, n
                left = merge(i - 1, n, i > 1)
                right = merge(i + 1, 1, i < n)
                rate(i, j, 1) = rate(i, j, 1) - 0.5_dp*(q(right, j, 2) - q(left, j, 2) + q(i, j + 1, 3) - q(i, j - 1, 3))
                rate(i, j, 2) = rate(i, j, 2) - 0.5_dp*(q(right, j, 1) - q(left, j, 1))*(1 + 0.1_dp*q(i, j, 1))
                rate(i, j, 3) = rate(i, j, 3) - 0.5_dp*(q(i, j + 1, 1) - q(i, j - 1, 1))*(1 + 0.1_dp*q(i, j, 1))
                rate(i, j, :) = rate(i, j, :) + 0.01_dp*(q(right, j, :) + q(left, j, :) + q(i, j + 1, :) &
                                                         + q(i, j - 1, :) - 4*q(i, j, :))
            end do
        end do
    end subroutine

    subroutine stages(dt)
        real(dp), intent(in) :: dt
        integer :: stage
        do stage = 1, 5
            rate = a(stage)*rate
            call halo()
            call add_rates()
            q(:, 1:m, :) = q(:, 1:m, :) + dt*b(stage)*rate
        end do
    end subroutine

    real(dp) function length_of_step()
        real(dp) :: mine
        mine = 0.9_dp/(1 + maxval(abs(q(:, 1:m, 2:3))))
        call MPI_Allreduce(mine, length_of_step, 1, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD)
    end function

    subroutine checkpoint()
        type(MPI_File) :: file
        integer(MPI_OFFSET_KIND) :: place
        call MPI_File_open(MPI_COMM_WORLD, 'rungekutta.checkpoint', MPI_MODE_CREATE + MPI_MODE_WRONLY, &
                           MPI_INFO_NULL, file)
        place = int(rank, MPI_OFFSET_KIND)*n*m*parts*8
        call MPI_File_write_at_all(file, place, q(:, 1:m, :), n*m*parts, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE)
        call MPI_File_close(file)
    end subroutine

    real(dp) function energy()
        real(dp) :: mine
        mine = sum(q(:, 1:m, :)**2)
        call MPI_Reduce(mine, energy, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
    end function
end module

program rungekutta
    use gas
    implicit none
    integer :: step, steps, i, j
    real(dp) :: dt, time, now
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    up = modulo(rank - 1, ranks)
    down = modulo(rank + 1, ranks)
    steps = argument(800)
    q = 0
    rate = 0
    time = 0
    do j = 1, m
        do i = 1, n
            q(i, j, 1) = exp(-0.005_dp*((i - n/2)**2 + (j + m*rank - m)**2))
        end do
    end do
    do step = 1, steps
        dt = length_of_step()
        call stages(dt)
        time = time + dt
        if (modulo(step, 20) == 0) now = energy()
        if (modulo(step, 100) == 0) call checkpoint()
    end do
    if (rank == 0) print '(i0,a,f8.2,a,f10.5)', steps, ' steps, time ', time, ', energy ', now
    call say_loops(steps, 0)
    call MPI_Finalize()
contains
    include 'programs.inc'
end program
