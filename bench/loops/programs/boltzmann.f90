! SPDX-License-Identifier: BSD-3-Clause
! Lattice Boltzmann: a channel with an obstacle, nine velocities.
!
! usage: boltzmann [STEPS]
!
! The main loop are the time steps. Each 20 steps it is looked whether the flow is steady, which it is
! not; each 250 rank 0 gets the velocities, in the order of ranks. Forces on the obstacle are
! summed in each step from the middle of the run on.
module lattice
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 180, m = 36, wide = n*9
    integer, parameter :: ex(9) = [0, 1, 0, -1, 0, 1, -1, -1, 1], ey(9) = [0, 0, 1, 0, -1, 1, 1, -1, -1]
    integer, parameter :: back(9) = [1, 4, 5, 2, 3, 8, 9, 6, 7]
    real(dp), parameter :: w(9) = [4/9._dp, 1/9._dp, 1/9._dp, 1/9._dp, 1/9._dp, &
                                   1/36._dp, 1/36._dp, 1/36._dp, 1/36._dp]
    real(dp), parameter :: inflow = 0.06_dp, rate = 1.6_dp
    real(dp) :: f(9, n, 0:m + 1), new(9, n, 0:m + 1), speed(n, m), old(n, m), drag
    logical :: is_solid(n, 0:m + 1)
    integer :: rank, ranks, up, down, ierr
contains
    pure function rest(density, ux, uy) result(a)
        real(dp), intent(in) :: density, ux, uy
        real(dp) :: a(9), eu(9)
        eu = ex*ux + ey*uy
        a = density*w*(1 + 3*eu + 4.5_dp*eu**2 - 1.5_dp*(ux**2 + uy**2))
    end function

    subroutine prepare()
        integer :: i, j, row
        do j = 0, m + 1
            row = j + rank*m
            do i = 1, n
                is_solid(i, j) = (i - 40)**2 + (row - 2*m - 3)**2 < 14**2
                f(:, i, j) = rest(1._dp, inflow, 0._dp)
            end do
        end do
        old = 0
    end subroutine

    subroutine collide()
        real(dp) :: density, ux, uy
        integer :: i, j
        do j = 1, m
            do i = 1, n
                if (is_solid(i, j)) cycle
                density = sum(f(:, i, j))
                ux = dot_product(ex, f(:, i, j))/density
                uy = dot_product(ey, f(:, i, j))/density
                f(:, i, j) = (1 - rate)*f(:, i, j) + rate*rest(density, ux, uy)
                speed(i, j) = ux
            end do
        end do
    end subroutine

    subroutine exchange()
        integer :: requests(4)
        call MPI_Irecv(f(1, 1, 0), wide, MPI_DOUBLE_PRECISION, up, 0, MPI_COMM_WORLD, requests(1), ierr)
        call MPI_Irecv(f(1, 1, m + 1), wide, MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, requests(2), ierr)
        call MPI_Isend(f(1, 1, m), wide, MPI_DOUBLE_PRECISION, down, 0, MPI_COMM_WORLD, requests(3), ierr)
        call MPI_Isend(f(1, 1, 1), wide, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, requests(4), ierr)
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    end subroutine

    ! What comes out of a solid is turned back, and pushes it.
    subroutine stream()
        integer :: i, j, k, from
        drag = 0
        do j = 1, m
            do i = 1, n
                do k = 1, 9
                    from = modulo(i - 1 - ex(k), n) + 1
                    if (is_solid(from, j - ey(k))) then
                        new(k, i, j) = f(back(k), i, j)
                        drag = drag - 2*ex(k)*f(back(k), i, j)
                    else
                        new(k, i, j) = f(k, from, j - ey(k))
                    end if
                end do
            end do
        end do
        f(:, :, 1:m) = new(:, :, 1:m)
        do j = 1, m
            f(:, 1, j) = rest(1._dp, inflow, 0._dp)
            f(:, n, j) = f(:, n - 1, j)
        end do
    end subroutine

    logical function is_steady()
        real(dp) :: mine(2), all(2)
        mine = [sum((speed - old)**2), sum(speed**2)]
        call MPI_Allreduce(mine, all, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
        is_steady = all(1) < 1e-14_dp*all(2)
        old = speed
    end function

    ! Rank 0 gets the velocities one rank after the other.
    real(dp) function output()
        real(dp) :: got(n, m)
        integer :: r
        output = sum(speed)
        if (rank > 0) call MPI_Send(speed, n*m, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, ierr)
        if (rank > 0) return
        do r = 1, ranks - 1
            call MPI_Recv(got, n*m, MPI_DOUBLE_PRECISION, r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
            output = output + sum(got)
        end do
    end function

    subroutine time_step()
        call collide()
        call exchange()
        call stream()
    end subroutine
end module

program boltzmann
    use lattice
    implicit none
    integer :: step, steps, done
    real(dp) :: flow, mean, all
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    steps = argument(2000)
    call MPI_Bcast(steps, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    up = modulo(rank - 1, ranks)
    down = modulo(rank + 1, ranks)
    call prepare()
    flow = 0
    mean = 0
    done = 0
    do step = 1, steps
        call time_step()
        done = step
        if (step > steps/2) then
            call MPI_Reduce(drag, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
            mean = mean + all/steps
        end if
        if (modulo(step, 250) == 0) flow = output()
        if (modulo(step, 20) == 0) then
            if (is_steady()) exit
        end if
    end do
    if (rank == 0) print '(i0,a,f12.6,a,f9.5)', done, ' steps, flow ', flow/(n*m*ranks), ', drag ', mean
    call say_loops(done, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
