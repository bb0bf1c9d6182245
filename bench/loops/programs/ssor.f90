! SPDX-License-Identifier: BSD-3-Clause
! SSOR on a grid of 2 x 2 ranks: wavefronts run through them, plane by plane, forth and back.
!
! usage: ssor [STEPS]
!
! The main loop are the pseudo-time steps: a right side, whose halos are exchanged, the sweep forth, the
! sweep back, an update. Each 20 steps the norms of what is left are printed.
module pipeline
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 32, planes = 24, fields = 3
    real(dp) :: u(fields, 0:n + 1, 0:n + 1, planes), rest(fields, 0:n + 1, 0:n + 1, planes)
    integer :: comm, rank, ranks, north, south, west, east, ierr
contains
    subroutine begin()
        integer :: shape(2)
        call MPI_Init(ierr)
        call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
        shape = 0
        call MPI_Dims_create(ranks, 2, shape, ierr)
        call MPI_Cart_create(MPI_COMM_WORLD, 2, shape, [.false., .false.], .false., comm, ierr)
        call MPI_Comm_rank(comm, rank, ierr)
        call MPI_Cart_shift(comm, 0, 1, north, south, ierr)
        call MPI_Cart_shift(comm, 1, 1, west, east, ierr)
    end subroutine

    subroutine faces_of_dimension(k, before, after)
        integer, intent(in) :: k, before, after
        real(dp), dimension(fields, n, planes, 2) :: out, in
        integer :: requests(2)
        in = 0
        out(:, :, :, 1) = merge(u(:, 1, 1:n, :), u(:, 1:n, 1, :), k == 1)
        out(:, :, :, 2) = merge(u(:, n, 1:n, :), u(:, 1:n, n, :), k == 1)
        call MPI_Irecv(in(:, :, :, 1), fields*n*planes, MPI_DOUBLE_PRECISION, before, k, comm, requests(1), ierr)
        call MPI_Irecv(in(:, :, :, 2), fields*n*planes, MPI_DOUBLE_PRECISION, after, k, comm, requests(2), ierr)
        call MPI_Send(out(:, :, :, 2), fields*n*planes, MPI_DOUBLE_PRECISION, after, k, comm, ierr)
        call MPI_Send(out(:, :, :, 1), fields*n*planes, MPI_DOUBLE_PRECISION, before, k, comm, ierr)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
        if (k == 1) then
            u(:, 0, 1:n, :) = in(:, :, :, 1)
            u(:, n + 1, 1:n, :) = in(:, :, :, 2)
        else
            u(:, 1:n, 0, :) = in(:, :, :, 1)
            u(:, 1:n, n + 1, :) = in(:, :, :, 2)
        end if
    end subroutine

    subroutine right_side()
        integer :: i, j, k
        call faces_of_dimension(1, north, south)
        call faces_of_dimension(2, west, east)
        do k = 1, planes
            do j = 1, n
                do i = 1, n
                    rest(:, i, j, k) = 0.02_dp*k + u(:, i - 1, j, k) + u(:, i + 1, j, k) + u(:, i, j - 1, k) &
                                       + u(:, i, j + 1, k) - 4.05_dp*u(:, i, j, k) + 0.01_dp*sin(u(:, i, j, k))
                end do
            end do
        end do
    end subroutine

    ! One plane comes in at two sides, is solved and goes out at the others.
    subroutine sweep(forth)
        logical, intent(in) :: forth
        real(dp) :: line(fields, n)
        integer :: plane, k, from(2), to(2), edge, last, way, i, j
        from = merge([north, west], [south, east], forth)
        to = merge([south, east], [north, west], forth)
        edge = merge(0, n + 1, forth)
        last = merge(n, 1, forth)
        way = merge(1, -1, forth)
        do plane = 1, planes
            k = merge(plane, planes + 1 - plane, forth)
            line = 0
            call MPI_Recv(line, size(line), MPI_DOUBLE_PRECISION, from(1), k, comm, MPI_STATUS_IGNORE, ierr)
            rest(:, edge, 1:n, k) = line
            line = 0
            call MPI_Recv(line, size(line), MPI_DOUBLE_PRECISION, from(2), k, comm, MPI_STATUS_IGNORE, ierr)
            rest(:, 1:n, edge, k) = line
            do j = edge + way, last, way
                do i = edge + way, last, way
                    rest(:, i, j, k) = (rest(:, i, j, k) + rest(:, i - way, j, k) + rest(:, i, j - way, k))/4.2_dp
                end do
            end do
            line = rest(:, last, 1:n, k)
            call MPI_Send(line, size(line), MPI_DOUBLE_PRECISION, to(1), k, comm, ierr)
            line = rest(:, 1:n, last, k)
            call MPI_Send(line, size(line), MPI_DOUBLE_PRECISION, to(2), k, comm, ierr)
        end do
    end subroutine

    subroutine print_norms(step)
        integer, intent(in) :: step
        real(dp) :: mine(fields), all(fields)
        mine = sum(sum(sum(rest(:, 1:n, 1:n, :)**2, 4), 3), 2)
        call MPI_Reduce(mine, all, fields, MPI_DOUBLE_PRECISION, MPI_SUM, 0, comm, ierr)
        if (rank == 0) print '(a,i0,*(es12.4))', 'step ', step, sqrt(all)
    end subroutine
end module

program ssor
    use pipeline
    implicit none
    integer :: step, steps
    call begin()
    steps = argument(300)
    u = 0
    do step = 1, steps
        call right_side()
        call sweep(.true.)
        call sweep(.false.)
        u(:, 1:n, 1:n, :) = u(:, 1:n, 1:n, :) + 1.2_dp*rest(:, 1:n, 1:n, :)
        if (modulo(step, 20) == 0) call print_norms(step)
    end do
    call say_loops(steps, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
