! SPDX-License-Identifier: BSD-3-Clause
! Electromagnetic waves by finite differences in time, with absorbing layers, and spectra that are
! summed while it runs.
!
! usage: fdtd
!
! The main loop are the time steps, of two runs together: one without the scatterer, which says
! what comes in, and one with it. A step has an exchange for each kind of field. Each 50 steps it is
! looked how strong the field still is at a point; a run is over when it has decayed. After it, spectra
! are summed over all ranks.
module fields
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 400, m = 100, layer = 12, frequencies = 12, each = 50, most_steps = 4000
    real(dp), parameter :: dt = 0.5_dp
    real(dp), dimension(0:n + 1, 0:m + 1) :: ez, hx, hy
    real(dp), dimension(n, m) :: epsilon, loss
    complex(dp) :: spectrum(frequencies, m)
    integer :: rank, ranks, down, up, ierr
contains
    real(dp) function loss_at(i, j)
        integer, intent(in) :: i, j
        integer :: depth
        depth = max(0, layer - i + 1, i - n + layer, layer - j + 1, j - m*ranks + layer)
        loss_at = 0.6_dp*(real(depth, dp)/layer)**2
    end function

    subroutine make_structure(has_scatterer)
        logical, intent(in) :: has_scatterer
        integer :: i, j, row
        ez = 0
        hx = 0
        hy = 0
        spectrum = 0
        do j = 1, m
            row = j + rank*m
            do i = 1, n
                epsilon(i, j) = merge(4, 1, has_scatterer .and. (i - 130)**2 + (row - 2*m)**2 < 400)
                loss(i, j) = loss_at(i, row)
            end do
        end do
    end subroutine

    subroutine step_h()
        integer :: i, j
        do j = 1, m
            do i = 1, n
                hx(i, j) = (1 - loss(i, j))*hx(i, j) - dt*(ez(i, j + 1) - ez(i, j))
                hy(i, j) = (1 - loss(i, j))*hy(i, j) + dt*(ez(i + 1, j) - ez(i, j))
            end do
        end do
    end subroutine

    subroutine step_e()
        integer :: i, j
        do j = 1, m
            do i = 1, n
                ez(i, j) = (1 - loss(i, j))*ez(i, j) + dt/epsilon(i, j)*(hy(i, j) - hy(i - 1, j) - hx(i, j) + hx(i, j - 1))
            end do
        end do
    end subroutine

    ! The row that the rank on the other side needs: magnetic ones go up, the electric one down.
    subroutine step_boundaries(is_h)
        logical, intent(in) :: is_h
        integer :: requests(2)
        if (is_h) then
            call MPI_Irecv(hx(0, 0), n + 2, MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, requests(1), ierr)
            call MPI_Isend(hx(0, m), n + 2, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, requests(2), ierr)
        else
            call MPI_Irecv(ez(0, m + 1), n + 2, MPI_DOUBLE_PRECISION, up, 2, MPI_COMM_WORLD, requests(1), ierr)
            call MPI_Isend(ez(0, 1), n + 2, MPI_DOUBLE_PRECISION, down, 2, MPI_COMM_WORLD, requests(2), ierr)
        end if
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    end subroutine

    subroutine add_source(time)
        real(dp), intent(in) :: time
        ez(30, 1:m) = ez(30, 1:m) + sin(0.25_dp*time)*exp(-((time - 80)/30)**2)
    end subroutine

    subroutine update_dfts(time)
        real(dp), intent(in) :: time
        integer :: f
        do f = 1, frequencies
            spectrum(f, :) = spectrum(f, :) + exp(cmplx(0._dp, (0.1_dp + 0.025_dp*f)*time, dp))*ez(200, 1:m)
        end do
    end subroutine

    subroutine step(time)
        real(dp), intent(inout) :: time
        call step_h()
        call step_boundaries(.true.)
        call add_source(time)
        call step_e()
        call step_boundaries(.false.)
        time = time + dt
        call update_dfts(time)
    end subroutine

    ! How strong it is at a point that is on one rank.
    real(dp) function field_at_point()
        real(dp) :: mine
        mine = 0
        if (rank == ranks/2) mine = ez(200, 3)**2 + hy(200, 3)**2
        call MPI_Allreduce(mine, field_at_point, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end function

    ! Until the field has decayed: how many steps.
    integer function run()
        real(dp) :: time, most, now
        time = 0
        most = 0
        do run = 1, most_steps
            call step(time)
            if (modulo(run, each) > 0) cycle
            now = field_at_point()
            most = max(most, now)
            if (time > 350 .and. now < 1e-5_dp*most) return
        end do
        run = most_steps
    end function

    subroutine sum_fluxes(flux)
        real(dp), intent(out) :: flux(frequencies)
        real(dp) :: mine(frequencies)
        mine = sum(abs(spectrum)**2, 2)
        call MPI_Allreduce(mine, flux, frequencies, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end subroutine
end module

program fdtd
    use fields
    implicit none
    integer :: steps(2)
    real(dp), dimension(frequencies) :: incident, transmitted
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    down = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    up = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    call make_structure(.false.)
    steps(1) = run()
    call sum_fluxes(incident)
    call make_structure(.true.)
    steps(2) = run()
    call sum_fluxes(transmitted)
    if (rank == 0) print '(2(i0,a),12f8.4)', steps(1), ' and ', steps(2), ' steps, transmission ', transmitted/incident
    call say_loops(sum(steps), 0)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
