! SPDX-License-Identifier: BSD-3-Clause
! A benchmark of implicit time steps, a direction at a time (ADI), in blocks that are dealt out so
! that each rank has one in each layer, whatever the direction.
!
! usage: adi [STEPS]
!
! The main loop are the time steps that are timed. Before them there is one that is not, after which all
! is set up anew. A step has an exchange of the faces of all blocks, and for each direction a
! system of equations along lines: forth through the layers, and back. The ranks are a square.
module blocks
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 40, most = 4
    real(dp), parameter :: s = 0.4_dp
    real(dp) :: u(0:n + 1, 0:n + 1, 0:n + 1, most), rhs(n, n, n, most)
    real(dp) :: lines(n, n, n), high(n, n, n, most)
    integer :: rank, ranks, p, place(2), after(3), before(3), ierr
contains
    integer function rank_at(i, j)
        integer, intent(in) :: i, j
        rank_at = modulo(i, p) + p*modulo(j, p)
    end function

    ! Block c is in layer c of the third direction.
    integer function layer(d, c)
        integer, intent(in) :: d, c
        layer = c
        if (d < 3) layer = modulo(place(d) + c, p)
    end function

    subroutine make_set()
        p = nint(sqrt(real(ranks)))
        place = [modulo(rank, p), rank/p]
        after = [rank_at(place(1) + 1, place(2)), rank_at(place(1), place(2) + 1), rank_at(place(1) - 1, place(2) - 1)]
        before = [rank_at(place(1) - 1, place(2)), rank_at(place(1), place(2) - 1), rank_at(place(1) + 1, place(2) + 1)]
    end subroutine

    subroutine initialize()
        integer :: c, i, j, k
        real(dp) :: x(3)
        u = 0
        do c = 0, p - 1
            do k = 1, n
                do j = 1, n
                    do i = 1, n
                        x = ([i, j, k] + n*[layer(1, c), layer(2, c), c] - 0.5_dp)/(n*p)
                        u(i, j, k, c + 1) = product(x*(1 - x))*16 + 0.1_dp*sin(9*x(1) - 7*x(2)*x(3))
                    end do
                end do
            end do
        end do
    end subroutine

    ! The face of block c on a side of direction d, the own layer or the ghosts.
    subroutine face(d, c, at, a, puts)
        integer, intent(in) :: d, c, at
        real(dp), intent(inout) :: a(n, n)
        logical, intent(in) :: puts
        select case (d)
        case (1)
            if (puts) u(at, 1:n, 1:n, c) = a
            if (.not. puts) a = u(at, 1:n, 1:n, c)
        case (2)
            if (puts) u(1:n, at, 1:n, c) = a
            if (.not. puts) a = u(1:n, at, 1:n, c)
        case (3)
            if (puts) u(1:n, 1:n, at, c) = a
            if (.not. puts) a = u(1:n, 1:n, at, c)
        end select
    end subroutine

    subroutine copy_faces()
        real(dp) :: out(n, n, most, 6), in(n, n, most, 6)
        integer :: requests(12), d, c, other
        do d = 1, 3
            do c = 1, p
                call face(d, c, n, out(:, :, c, d), .false.)
                call face(d, c, 1, out(:, :, c, d + 3), .false.)
            end do
        end do
        do d = 1, 3
            call MPI_Irecv(in(1, 1, 1, d), n*n*p, MPI_DOUBLE_PRECISION, before(d), d, MPI_COMM_WORLD, requests(d), ierr)
            call MPI_Irecv(in(1, 1, 1, d + 3), n*n*p, MPI_DOUBLE_PRECISION, after(d), d + 3, MPI_COMM_WORLD, &
                           requests(d + 3), ierr)
        end do
        do d = 1, 3
            call MPI_Isend(out(1, 1, 1, d), n*n*p, MPI_DOUBLE_PRECISION, after(d), d, MPI_COMM_WORLD, &
                           requests(d + 6), ierr)
            call MPI_Isend(out(1, 1, 1, d + 3), n*n*p, MPI_DOUBLE_PRECISION, before(d), d + 3, MPI_COMM_WORLD, &
                           requests(d + 9), ierr)
        end do
        call MPI_Waitall(12, requests, MPI_STATUSES_IGNORE, ierr)
        ! What comes is in the order of the sender's blocks; none goes round the border of all.
        do d = 1, 3
            do c = 1, p
                other = c - merge(1, 0, d == 3)
                if (layer(d, c - 1) > 0) call face(d, c, 0, in(:, :, other, d), .true.)
                other = c + merge(1, 0, d == 3)
                if (layer(d, c - 1) < p - 1) call face(d, c, n + 1, in(:, :, other, d + 3), .true.)
            end do
        end do
    end subroutine

    subroutine compute_rhs()
        integer :: c, i, j, k
        call copy_faces()
        do c = 1, p
            do k = 1, n
                do j = 1, n
                    do i = 1, n
                        rhs(i, j, k, c) = s*(u(i + 1, j, k, c) + u(i - 1, j, k, c) + u(i, j + 1, k, c) &
                                             + u(i, j - 1, k, c) + u(i, j, k + 1, c) + u(i, j, k - 1, c) &
                                             - 6*u(i, j, k, c)) + 1e-3_dp*u(i, j, k, c)*(1 - u(i, j, k, c)**2)
                    end do
                end do
            end do
        end do
    end subroutine

    ! Lines along d become the last index, or back.
    function turned(d, a) result(b)
        integer, intent(in) :: d
        real(dp), intent(in) :: a(n, n, n)
        real(dp) :: b(n, n, n)
        integer :: orders(3, 3)
        orders = reshape([3, 2, 1, 1, 3, 2, 1, 2, 3], [3, 3])
        b = reshape(a, [n, n, n], order=orders(:, d))
    end function

    ! (1 - s dd) along d: forth, and back.
    subroutine solve_direction(d)
        integer, intent(in) :: d
        integer :: stage, c, k, request
        real(dp), dimension(n, n, 2) :: out, in
        real(dp) :: w(n, n)
        request = MPI_REQUEST_NULL
        do stage = 0, p - 1
            c = block_of(d, stage)
            in = 0
            if (stage > 0) call MPI_Recv(in, 2*n*n, MPI_DOUBLE_PRECISION, before(d), 10 + d, MPI_COMM_WORLD, &
                                         MPI_STATUS_IGNORE, ierr)
            lines = turned(d, rhs(:, :, :, c))
            do k = 1, n
                w = 1/(1 + 2*s - s*in(:, :, 1))
                in(:, :, 1) = s*w
                in(:, :, 2) = (lines(:, :, k) + s*in(:, :, 2))*w
                high(:, :, k, c) = in(:, :, 1)
                lines(:, :, k) = in(:, :, 2)
            end do
            rhs(:, :, :, c) = turned(d, lines)
            call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
            out = in
            if (stage < p - 1) call MPI_Isend(out, 2*n*n, MPI_DOUBLE_PRECISION, after(d), 10 + d, MPI_COMM_WORLD, &
                                              request, ierr)
        end do
        do stage = p - 1, 0, -1
            c = block_of(d, stage)
            w = 0
            if (stage < p - 1) call MPI_Recv(w, n*n, MPI_DOUBLE_PRECISION, after(d), 20 + d, MPI_COMM_WORLD, &
                                             MPI_STATUS_IGNORE, ierr)
            lines = turned(d, rhs(:, :, :, c))
            do k = n, 1, -1
                w = lines(:, :, k) + high(:, :, k, c)*w
                lines(:, :, k) = w
            end do
            rhs(:, :, :, c) = turned(d, lines)
            call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
            out(:, :, 1) = w
            if (stage > 0) call MPI_Isend(out, n*n, MPI_DOUBLE_PRECISION, before(d), 20 + d, MPI_COMM_WORLD, &
                                          request, ierr)
        end do
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    end subroutine

    integer function block_of(d, stage)
        integer, intent(in) :: d, stage
        block_of = stage + 1
        if (d < 3) block_of = modulo(stage - place(d), p) + 1
    end function

    subroutine step_adi()
        integer :: c
        call compute_rhs()
        call solve_direction(1)
        call solve_direction(2)
        call solve_direction(3)
        do c = 1, p
            u(1:n, 1:n, 1:n, c) = u(1:n, 1:n, 1:n, c) + rhs(:, :, :, c)
        end do
    end subroutine

    real(dp) function norm(a)
        real(dp), intent(in) :: a(:, :, :, :)
        real(dp) :: mine
        mine = sum(a(:, :, :, 1:p)**2)
        call MPI_Allreduce(mine, norm, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
        norm = sqrt(norm/(real(n, dp)*p)**3)
    end function
end module

program adi
    use blocks
    implicit none
    integer :: step, steps
    real(dp) :: change, length, mine, seconds
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    steps = argument(150)
    call MPI_Bcast(steps, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call make_set()
    call initialize()
    call step_adi()
    call initialize()
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    mine = MPI_Wtime()
    do step = 1, steps
        if (rank == 0 .and. (modulo(step, 20) == 0 .or. step == 1)) print '(a,i0)', 'time step ', step
        call step_adi()
    end do
    mine = MPI_Wtime() - mine
    length = norm(u(1:n, 1:n, 1:n, :))
    call compute_rhs()
    change = norm(rhs)
    call MPI_Reduce(mine, seconds, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(i0,a,2es14.6)', steps, ' steps, norms ', change, length
    call say_loops(steps, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
