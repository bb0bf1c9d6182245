! SPDX-License-Identifier: BSD-3-Clause
! A weather model: three stages in a time step, with short steps for sound; physics at times; and a
! rank that writes.
!
! usage: weather [STEPS]
!
! The main loop are the time steps, on all ranks but the last one, the server. Physics come in each
! fourth, radiation in each twelfth. Each 30 steps the fields go to the server, and the model goes on
! meanwhile; the server has them in the order in which they come.
module model
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 120, m = 24, fields = 4, short(3) = [1, 2, 4]
    integer, parameter :: fields_tag = 5, end_tag = 6
    real(dp), parameter :: dt = 0.05_dp
    real(dp), dimension(0:n + 1, 0:m + 1, fields) :: q, start, tendency
    real(dp) :: moisture(n, m), sun(n, m), written(n, m, fields)
    integer :: rank, workers, work, south, north, writing(fields) = MPI_REQUEST_NULL, ierr
contains
    subroutine fill_halo(a)
        real(dp), intent(inout) :: a(0:n + 1, 0:m + 1)
        integer :: requests(4)
        a(0, :) = a(n, :)
        a(n + 1, :) = a(1, :)
        call MPI_Irecv(a(0, 0), n + 2, MPI_DOUBLE_PRECISION, south, 0, work, requests(1), ierr)
        call MPI_Irecv(a(0, m + 1), n + 2, MPI_DOUBLE_PRECISION, north, 1, work, requests(2), ierr)
        call MPI_Isend(a(0, m), n + 2, MPI_DOUBLE_PRECISION, north, 0, work, requests(3), ierr)
        call MPI_Isend(a(0, 1), n + 2, MPI_DOUBLE_PRECISION, south, 1, work, requests(4), ierr)
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    end subroutine

    ! Advection by the wind, fields 1 and 2, and a little diffusion.
    subroutine find_tendencies()
        integer :: i, j, k
        do k = 1, fields
            call fill_halo(q(:, :, k))
        end do
        do k = 1, fields
            do j = 1, m
                do i = 1, n
                    tendency(i, j, k) = -q(i, j, 1)*(q(i + 1, j, k) - q(i - 1, j, k))/2 &
                        - q(i, j, 2)*(q(i, j + 1, k) - q(i, j - 1, k))/2 &
                        + 0.3_dp*(q(i + 1, j, k) + q(i - 1, j, k) + q(i, j + 1, k) + q(i, j - 1, k) - 4*q(i, j, k))
                end do
            end do
        end do
    end subroutine

    ! Wind by pressure, field 3, and pressure by the new wind.
    subroutine sound(length)
        real(dp), intent(in) :: length
        integer :: i, j
        call fill_halo(q(:, :, 3))
        do j = 1, m
            do i = 1, n
                q(i, j, 1) = q(i, j, 1) - length*((q(i + 1, j, 3) - q(i - 1, j, 3))/2 - tendency(i, j, 1))
                q(i, j, 2) = q(i, j, 2) - length*((q(i, j + 1, 3) - q(i, j - 1, 3))/2 - tendency(i, j, 2))
            end do
        end do
        call fill_halo(q(:, :, 1))
        call fill_halo(q(:, :, 2))
        do j = 1, m
            do i = 1, n
                q(i, j, 3) = q(i, j, 3) - length*((q(i + 1, j, 1) - q(i - 1, j, 1) &
                                                   + q(i, j + 1, 2) - q(i, j - 1, 2))/2 - tendency(i, j, 3))
            end do
        end do
    end subroutine

    subroutine stage(s)
        integer, intent(in) :: s
        real(dp) :: whole
        integer :: i
        whole = dt/(4 - s)
        call find_tendencies()
        q(:, :, 1:3) = start(:, :, 1:3)
        do i = 1, short(s)
            call sound(whole/short(s))
        end do
        q(1:n, 1:m, 4) = start(1:n, 1:m, 4) + whole*tendency(1:n, 1:m, 4)
    end subroutine

    subroutine dynamics()
        integer :: s
        start = q
        do s = 1, 3
            call stage(s)
        end do
    end subroutine

    ! Each column by itself; how much rain there is, is limited by all there is.
    subroutine physics()
        real(dp) :: mine, all
        integer :: i, j, k
        do j = 1, m
            do i = 1, n
                do k = 1, 6
                    moisture(i, j) = moisture(i, j) + 0.01_dp*(exp(-q(i, j, 4)**2) - moisture(i, j))
                    q(i, j, 4) = q(i, j, 4) + 0.002_dp*(sun(i, j) - q(i, j, 4)*moisture(i, j))
                end do
            end do
        end do
        mine = sum(moisture)
        call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, work, ierr)
        moisture = moisture*min(1._dp, 0.9_dp*n*m*workers/all)
    end subroutine

    subroutine radiation(step)
        integer, intent(in) :: step
        integer :: i, j, band
        sun = 0
        do band = 1, 8
            do j = 1, m
                do i = 1, n
                    sun(i, j) = sun(i, j) + exp(-band*moisture(i, j))*(1 + cos(0.05_dp*i + 0.001_dp*step))/8
                end do
            end do
        end do
    end subroutine

    ! What was sent before must have gone.
    subroutine write_fields()
        integer :: k
        call MPI_Waitall(fields, writing, MPI_STATUSES_IGNORE, ierr)
        written = q(1:n, 1:m, :)
        do k = 1, fields
            call MPI_Isend(written(1, 1, k), n*m, MPI_DOUBLE_PRECISION, workers, fields_tag, &
                           MPI_COMM_WORLD, writing(k), ierr)
        end do
    end subroutine

    subroutine run_model(steps)
        integer, intent(in) :: steps
        integer :: step
        do step = 1, steps
            if (modulo(step, 12) == 1) call radiation(step)
            call dynamics()
            if (modulo(step, 4) == 0) call physics()
            if (modulo(step, 30) == 0) call write_fields()
        end do
        call MPI_Waitall(fields, writing, MPI_STATUSES_IGNORE, ierr)
        call MPI_Send(steps, 1, MPI_INTEGER, workers, end_tag, MPI_COMM_WORLD, ierr)
    end subroutine

    ! How many fields came, until each rank has said that it is done.
    integer function serve()
        real(dp) :: got(n, m)
        integer :: status(MPI_STATUS_SIZE), left, steps
        serve = 0
        left = workers
        do while (left > 0)
            call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
            if (status(MPI_TAG) == end_tag) then
                call MPI_Recv(steps, 1, MPI_INTEGER, status(MPI_SOURCE), end_tag, MPI_COMM_WORLD, status, ierr)
                left = left - 1
            else
                call MPI_Recv(got, n*m, MPI_DOUBLE_PRECISION, status(MPI_SOURCE), fields_tag, &
                              MPI_COMM_WORLD, status, ierr)
                serve = serve + 1
            end if
        end do
    end function

    subroutine prepare()
        integer :: i, j
        q = 0
        do j = 1, m
            do i = 1, n
                q(i, j, 1) = 0.5_dp
                q(i, j, 3) = exp(-((i - 60)**2 + (j + rank*m - 50)**2)/100._dp)
                q(i, j, 4) = sin(0.1_dp*i)
            end do
        end do
        moisture = 0.3_dp
    end subroutine
end module

program weather
    use model
    implicit none
    integer :: steps, ranks, got, is_server
    real(dp) :: mine, pressure
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    workers = ranks - 1
    steps = argument(3000)
    is_server = merge(1, 0, rank == workers)
    call MPI_Comm_split(MPI_COMM_WORLD, is_server, rank, work, ierr)
    south = modulo(rank - 1, workers)
    north = modulo(rank + 1, workers)
    got = 0
    mine = 0
    if (is_server == 1) then
        got = serve()
    else
        call prepare()
        call run_model(steps)
        mine = sum(q(1:n, 1:m, 3)**2)
    end if
    call MPI_Reduce(mine, pressure, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    call MPI_Bcast(got, 1, MPI_INTEGER, workers, MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(i0,a,i0,a,f12.6)', steps, ' steps, ', got, ' fields written, pressure ', pressure
    call say_loops(merge(0, steps, is_server == 1), 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
