! SPDX-License-Identifier: BSD-3-Clause
! Parallel in time (parareal): each rank has a slice of a window of time, and all windows follow on
! each other.
!
! usage: parareal [WINDOWS]
!
! The main loop are the iterations, of all windows together: each rank makes its slice anew by
! many fine steps, gets a better beginning from the rank before, and hands on a better end. When
! none changes any more, the last end is where the next window begins. Each tenth window is written.
module slices
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 200, kinds = 2, fine_steps = 60, coarse_steps = 6
    real(dp), parameter :: length = 0.9_dp, k(kinds) = [0.15_dp, 0.6_dp]
    real(dp), dimension(n, kinds) :: beginning, ending, fine, coarse
    integer :: rank, ranks, ierr
contains
    ! Implicit diffusion, by the elimination of a system along the line.
    subroutine diffuse(u, a)
        real(dp), intent(inout) :: u(n)
        real(dp), intent(in) :: a
        real(dp) :: c(n)
        integer :: i
        c(1) = a/(1 + a)
        u(1) = u(1)/(1 + a)
        do i = 2, n
            c(i) = a/(1 + 2*a - a*c(i - 1))
            u(i) = (u(i) + a*u(i - 1))*c(i)/a
        end do
        do i = n - 1, 1, -1
            u(i) = u(i) + c(i)*u(i + 1)
        end do
    end subroutine

    ! What reacts, by an explicit step (FitzHugh and Nagumo).
    function propagate(from, steps) result(u)
        real(dp), intent(in) :: from(n, kinds)
        integer, intent(in) :: steps
        real(dp) :: u(n, kinds), dt, old(n)
        integer :: i, kind_of
        u = from
        dt = length/steps
        do i = 1, steps
            old = u(:, 1)
            u(:, 1) = old + dt*(old - old**3 - u(:, 2))
            u(:, 2) = u(:, 2) + dt*0.5_dp*(old - 0.7_dp*u(:, 2) + 0.05_dp)
            do kind_of = 1, kinds
                call diffuse(u(:, kind_of), dt*k(kind_of)*40)
            end do
        end do
    end function

    subroutine receive_beginning(tag)
        integer, intent(in) :: tag
        if (rank > 0) call MPI_Recv(beginning, n*kinds, MPI_DOUBLE_PRECISION, rank - 1, tag, MPI_COMM_WORLD, &
                                    MPI_STATUS_IGNORE, ierr)
    end subroutine

    subroutine send_ending(tag)
        integer, intent(in) :: tag
        if (rank < ranks - 1) call MPI_Send(ending, n*kinds, MPI_DOUBLE_PRECISION, rank + 1, tag, MPI_COMM_WORLD, ierr)
    end subroutine

    subroutine predict()
        call receive_beginning(0)
        coarse = propagate(beginning, coarse_steps)
        ending = coarse
        call send_ending(0)
    end subroutine

    ! How much the end has changed.
    real(dp) function correct(iteration)
        integer, intent(in) :: iteration
        real(dp), dimension(n, kinds) :: new, before
        fine = propagate(beginning, fine_steps)
        call receive_beginning(iteration)
        new = propagate(beginning, coarse_steps)
        before = ending
        ending = new + fine - coarse
        coarse = new
        call send_ending(iteration)
        correct = maxval(abs(ending - before))
    end function

    ! How many iterations it takes.
    integer function run_window()
        real(dp) :: mine, change
        call predict()
        do run_window = 1, ranks
            mine = correct(run_window)
            call MPI_Allreduce(mine, change, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
            if (change < 1e-4_dp) exit
        end do
        run_window = min(run_window, ranks)
        call MPI_Bcast(ending, n*kinds, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD, ierr)
        beginning = ending
    end function

    ! All ends of the slices; the sum.
    real(dp) function write_window()
        real(dp), allocatable :: all(:, :)
        allocate (all(n, merge(ranks, 1, rank == 0)))
        call MPI_Gather(coarse, n, MPI_DOUBLE_PRECISION, all, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
        write_window = sum(all)
    end function
end module

program parareal
    use slices
    implicit none
    integer :: window, windows, iterations, i
    real(dp) :: written
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    windows = argument(400)
    beginning(:, 1) = [(0.3_dp + sin(0.07_dp*i), i=1, n)]
    beginning(:, 2) = [(0.4_dp*cos(0.05_dp*i), i=1, n)]
    iterations = 0
    written = 0
    do window = 1, windows
        iterations = iterations + run_window()
        if (modulo(window, 10) == 0) written = written + write_window()
    end do
    if (rank == 0) print '(2(i0,a),2f12.5)', windows, ' windows, ', iterations, ' iterations, end and written: ', &
        ending(n/2, 1), written
    call say_loops(iterations, windows)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
