! SPDX-License-Identifier: BSD-3-Clause
! Conjugate gradients, and nothing else: one linear system, preconditioned by its diagonal.
!
! usage: cg
!
! The main loop are the iterations.
module system
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 760, m = 190, most = 4000
    real(dp), dimension(n, m) :: x, r, z, q, b, diagonal
    real(dp) :: p(0:n + 1, 0:m + 1)
    integer :: rank, ranks, up, down, ierr
contains
    subroutine assemble()
        integer :: i, j
        real(dp) :: settings(2)
        settings = 0
        if (rank == 0) settings = [4.0_dp, 0.0008_dp]
        call MPI_Bcast(settings, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
        do j = 1, m
            do i = 1, n
                diagonal(i, j) = settings(1) + settings(2)*modulo(i*(j + m*rank), 7)
                b(i, j) = sin(0.1_dp*i)*cos(0.07_dp*(j + m*rank)) + modulo(i*j, 5) - 2
            end do
        end do
    end subroutine

    subroutine exchange_halo()
        integer :: requests(4)
        call MPI_Irecv(p(1, 0), n, MPI_DOUBLE_PRECISION, up, 0, MPI_COMM_WORLD, requests(1), ierr)
        call MPI_Irecv(p(1, m + 1), n, MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, requests(2), ierr)
        call MPI_Isend(p(1, m), n, MPI_DOUBLE_PRECISION, down, 0, MPI_COMM_WORLD, requests(3), ierr)
        call MPI_Isend(p(1, 1), n, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, requests(4), ierr)
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    end subroutine

    subroutine multiply()
        integer :: i, j
        call exchange_halo()
        do j = 1, m
            do i = 1, n
                q(i, j) = diagonal(i, j)*p(i, j) - p(i - 1, j) - p(i + 1, j) - p(i, j - 1) - p(i, j + 1)
            end do
        end do
    end subroutine

    real(dp) function dot(a, c)
        real(dp), intent(in) :: a(n, m), c(n, m)
        real(dp) :: mine
        mine = sum(a*c)
        call MPI_Allreduce(mine, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end function

    ! How many iterations it takes.
    integer function solve(limit)
        real(dp), intent(in) :: limit
        real(dp) :: rho, before, alpha, first
        x = 0
        r = b
        p = 0
        before = 1
        first = dot(r, r)
        do solve = 1, most
            z = r/diagonal
            rho = dot(r, z)
            p(1:n, 1:m) = z + merge(rho/before, 0._dp, solve > 1)*p(1:n, 1:m)
            before = rho
            call multiply()
            alpha = rho/dot(p(1:n, 1:m), q)
            x = x + alpha*p(1:n, 1:m)
            r = r - alpha*q
            if (dot(r, r) < limit**2*first) return
        end do
    end function
end module

program cg
    use system
    implicit none
    integer :: iterations
    real(dp) :: length
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    up = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    down = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    call assemble()
    iterations = min(solve(1e-11_dp), most)
    length = sqrt(dot(x, x))
    if (rank == 0) print '(i0,a,es14.6)', iterations, ' iterations, length ', length
    call say_loops(iterations, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
