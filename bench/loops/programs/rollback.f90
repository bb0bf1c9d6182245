! SPDX-License-Identifier: BSD-3-Clause
! Shallow water that survives: what a rank lost comes back from another one, and all repeat some steps.
!
! usage: rollback [STEPS]
!
! The main loop are the time steps, with those that are repeated. Each 40 steps all ranks keep a copy and
! give one to the next rank, their buddy. Faults come at irregular steps; each tenth step all ranks agree
! whether someone has had one. Then it gets its copy back, and all go on from there. The length of a time step
! is found by all ranks. Each 200 steps of the run, rank 0 gets the height.
module water
    use mpi_f08
    implicit none
    integer, parameter :: dp = kind(1d0), n = 96, size_of_copy = (n + 2)**2*3 + 2, each_copy = 40, each_check = 10
    real(dp), parameter :: courant = 0.4_dp, g = 9.81_dp
    real(dp) :: q(0:n + 1, 0:n + 1, 3), new(n, n, 3), time = 0
    real(dp) :: own_copy(size_of_copy), copy_of_other(size_of_copy)
    integer :: rank, ranks, next, previous, west, east, south, north
    integer :: step = 0, done = 0, faults = 0
    type(MPI_Comm) :: grid
    type(MPI_Datatype) :: column, row
    logical :: broken = .false.
contains
    subroutine prepare()
        integer :: i, j, dims(2), place(2)
        type(MPI_Datatype) :: part
        dims = 0
        call MPI_Dims_create(ranks, 2, dims)
        call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .true.], .false., grid)
        call MPI_Cart_coords(grid, rank, 2, place)
        call MPI_Cart_shift(grid, 0, 1, west, east)
        call MPI_Cart_shift(grid, 1, 1, south, north)
        next = modulo(rank + 1, ranks)
        previous = modulo(rank - 1, ranks)
        ! a border of all three fields
        call MPI_Type_vector(n + 2, 1, n + 2, MPI_DOUBLE_PRECISION, part)
        call MPI_Type_create_hvector(3, 1, int((n + 2)**2*8, MPI_ADDRESS_KIND), part, column)
        call MPI_Type_commit(column)
        call MPI_Type_free(part)
        call MPI_Type_vector(3, n + 2, (n + 2)**2, MPI_DOUBLE_PRECISION, row)
        call MPI_Type_commit(row)
        q = 0
        do j = 1, n
            do i = 1, n
                q(i, j, 1) = 1 + 0.4_dp*exp(-2e-3_dp*((i + place(1)*n - 70)**2 + (j + place(2)*n - 120)**2))
            end do
        end do
    end subroutine

    subroutine fill_halo()
        call MPI_Sendrecv(q(n, 0, 1), 1, column, east, 0, q(0, 0, 1), 1, column, west, 0, grid, MPI_STATUS_IGNORE)
        call MPI_Sendrecv(q(1, 0, 1), 1, column, west, 1, q(n + 1, 0, 1), 1, column, east, 1, grid, MPI_STATUS_IGNORE)
        call MPI_Sendrecv(q(0, n, 1), 1, row, north, 2, q(0, 0, 1), 1, row, south, 2, grid, MPI_STATUS_IGNORE)
        call MPI_Sendrecv(q(0, 1, 1), 1, row, south, 3, q(0, n + 1, 1), 1, row, north, 3, grid, MPI_STATUS_IGNORE)
    end subroutine

    real(dp) function find_dt()
        real(dp) :: fastest
        fastest = maxval(max(abs(q(1:n, 1:n, 2)), abs(q(1:n, 1:n, 3)))/q(1:n, 1:n, 1) + sqrt(g*q(1:n, 1:n, 1)))
        if (fastest /= fastest) fastest = 5 ! of a rank that is broken
        call MPI_Allreduce(MPI_IN_PLACE, fastest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
        find_dt = courant/fastest
    end function

    pure function flow(a, along) result(x)
        real(dp), intent(in) :: a(3)
        integer, intent(in) :: along
        real(dp) :: x(3), speed
        speed = a(1 + along)/a(1)
        x = speed*a
        x(1 + along) = x(1 + along) + g*a(1)**2/2
    end function

    ! Rusanov's flux.
    pure function between(a, b, along) result(x)
        real(dp), intent(in) :: a(3), b(3)
        integer, intent(in) :: along
        real(dp) :: x(3), fastest
        fastest = max(abs(a(1 + along))/a(1) + sqrt(g*a(1)), abs(b(1 + along))/b(1) + sqrt(g*b(1)))
        x = (flow(a, along) + flow(b, along) - fastest*(b - a))/2
    end function

    subroutine advance()
        integer :: i, j
        real(dp) :: dt, x(3), y(3)
        dt = find_dt()
        call fill_halo()
        do j = 1, n
            do i = 1, n
                x = between(q(i, j, :), q(i + 1, j, :), 1) - between(q(i - 1, j, :), q(i, j, :), 1)
                y = between(q(i, j, :), q(i, j + 1, :), 2) - between(q(i, j - 1, :), q(i, j, :), 2)
                new(i, j, :) = q(i, j, :) - dt*(x + y)
            end do
        end do
        q(1:n, 1:n, :) = new
        time = time + dt
    end subroutine

    subroutine exchange_copies()
        call MPI_Sendrecv(own_copy, size_of_copy, MPI_DOUBLE_PRECISION, next, 8, copy_of_other, size_of_copy, &
                          MPI_DOUBLE_PRECISION, previous, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine

    subroutine keep_copy()
        own_copy = [reshape(q, [size(q)]), time, real(step, dp)]
        call exchange_copies()
    end subroutine

    ! Here instead of in the machine: what the rank has is lost.
    subroutine fail_at_times()
        integer :: victim
        if (modulo(done*7919, 1613) >= 3) return
        victim = modulo(done/7, ranks)
        if (rank /= victim) return
        q = sqrt(-1 - 0*q)
        own_copy = 0
        copy_of_other = 0
        broken = .true.
    end subroutine

    ! The victim + 1, or 0.
    integer function whose_fault()
        integer :: mine
        mine = merge(rank + 1, 0, broken)
        call MPI_Allreduce(mine, whose_fault, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    end function

    subroutine recover(victim)
        integer, intent(in) :: victim
        if (rank == modulo(victim + 1, ranks)) &
            call MPI_Send(copy_of_other, size_of_copy, MPI_DOUBLE_PRECISION, victim, 9, MPI_COMM_WORLD)
        if (rank == victim) &
            call MPI_Recv(own_copy, size_of_copy, MPI_DOUBLE_PRECISION, next, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        q = reshape(own_copy(1:size(q)), shape(q))
        time = own_copy(size_of_copy - 1)
        step = nint(own_copy(size_of_copy))
        call exchange_copies()
        broken = .false.
        faults = faults + 1
    end subroutine

    real(dp) function write_height()
        real(dp), allocatable :: all(:, :), mine(:, :)
        allocate (mine(n, n), all(n*n, merge(ranks, 1, rank == 0)))
        mine = q(1:n, 1:n, 1)
        call MPI_Gather(mine, n*n, MPI_DOUBLE_PRECISION, all, n*n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
        write_height = sum(all**2)
    end function
end module

program rollback
    use water
    implicit none
    integer :: steps, victim
    real(dp) :: written
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    steps = argument(1200)
    call prepare()
    call keep_copy()
    written = 0
    do while (step < steps)
        call advance()
        step = step + 1
        done = done + 1
        call fail_at_times()
        victim = 0
        if (modulo(step, each_check) == 0) victim = whose_fault()
        if (victim > 0) then
            call recover(victim - 1)
            cycle
        end if
        if (modulo(step, each_copy) == 0) call keep_copy()
        if (modulo(step, 200) == 0) written = written + write_height()
    end do
    if (rank == 0) print '(i0,a,i0,a,f10.4,es14.6)', steps, ' steps, ', faults, &
        ' times back, time and written ', time, written
    call MPI_Type_free(column)
    call MPI_Type_free(row)
    call MPI_Comm_free(grid)
    call say_loops(done, 0)
    call MPI_Finalize()
contains
    include 'programs.inc'
end program
