! SPDX-License-Identifier: BSD-3-Clause
! LU factorisation with pivots, of a matrix whose blocks of rows go round the ranks.
!
! usage: lu [BLOCKS]
!
! The main loop are the panels, one for each block of columns: it is factored column by column, rows
! are exchanged, the block of rows is given to all, and what is left is updated, less and less.
module factor
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), nb = 12
    real(dp), allocatable :: a(:, :) ! a(column, row): own rows are contiguous
    integer :: rank, ranks, n, ierr
contains
    integer function owner(row)
        integer, intent(in) :: row
        owner = modulo((row - 1)/nb, ranks)
    end function

    integer function place(row)
        integer, intent(in) :: row
        place = (row - 1)/(nb*ranks)*nb + modulo(row - 1, nb) + 1
    end function

    ! The first own row, or later, that is row or later: its place.
    integer function first_place(row)
        integer, intent(in) :: row
        integer :: r
        do r = row, n
            if (owner(r) == rank) exit
        end do
        first_place = merge(place(min(r, n)), size(a, 2) + 1, r <= n)
    end function

    integer function row_of(here)
        integer, intent(in) :: here
        row_of = ((here - 1)/nb*ranks + rank)*nb + modulo(here - 1, nb) + 1
    end function

    integer function find_pivot(column)
        integer, intent(in) :: column
        real(dp) :: mine(2), best(2)
        integer :: i
        mine = [-1._dp, 0._dp]
        do i = first_place(column), size(a, 2)
            if (abs(a(column, i)) > mine(1)) mine = [abs(a(column, i)), real(row_of(i), dp)]
        end do
        call MPI_Allreduce(mine, best, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, ierr)
        find_pivot = nint(best(2))
    end function

    subroutine exchange_rows(one, two)
        integer, intent(in) :: one, two
        real(dp) :: row(n)
        integer :: other, here
        if (one == two) return
        if (owner(one) == owner(two)) then
            if (owner(one) /= rank) return
            a(:, [place(one), place(two)]) = a(:, [place(two), place(one)])
        else if (owner(one) == rank .or. owner(two) == rank) then
            other = merge(owner(two), owner(one), owner(one) == rank)
            here = place(merge(one, two, owner(one) == rank))
            call MPI_Sendrecv(a(:, here), n, MPI_DOUBLE_PRECISION, other, 1, row, n, MPI_DOUBLE_PRECISION, &
                              other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
            a(:, here) = row
        end if
    end subroutine

    subroutine factor_panel(first)
        integer, intent(in) :: first
        real(dp) :: row(nb)
        integer :: column, last, i, from
        last = first + nb - 1
        do column = first, last
            call exchange_rows(column, find_pivot(column))
            if (owner(column) == rank) row = a(first:last, place(column))
            call MPI_Bcast(row, nb, MPI_DOUBLE_PRECISION, owner(column), MPI_COMM_WORLD, ierr)
            from = column - first + 1
            do i = first_place(column + 1), size(a, 2)
                a(column, i) = a(column, i)/row(from)
                a(column + 1:last, i) = a(column + 1:last, i) - a(column, i)*row(from + 1:)
            end do
        end do
    end subroutine

    subroutine update(first)
        integer, intent(in) :: first
        real(dp) :: rows(n, nb)
        integer :: last, i, k, l
        last = first + nb - 1
        if (owner(first) == rank) then
            do k = 1, nb
                rows(:, k) = a(:, place(first) + k - 1)
                do l = 1, k - 1
                    rows(last + 1:, k) = rows(last + 1:, k) - rows(first + l - 1, k)*rows(last + 1:, l)
                end do
                a(last + 1:, place(first) + k - 1) = rows(last + 1:, k)
            end do
        end if
        call MPI_Bcast(rows, n*nb, MPI_DOUBLE_PRECISION, owner(first), MPI_COMM_WORLD, ierr)
        do i = first_place(last + 1), size(a, 2)
            do k = 1, nb
                a(last + 1:, i) = a(last + 1:, i) - a(first + k - 1, i)*rows(last + 1:, k)
            end do
        end do
    end subroutine

    real(dp) function log_of_determinant()
        real(dp) :: mine
        integer :: i
        mine = 0
        do i = 1, size(a, 2)
            mine = mine + log(abs(a(row_of(i), i)))
        end do
        call MPI_Allreduce(mine, log_of_determinant, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end function
end module

program lu
    use factor
    implicit none
    integer :: panel, panels, i, j
    real(dp) :: determinant
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    panels = argument(190)
    n = panels*nb
    allocate (a(n, (panels - rank + ranks - 1)/ranks*nb))
    do i = 1, size(a, 2)
        do j = 1, n
            a(j, i) = modulo(1.6180339887_dp*(j + 3*row_of(i))*(row_of(i) + 7), 1._dp) - 0.5_dp
        end do
    end do
    do panel = 1, panels
        call factor_panel((panel - 1)*nb + 1)
        call update((panel - 1)*nb + 1)
    end do
    determinant = log_of_determinant()
    if (rank == 0) print '(a,i0,a,f12.4)', 'n ', n, ', log of the determinant ', determinant
    call say_loops(panels, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
