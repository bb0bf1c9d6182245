! SPDX-License-Identifier: BSD-3-Clause
! An atmosphere, as a climate model has it: physics in columns, and dynamics in several kinds of shorter steps.
!
! usage: dycore [STEPS]
!
! The main loop are the steps of physics. In each, there are two of vertical remapping, each with three of
! dynamics of three stages, then tracers; radiation in each third step. A history is written each 12th step.
module fields
    use mpi_f08
    implicit none
    integer, parameter :: dp = kind(1d0), n = 64, m = 16, levels = 12, tracers = 3, remaps = 2, substeps = 3
    real(dp), parameter :: dt = 0.12_dp, stages(3) = [1/3._dp, 0.5_dp, 1.0_dp]
    real(dp), dimension(levels, n, 0:m + 1) :: u = 0, v = 0, t = 0, thickness = 1
    real(dp) :: q(levels, n, 0:m + 1, tracers) = 0, heating(levels, n, m) = 0
    integer :: rank, ranks, south, north
end module

module edges
    use fields
    implicit none
contains
    ! Begins the exchange of one field; requests: four of them.
    subroutine begin(f, tag, requests)
        real(dp), intent(inout), asynchronous :: f(levels, n, 0:m + 1)
        integer, intent(in) :: tag
        type(MPI_Request), intent(out) :: requests(4)
        call MPI_Irecv(f(1, 1, 0), levels*n, MPI_DOUBLE_PRECISION, south, tag, MPI_COMM_WORLD, requests(1))
        call MPI_Irecv(f(1, 1, m + 1), levels*n, MPI_DOUBLE_PRECISION, north, tag + 1, MPI_COMM_WORLD, requests(2))
        call MPI_Isend(f(1, 1, m), levels*n, MPI_DOUBLE_PRECISION, north, tag, MPI_COMM_WORLD, requests(3))
        call MPI_Isend(f(1, 1, 1), levels*n, MPI_DOUBLE_PRECISION, south, tag + 1, MPI_COMM_WORLD, requests(4))
    end subroutine

    subroutine exchange_winds()
        type(MPI_Request) :: requests(16)
        call begin(u, 0, requests(1:4))
        call begin(v, 2, requests(5:8))
        call begin(t, 4, requests(9:12))
        call begin(thickness, 6, requests(13:16))
        call MPI_Waitall(16, requests, MPI_STATUSES_IGNORE)
    end subroutine

    subroutine exchange_tracers()
        type(MPI_Request) :: requests(4*tracers)
        integer :: k
        do k = 1, tracers
            call begin(q(:, :, :, k), 8 + 2*k, requests(4*k - 3:4*k))
        end do
        call MPI_Waitall(4*tracers, requests, MPI_STATUSES_IGNORE)
    end subroutine
end module

module dynamics
    use edges
    implicit none
    real(dp), dimension(levels, n, m) :: u0, v0, t0, h0
contains
    pure integer function west(i)
        integer, intent(in) :: i
        west = merge(n, i - 1, i == 1)
    end function

    pure integer function east(i)
        integer, intent(in) :: i
        east = merge(1, i + 1, i == n)
    end function

    subroutine run_stage(weight)
        real(dp), intent(in) :: weight
        real(dp), dimension(levels, n, m) :: du, dv, dh, dtemp
        real(dp) :: turning
        integer :: i, j, w, e
        call exchange_winds()
        do j = 1, m
            turning = 0.2_dp*sin(0.05_dp*(j + rank*m - 0.5_dp*m*ranks))
            do i = 1, n
                w = west(i)
                e = east(i)
                du(:, i, j) = turning*v(:, i, j) - 0.5_dp*(thickness(:, e, j) - thickness(:, w, j)) + &
                    0.05_dp*(u(:, w, j) + u(:, e, j) + u(:, i, j - 1) + u(:, i, j + 1) - 4*u(:, i, j))
                dv(:, i, j) = -turning*u(:, i, j) - 0.5_dp*(thickness(:, i, j + 1) - thickness(:, i, j - 1)) + &
                    0.05_dp*(v(:, w, j) + v(:, e, j) + v(:, i, j - 1) + v(:, i, j + 1) - 4*v(:, i, j))
                dh(:, i, j) = -0.5_dp*(u(:, e, j) - u(:, w, j) + v(:, i, j + 1) - v(:, i, j - 1)) + &
                    0.02_dp*(thickness(:, w, j) + thickness(:, e, j) - 2*thickness(:, i, j)) - 0.01_dp*t(:, i, j)
                dtemp(:, i, j) = -0.5_dp*u(:, i, j)*(t(:, e, j) - t(:, w, j)) + &
                    0.08_dp*(t(:, w, j) + t(:, e, j) + t(:, i, j - 1) + t(:, i, j + 1) - 4*t(:, i, j))
            end do
        end do
        u(:, :, 1:m) = u0 + weight*dt*du
        v(:, :, 1:m) = v0 + weight*dt*dv
        t(:, :, 1:m) = t0 + weight*dt*dtemp
        thickness(:, :, 1:m) = h0 + weight*dt*dh
    end subroutine

    subroutine run_dynamics()
        integer :: k, stage
        do k = 1, substeps
            u0 = u(:, :, 1:m)
            v0 = v(:, :, 1:m)
            t0 = t(:, :, 1:m)
            h0 = thickness(:, :, 1:m)
            do stage = 1, size(stages)
                call run_stage(stages(stage))
            end do
        end do
    end subroutine

    ! Upwind, with the winds that there are.
    subroutine move_tracers()
        real(dp) :: next(levels, n, m), length
        integer :: i, j, k
        call exchange_tracers()
        length = substeps*dt
        do k = 1, tracers
            do j = 1, m
                do i = 1, n
                    next(:, i, j) = q(:, i, j, k) - length*( &
                        max(u(:, i, j), 0.0_dp)*(q(:, i, j, k) - q(:, west(i), j, k)) + &
                        min(u(:, i, j), 0.0_dp)*(q(:, east(i), j, k) - q(:, i, j, k)) + &
                        max(v(:, i, j), 0.0_dp)*(q(:, i, j, k) - q(:, i, j - 1, k)) + &
                        min(v(:, i, j), 0.0_dp)*(q(:, i, j + 1, k) - q(:, i, j, k)))
                end do
            end do
            q(:, :, 1:m, k) = max(0.0_dp, next)
        end do
    end subroutine

    ! Each column for itself: layers are made as thick as they should be.
    subroutine remap()
        real(dp) :: whole, fraction(levels)
        integer :: i, j
        do j = 1, m
            do i = 1, n
                whole = sum(thickness(:, i, j))/levels
                fraction = thickness(:, i, j)/whole - 1
                t(2:, i, j) = t(2:, i, j) - 0.1_dp*fraction(2:)*(t(2:, i, j) - t(:levels - 1, i, j))
                thickness(:, i, j) = thickness(:, i, j) + 0.2_dp*(whole - thickness(:, i, j))
            end do
        end do
    end subroutine
end module

module physics
    use edges
    implicit none
contains
    subroutine radiate(step)
        integer, intent(in) :: step
        real(dp) :: sun, beam
        integer :: i, j, k, b
        do j = 1, m
            do i = 1, n
                sun = max(0.0_dp, cos(0.1_dp*i - 0.05_dp*step))
                do b = 1, 8
                    beam = sun
                    do k = 1, levels
                        heating(k, i, j) = 0.01_dp*beam*(1 - exp(-0.1_dp*b*q(k, i, j, 1))) - 0.002_dp*t(k, i, j)
                        beam = beam*exp(-0.1_dp*b*q(k, i, j, 1))
                    end do
                end do
            end do
        end do
    end subroutine

    ! Rain and turbulence; without any neighbours.
    subroutine run_columns()
        real(dp) :: rain
        integer :: i, j, k
        do j = 1, m
            do i = 1, n
                do k = 1, levels
                    rain = max(0.0_dp, q(k, i, j, 1) - 0.5_dp*exp(0.3_dp*t(k, i, j)))*0.2_dp
                    q(k, i, j, 1) = q(k, i, j, 1) - rain
                    t(k, i, j) = t(k, i, j) + 0.5_dp*rain + heating(k, i, j)
                end do
                q(levels, i, j, 1) = q(levels, i, j, 1) + 0.02_dp*(1 - q(levels, i, j, 1))
                u(:, i, j) = 0.995_dp*u(:, i, j)
                v(:, i, j) = 0.995_dp*v(:, i, j)
            end do
        end do
    end subroutine

    ! What was lost of the mass is put back.
    subroutine fix_mass()
        real(dp) :: mine, whole
        mine = sum(thickness(:, :, 1:m))
        call MPI_Allreduce(mine, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        thickness(:, :, 1:m) = thickness(:, :, 1:m)*(real(levels, dp)*n*m*ranks/whole)
    end subroutine

    subroutine write_history(step)
        integer, intent(in) :: step
        real(dp), allocatable :: all(:, :, :)
        allocate (all(levels, n, merge(m*ranks, 1, rank == 0)))
        call MPI_Gather(t(:, :, 1:m), levels*n*m, MPI_DOUBLE_PRECISION, all, levels*n*m, MPI_DOUBLE_PRECISION, &
                        0, MPI_COMM_WORLD)
        if (rank == 0) print '(a,i0,a,2f12.7)', 'step ', step, ': ', maxval(all), sum(all)/size(all)
    end subroutine
end module

program dycore
    use dynamics
    use physics
    implicit none
    integer :: step, steps, k, i
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    steps = argument(120)
    south = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    north = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    do i = 1, n
        t(:, i, 1:m) = 0.3_dp*cos(0.2_dp*i + rank)
        q(:, i, 1:m, :) = 0.4_dp + 0.1_dp*sin(0.1_dp*i)
    end do
    do step = 1, steps
        if (modulo(step, 3) == 1) call radiate(step)
        call run_columns()
        do k = 1, remaps
            call run_dynamics()
            call move_tracers()
            call remap()
        end do
        call fix_mass()
        if (modulo(step, 12) == 0) call write_history(step)
    end do
    call say_loops(steps, 0)
    call MPI_Finalize()
contains
    include 'programs.inc'
end program
