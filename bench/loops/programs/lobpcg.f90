! SPDX-License-Identifier: BSD-3-Clause
! The five lowest eigenvalues of a Schroedinger operator, by LOBPCG: locally optimal block preconditioned
! conjugate gradients.
!
! usage: lobpcg
!
! The main loop are the iterations until the five hold. In each, the operator is applied to a block of six
! vectors, two matrices of products are summed up, and all ranks solve the same small problem.
module block_of_vectors
    use mpi_f08
    implicit none
    integer, parameter :: dp = kind(1d0), n = 140, m = 36, kept = 5, wanted = 6, most = 3*wanted
    real(dp), dimension(0:n + 1, 0:m + 1, most) :: s = 0, as = 0 ! x, residuals, directions; A times them
    real(dp) :: potential(n, m), values(wanted), norms(wanted)
    integer :: rank, ranks, up, down
contains
    subroutine prepare()
        integer :: i, j, k
        real(dp) :: x, y
        do j = 1, m
            do i = 1, n
                x = i - 0.5_dp*(n + 1)
                y = j + rank*m - 0.5_dp*(m*ranks + 1)
                potential(i, j) = 1.2e-4_dp*(x**2 + 1.3_dp*y**2) + 0.05_dp*cos(0.3_dp*x)*cos(0.2_dp*y)
                do k = 1, wanted
                    s(i, j, k) = exp(-(x**2 + y**2)/600)*cos(0.02_dp*k*x + 0.3_dp*k**2 + 0.03_dp*(k - 3)*y)
                end do
            end do
        end do
    end subroutine

    subroutine exchange(first, last)
        integer, intent(in) :: first, last
        real(dp), dimension(n, last - first + 1) :: to_up, to_down, from_up, from_down
        type(MPI_Request) :: requests(4)
        from_up = 0
        from_down = 0
        to_up = s(1:n, 1, first:last)
        to_down = s(1:n, m, first:last)
        call MPI_Irecv(from_up, size(from_up), MPI_DOUBLE_PRECISION, up, 0, MPI_COMM_WORLD, requests(1))
        call MPI_Irecv(from_down, size(from_up), MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, requests(2))
        call MPI_Isend(to_down, size(to_up), MPI_DOUBLE_PRECISION, down, 0, MPI_COMM_WORLD, requests(3))
        call MPI_Isend(to_up, size(to_up), MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, requests(4))
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
        s(1:n, 0, first:last) = from_up
        s(1:n, m + 1, first:last) = from_down
    end subroutine

    subroutine apply(first, last)
        integer, intent(in) :: first, last
        integer :: j, k
        call exchange(first, last)
        do k = first, last
            do j = 1, m
                as(1:n, j, k) = (2 + potential(:, j))*s(1:n, j, k) - &
                    0.5_dp*(s(0:n - 1, j, k) + s(2:n + 1, j, k) + s(1:n, j - 1, k) + s(1:n, j + 1, k))
            end do
        end do
    end subroutine

    ! a: s' A s, b: s' s, of the first vectors.
    subroutine find_products(many, a, b)
        integer, intent(in) :: many
        real(dp), intent(out) :: a(many, many), b(many, many)
        real(dp) :: both(many, many, 2)
        integer :: k, l
        do l = 1, many
            do k = 1, l
                both(k, l, 1) = sum(s(1:n, 1:m, k)*as(1:n, 1:m, l))
                both(k, l, 2) = sum(s(1:n, 1:m, k)*s(1:n, 1:m, l))
                both(l, k, :) = both(k, l, :)
            end do
        end do
        call MPI_Allreduce(MPI_IN_PLACE, both, size(both), MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        a = both(:, :, 1)
        b = both(:, :, 2)
    end subroutine

    ! The lower triangle l with b = l l'; is_good: b is positive.
    subroutine factorise(b, is_good)
        real(dp), intent(inout) :: b(:, :)
        logical, intent(out) :: is_good
        integer :: k, many
        many = size(b, 1)
        is_good = .false.
        do k = 1, many
            b(k, k) = b(k, k) - sum(b(k, 1:k - 1)**2)
            if (b(k, k) < 1e-12_dp) return
            b(k, k) = sqrt(b(k, k))
            b(k + 1:, k) = (b(k + 1:, k) - matmul(b(k + 1:, 1:k - 1), b(k, 1:k - 1)))/b(k, k)
        end do
        is_good = .true.
    end subroutine

    ! Rotates a until it is diagonal; v: its eigenvectors.
    subroutine rotate(a, v)
        real(dp), intent(inout) :: a(:, :), v(:, :)
        real(dp) :: t, c, sn, column(size(a, 1))
        integer :: turn, p, q
        do turn = 1, 12
            do p = 1, size(a, 1) - 1
                do q = p + 1, size(a, 1)
                    if (abs(a(p, q)) < 1e-15_dp) cycle
                    t = 0.5_dp*atan2(2*a(p, q), a(q, q) - a(p, p))
                    c = cos(t)
                    sn = sin(t)
                    column = c*a(:, p) - sn*a(:, q)
                    a(:, q) = sn*a(:, p) + c*a(:, q)
                    a(:, p) = column
                    column = c*a(p, :) - sn*a(q, :)
                    a(q, :) = sn*a(p, :) + c*a(q, :)
                    a(p, :) = column
                    column = c*v(:, p) - sn*v(:, q)
                    v(:, q) = sn*v(:, p) + c*v(:, q)
                    v(:, p) = column
                end do
            end do
        end do
    end subroutine

    ! The wanted eigenvectors of a c = b c values, in b's norm.
    subroutine solve_small(a, b, c, is_good)
        real(dp), intent(inout) :: a(:, :), b(:, :)
        real(dp), intent(out) :: c(:, :)
        logical, intent(out) :: is_good
        real(dp) :: v(size(a, 1), size(a, 1)), diagonal(size(a, 1)), lengths(size(a, 1))
        integer :: k, best, many
        many = size(a, 1)
        lengths = [(sqrt(b(k, k)), k=1, many)]
        do k = 1, many
            a(:, k) = a(:, k)/lengths/lengths(k)
            b(:, k) = b(:, k)/lengths/lengths(k)
        end do
        call factorise(b, is_good)
        if (.not. is_good) return
        do k = 1, many
            a(k, :) = (a(k, :) - matmul(b(k, 1:k - 1), a(1:k - 1, :)))/b(k, k)
        end do
        do k = 1, many
            a(:, k) = (a(:, k) - matmul(a(:, 1:k - 1), b(k, 1:k - 1)))/b(k, k)
        end do
        v = 0
        do k = 1, many
            v(k, k) = 1
        end do
        call rotate(a, v)
        diagonal = [(a(k, k), k=1, many)]
        do k = 1, wanted
            best = minloc(diagonal, 1)
            values(k) = diagonal(best)
            diagonal(best) = huge(1.0_dp)
            c(:, k) = v(:, best)
        end do
        do k = many, 1, -1
            c(k, :) = (c(k, :) - matmul(b(k + 1:, k), c(k + 1:, :)))/b(k, k)
        end do
        do k = 1, many
            c(k, :) = c(k, :)/lengths(k)
        end do
    end subroutine

    ! New vectors, and new directions: what is in them of residuals and old directions.
    subroutine combine(many, c)
        integer, intent(in) :: many
        real(dp), intent(in) :: c(many, wanted)
        call combine_one(s, many, c)
        call combine_one(as, many, c)
    end subroutine

    subroutine combine_one(w, many, c)
        integer, intent(in) :: many
        real(dp), intent(in) :: c(many, wanted)
        real(dp), intent(inout) :: w(0:n + 1, 0:m + 1, most)
        real(dp) :: x(wanted), p(wanted)
        integer :: i, j
        do j = 1, m
            do i = 1, n
                p = matmul(w(i, j, wanted + 1:many), c(wanted + 1:, :))
                x = matmul(w(i, j, 1:wanted), c(1:wanted, :)) + p
                w(i, j, 1:wanted) = x
                w(i, j, 2*wanted + 1:) = p
            end do
        end do
    end subroutine

    subroutine find_residuals()
        integer :: k
        do k = 1, wanted
            s(1:n, 1:m, wanted + k) = as(1:n, 1:m, k) - values(k)*s(1:n, 1:m, k)
            norms(k) = sum(s(1:n, 1:m, wanted + k)**2)
        end do
        call MPI_Allreduce(MPI_IN_PLACE, norms, wanted, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        norms = sqrt(norms)
        do k = 1, wanted
            s(1:n, 1:m, wanted + k) = s(1:n, 1:m, wanted + k)/(2 + potential - values(k))/norms(k)
        end do
    end subroutine

    ! Rayleigh and Ritz in the first vectors; without the directions where they depend on each other.
    subroutine project(many)
        integer, intent(in) :: many
        real(dp) :: a(many, many), b(many, many), c(many, wanted), all_a(many, many), all_b(many, many)
        logical :: is_good
        integer :: fewer
        call find_products(many, all_a, all_b)
        a = all_a
        b = all_b
        call solve_small(a, b, c, is_good)
        if (is_good) then
            call combine(many, c)
            return
        end if
        fewer = many - wanted
        a(1:fewer, 1:fewer) = all_a(1:fewer, 1:fewer)
        b(1:fewer, 1:fewer) = all_b(1:fewer, 1:fewer)
        call solve_small(a(1:fewer, 1:fewer), b(1:fewer, 1:fewer), c(1:fewer, :), is_good)
        if (.not. is_good) call MPI_Abort(MPI_COMM_WORLD, 4)
        call combine(fewer, c(1:fewer, :))
    end subroutine
end module

program lobpcg
    use block_of_vectors
    implicit none
    integer :: iterations, many
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    up = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    down = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    call prepare()
    call apply(1, wanted)
    call project(wanted)
    iterations = 0
    do while (iterations < argument(400))
        call find_residuals()
        if (maxval(norms(:kept)) < 1e-9_dp) exit
        many = merge(2*wanted, most, iterations == 0)
        call apply(wanted + 1, 2*wanted)
        call project(many)
        iterations = iterations + 1
    end do
    if (rank == 0) print '(i0,a,*(f10.6))', iterations, ' iterations:', values(:kept)
    call say_loops(iterations, 0)
    call MPI_Finalize()
contains
    include 'programs.inc'
end program
