! SPDX-License-Identifier: BSD-3-Clause
! Hydrodynamics of a gas in two dimensions, a direction after the other.
!
! usage: hydro [STEPS]
!
! The main loop are the time steps: the length of the step, the least of all ranks, and a sweep in
! each direction; odd steps begin with x, even ones with y. Each 10 steps there is a summary, and each
! 200 all is copied for a checkpoint to the rank in front.
module gas
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 120, m = 120, fields = 4
    real(dp), parameter :: gamma = 1.4_dp
    real(dp) :: u(fields, 0:n + 1, 0:m + 1), sent(fields, n, m), copy(fields, n, m)
    integer :: rank, ranks, grid, left, right, down, up, place(2), ierr
contains
    subroutine prepare()
        integer :: dims(2), i, j
        real(dp) :: x, y
        dims = 0
        call MPI_Dims_create(ranks, 2, dims, ierr)
        call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .false., grid, ierr)
        call MPI_Cart_coords(grid, rank, 2, place, ierr)
        call MPI_Cart_shift(grid, 0, 1, left, right, ierr)
        call MPI_Cart_shift(grid, 1, 1, down, up, ierr)
        do j = 0, m + 1
            do i = 0, n + 1
                x = (i + place(1)*n - 0.5_dp)/(n*dims(1))
                y = (j + place(2)*m - 0.5_dp)/(m*dims(2))
                u(:, i, j) = [1._dp, 0._dp, 0._dp, merge(10._dp, 0.25_dp, (x - 0.3_dp)**2 + (y - 0.4_dp)**2 < 0.01_dp)]
            end do
        end do
    end subroutine

    subroutine halo_x()
        real(dp), dimension(fields, m) :: out, in
        out = u(:, 1, 1:m)
        in = u(:, n, 1:m)
        call MPI_Sendrecv(out, fields*m, MPI_DOUBLE_PRECISION, left, 0, in, fields*m, &
                          MPI_DOUBLE_PRECISION, right, 0, grid, MPI_STATUS_IGNORE, ierr)
        u(:, n + 1, 1:m) = in
        out = u(:, n, 1:m)
        in = u(:, 1, 1:m)
        call MPI_Sendrecv(out, fields*m, MPI_DOUBLE_PRECISION, right, 1, in, fields*m, &
                          MPI_DOUBLE_PRECISION, left, 1, grid, MPI_STATUS_IGNORE, ierr)
        u(:, 0, 1:m) = in
    end subroutine

    subroutine halo_y()
        u(:, :, m + 1) = u(:, :, m)
        u(:, :, 0) = u(:, :, 1)
        call MPI_Sendrecv(u(1, 0, 1), fields*(n + 2), MPI_DOUBLE_PRECISION, down, 2, u(1, 0, m + 1), &
                          fields*(n + 2), MPI_DOUBLE_PRECISION, up, 2, grid, MPI_STATUS_IGNORE, ierr)
        call MPI_Sendrecv(u(1, 0, m), fields*(n + 2), MPI_DOUBLE_PRECISION, up, 3, u(1, 0, 0), &
                          fields*(n + 2), MPI_DOUBLE_PRECISION, down, 3, grid, MPI_STATUS_IGNORE, ierr)
    end subroutine

    pure real(dp) function pressure(a)
        real(dp), intent(in) :: a(fields)
        pressure = (gamma - 1)*(a(4) - (a(2)**2 + a(3)**2)/(2*a(1)))
    end function

    ! What flows from a to b, along direction d (Rusanov).
    pure function flux(a, b, d) result(f)
        real(dp), intent(in) :: a(fields), b(fields)
        integer, intent(in) :: d
        real(dp) :: f(fields), va, vb, pa, pb, fastest
        va = a(d + 1)/a(1)
        vb = b(d + 1)/b(1)
        pa = pressure(a)
        pb = pressure(b)
        fastest = max(abs(va) + sqrt(gamma*pa/a(1)), abs(vb) + sqrt(gamma*pb/b(1)))
        f = (va*a + vb*b - fastest*(b - a))/2
        f(d + 1) = f(d + 1) + (pa + pb)/2
        f(4) = f(4) + (pa*va + pb*vb)/2
    end function

    subroutine sweep_x(c)
        real(dp), intent(in) :: c
        real(dp) :: f(fields, 0:n)
        integer :: i, j
        call halo_x()
        do j = 1, m
            do i = 0, n
                f(:, i) = flux(u(:, i, j), u(:, i + 1, j), 1)
            end do
            u(:, 1:n, j) = u(:, 1:n, j) - c*(f(:, 1:n) - f(:, 0:n - 1))
        end do
    end subroutine

    subroutine sweep_y(c)
        real(dp), intent(in) :: c
        real(dp) :: f(fields, 0:m)
        integer :: i, j
        call halo_y()
        do i = 1, n
            do j = 0, m
                f(:, j) = flux(u(:, i, j), u(:, i, j + 1), 2)
            end do
            u(:, i, 1:m) = u(:, i, 1:m) - c*(f(:, 1:m) - f(:, 0:m - 1))
        end do
    end subroutine

    ! In lengths of a cell.
    real(dp) function length_of_step()
        real(dp) :: mine
        integer :: i, j
        mine = 1
        do j = 1, m
            do i = 1, n
                mine = min(mine, 0.45_dp/(maxval(abs(u(2:3, i, j)))/u(1, i, j) &
                                          + sqrt(gamma*pressure(u(:, i, j))/u(1, i, j))))
            end do
        end do
        call MPI_Allreduce(mine, length_of_step, 1, MPI_DOUBLE_PRECISION, MPI_MIN, grid, ierr)
    end function

    subroutine advance(step, c)
        integer, intent(in) :: step
        real(dp), intent(in) :: c
        if (modulo(step, 2) == 1) then
            call sweep_x(c)
            call sweep_y(c)
        else
            call sweep_y(c)
            call sweep_x(c)
        end if
    end subroutine

    subroutine summarise(all)
        real(dp), intent(inout) :: all(3)
        real(dp) :: mine(3)
        mine = [sum(u(1, 1:n, 1:m)), sum(u(4, 1:n, 1:m)), maxval(u(1, 1:n, 1:m))]
        call MPI_Reduce(mine, all, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, grid, ierr)
        call MPI_Reduce(mine(3), all(3), 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, grid, ierr)
    end subroutine

    subroutine checkpoint()
        sent = u(:, 1:n, 1:m)
        call MPI_Sendrecv(sent, size(sent), MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 4, copy, size(copy), &
                          MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 4, grid, MPI_STATUS_IGNORE, ierr)
    end subroutine
end module

program hydro
    use gas
    implicit none
    integer :: step, steps
    real(dp) :: c, time, all(3)
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    steps = argument(1000)
    call prepare()
    time = 0
    all = 0
    call summarise(all)
    do step = 1, steps
        c = length_of_step()
        call advance(step, c)
        time = time + c
        if (modulo(step, 10) == 0) call summarise(all)
        if (modulo(step, 200) == 0) call checkpoint()
    end do
    if (rank == 0) print '(i0,a,f9.3,a,3f12.4)', steps, ' steps to ', time, ', mass, energy, most: ', all
    call say_loops(steps, 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
