! SPDX-License-Identifier: BSD-3-Clause
! Reaction and diffusion with steps of adaptive length: an embedded Runge-Kutta method of order 3.
!
! usage: adaptive
!
! The main loop are the steps that are tried. One with too large an error is rejected: it is tried
! again with half of the length. Output is made at fixed times, 25 in all, when one has been passed.
module reaction
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 16000
    real(dp), dimension(0:n + 1) :: u, v, mid_u, mid_v
    real(dp) :: ku(n, 4), kv(n, 4)
    integer :: rank, ranks, left, right, ierr
contains
    subroutine halo(x)
        real(dp), intent(inout) :: x(0:n + 1)
        call MPI_Sendrecv(x(1), 1, MPI_DOUBLE_PRECISION, left, 0, x(n + 1), 1, &
                          MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        call MPI_Sendrecv(x(n), 1, MPI_DOUBLE_PRECISION, right, 1, x(0), 1, &
                          MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end subroutine

    subroutine right_side(x, y, dx, dy)
        real(dp), intent(inout) :: x(0:n + 1), y(0:n + 1)
        real(dp), intent(out) :: dx(n), dy(n)
        integer :: i
        call halo(x)
        call halo(y)
        do i = 1, n
            dx(i) = 1 - 4*x(i) + x(i)**2*y(i) + 0.2_dp*(x(i - 1) - 2*x(i) + x(i + 1))
            dy(i) = 3*x(i) - x(i)**2*y(i) + 0.2_dp*(y(i - 1) - 2*y(i) + y(i + 1))
        end do
    end subroutine

    subroutine stage(dt, weights, k)
        integer, intent(in) :: k
        real(dp), intent(in) :: dt, weights(k - 1)
        integer :: i
        mid_u(1:n) = u(1:n)
        mid_v(1:n) = v(1:n)
        do i = 1, k - 1
            mid_u(1:n) = mid_u(1:n) + dt*weights(i)*ku(:, i)
            mid_v(1:n) = mid_v(1:n) + dt*weights(i)*kv(:, i)
        end do
        call right_side(mid_u, mid_v, ku(:, k), kv(:, k))
    end subroutine

    ! The largest error of a step, relative to what is allowed.
    real(dp) function try(dt)
        real(dp), intent(in) :: dt
        real(dp), parameter :: order2(4) = [7, 6, 8, 3]/24d0, order3(4) = [2, 3, 4, 0]/9d0
        real(dp) :: mine, off(4)
        integer :: i
        call right_side(u, v, ku(:, 1), kv(:, 1))
        call stage(dt, [0.5_dp], 2)
        call stage(dt, [0._dp, 0.75_dp], 3)
        call stage(dt, order3(1:3), 4)
        off = dt*(order3 - order2)
        mine = 0
        do i = 1, n
            mine = max(mine, abs(dot_product(off, ku(i, :))) + abs(dot_product(off, kv(i, :))))
        end do
        call MPI_Allreduce(mine, try, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
        try = try/1e-4_dp
    end function

    subroutine output(time)
        real(dp), intent(in) :: time
        real(dp) :: all(ranks)
        call MPI_Gather(u(n/2), 1, MPI_DOUBLE_PRECISION, all, 1, MPI_DOUBLE_PRECISION, 0, &
                        MPI_COMM_WORLD, ierr)
        if (rank == 0) write (*, '(a,f6.2,*(f9.5))') 'time', time, all
    end subroutine
end module

program adaptive
    use reaction
    implicit none
    real(dp) :: time, dt, error, next_output
    integer :: tried, rejected, i
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
    u = 1
    v = [(3 + sin(1e-3_dp*(i + rank*n)), i=0, n + 1)]
    time = 0
    dt = 1e-3_dp
    next_output = 1
    tried = 0
    rejected = 0
    do while (time < 25)
        tried = tried + 1
        error = try(dt)
        if (error > 1) then
            rejected = rejected + 1
            dt = dt/2
            cycle
        end if
        time = time + dt
        u(1:n) = mid_u(1:n)
        v(1:n) = mid_v(1:n)
        dt = dt*min(1.6_dp, max(0.6_dp, 0.97_dp*max(error, 1e-6_dp)**(-1/3._dp)))
        if (time < next_output) cycle
        call output(time)
        next_output = next_output + 1
    end do
    if (rank == 0) print '(i0,a,i0,a)', tried, ' steps, ', rejected, ' rejected'
    call say_loops(tried, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
