! SPDX-License-Identifier: BSD-3-Clause
! Full waveform inversion: which ground explains what was heard of all shots?
!
! usage: inversion [ITERATIONS]
!
! The main loop are the iterations of a quasi-Newton method (L-BFGS), of all bands of frequencies together. A
! gradient takes all shots of a group of two ranks, each with time steps forth and then back; a line search
! takes the misfit of one to five steps that are tried, which is the time steps forth alone. Around it are 3
! bands, from low to high, each begun by the observations, which are shots in the true ground.
module ground
    use mpi_f08
    implicit none
    integer, parameter :: dp = kind(1d0), n = 90, m = 40, steps = 180, receivers = 15, shots = 2, memory = 5, bands = 3
    real(dp) :: speed(0:n + 1, m), true_speed(0:n + 1, m), first_speed(0:n + 1, m)
    real(dp) :: old(0:n + 1, 0:m + 1), now(0:n + 1, 0:m + 1), next(0:n + 1, 0:m + 1)
    real(dp) :: bent(n, m, steps), heard(receivers, steps), observed(receivers, steps, shots)
    real(dp), dimension(n, m) :: gradient, direction, before, difference
    real(dp), dimension(n, m, memory) :: s_list, y_list
    real(dp) :: rho(memory)
    integer :: rank, ranks, me, team_number, pairs = 0, tried = 0
    type(MPI_Comm) :: team, partners
contains
    subroutine make_teams()
        team_number = rank/2
        call MPI_Comm_split(MPI_COMM_WORLD, team_number, rank, team)
        call MPI_Comm_rank(team, me)
        call MPI_Comm_split(MPI_COMM_WORLD, me, rank, partners)
    end subroutine

    subroutine make_ground()
        integer :: i, j, depth
        do j = 1, m
            depth = j + me*m
            do i = 0, n + 1
                first_speed(i, j) = 0.12_dp + 0.001_dp*depth
                true_speed(i, j) = first_speed(i, j) + 0.05_dp*exp(-0.01_dp*((i - 40)**2 + (depth - 40)**2)) &
                                   - 0.03_dp*exp(-0.02_dp*((i - 65)**2 + (depth - 25)**2))
            end do
        end do
    end subroutine

    ! The row beside the border between the two ranks of a team.
    subroutine exchange(a)
        real(dp), intent(inout) :: a(0:n + 1, 0:m + 1)
        integer :: here, there
        here = merge(m, 1, me == 0)
        there = merge(m + 1, 0, me == 0)
        call MPI_Sendrecv(a(0, here), n + 2, MPI_DOUBLE_PRECISION, 1 - me, 0, a(0, there), n + 2, &
                          MPI_DOUBLE_PRECISION, 1 - me, 0, team, MPI_STATUS_IGNORE)
    end subroutine

    subroutine advance()
        old = now
        now = next
    end subroutine

    real(dp) function wavelet(step, band)
        integer, intent(in) :: step, band
        real(dp) :: x
        x = (step - 30)*0.08_dp*(0.5_dp + 0.25_dp*band)
        wavelet = (1 - 2*x*x)*exp(-x*x)
    end function

    ! One shot forth; bent keeps the second derivatives if asked to.
    subroutine propagate(shot, band, keep)
        integer, intent(in) :: shot, band
        logical, intent(in) :: keep
        integer :: t, place
        real(dp) :: curve(n, m)
        old = 0
        now = 0
        next = 0
        heard = 0
        place = 10 + (n - 20)*(shot + shots*team_number)/(2*shots)
        do t = 1, steps
            call exchange(now)
            curve = now(0:n - 1, 1:m) + now(2:n + 1, 1:m) + now(1:n, 0:m - 1) + now(1:n, 2:m + 1) - 4*now(1:n, 1:m)
            if (keep) bent(:, :, t) = curve
            next(1:n, 1:m) = 2*now(1:n, 1:m) - old(1:n, 1:m) + speed(1:n, :)*curve
            if (me == 0) next(place, 3) = next(place, 3) + wavelet(t, band)
            call advance()
            if (me == 0) heard(:, t) = now(6:6*receivers:6, 2)
        end do
    end subroutine

    ! One shot back, from the receivers: what it adds to the gradient.
    subroutine propagate_back(shot)
        integer, intent(in) :: shot
        integer :: t
        real(dp) :: scaled(0:n + 1, 0:m + 1)
        old = 0
        now = 0
        next = 0
        scaled = 0
        do t = steps, 1, -1
            scaled(:, 1:m) = now(:, 1:m)*speed
            call exchange(scaled)
            next(1:n, 1:m) = 2*now(1:n, 1:m) - old(1:n, 1:m) + scaled(0:n - 1, 1:m) + scaled(2:n + 1, 1:m) &
                             + scaled(1:n, 0:m - 1) + scaled(1:n, 2:m + 1) - 4*scaled(1:n, 1:m)
            if (me == 0) next(6:6*receivers:6, 2) = next(6:6*receivers:6, 2) + heard(:, t) - observed(:, t, shot)
            call advance()
            gradient = gradient + now(1:n, 1:m)*bent(:, :, t)
        end do
    end subroutine

    real(dp) function of_all_teams(mine)
        real(dp), intent(in) :: mine
        call MPI_Allreduce(mine, of_all_teams, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    end function

    ! A function of the ground in speed, and its gradient.
    real(dp) function misfit(band, with_gradient)
        integer, intent(in) :: band
        logical, intent(in) :: with_gradient
        integer :: shot
        real(dp) :: sum_here
        sum_here = 0
        if (with_gradient) gradient = 0
        do shot = 1, shots
            call propagate(shot, band, with_gradient)
            sum_here = sum_here + sum((heard - observed(:, :, shot))**2)/2
            if (with_gradient) call propagate_back(shot)
        end do
        misfit = of_all_teams(merge(sum_here, 0.0_dp, me == 0))
        if (with_gradient) &
            call MPI_Allreduce(MPI_IN_PLACE, gradient, n*m, MPI_DOUBLE_PRECISION, MPI_SUM, partners)
        if (with_gradient .and. me == 0) gradient(:, 1:8) = 0 ! near shots and receivers
    end function

    real(dp) function dot(a, b)
        real(dp), intent(in) :: a(n, m), b(n, m)
        real(dp) :: mine
        mine = sum(a*b)
        call MPI_Allreduce(mine, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, team)
    end function

    ! The two loops of L-BFGS over the pairs that are kept.
    subroutine find_direction()
        real(dp) :: alpha(memory)
        integer :: k
        direction = -gradient
        do k = pairs, 1, -1
            alpha(k) = dot(s_list(:, :, k), direction)/rho(k)
            direction = direction - alpha(k)*y_list(:, :, k)
        end do
        if (pairs > 0) then
            direction = direction*rho(pairs)/dot(y_list(:, :, pairs), y_list(:, :, pairs))
        else
            direction = direction*0.05_dp/sqrt(dot(gradient, gradient))
        end if
        do k = 1, pairs
            direction = direction + (alpha(k) - dot(y_list(:, :, k), direction)/rho(k))*s_list(:, :, k)
        end do
    end subroutine

    subroutine keep_pair(length)
        real(dp), intent(in) :: length
        real(dp) :: product
        difference = gradient - before
        product = length*dot(direction, difference)
        if (product <= 0) return
        if (pairs == memory) then
            s_list(:, :, 1:memory - 1) = s_list(:, :, 2:)
            y_list(:, :, 1:memory - 1) = y_list(:, :, 2:)
            rho(1:memory - 1) = rho(2:)
            pairs = memory - 1
        end if
        pairs = pairs + 1
        s_list(:, :, pairs) = length*direction
        y_list(:, :, pairs) = difference
        rho(pairs) = product
    end subroutine

    ! How long the step is along direction: 0 if nothing is better.
    real(dp) function line_search(value, band) result(length)
        real(dp), intent(inout) :: value
        integer, intent(in) :: band
        real(dp) :: slope, now_there, from(0:n + 1, m)
        integer :: k
        slope = dot(gradient, direction)
        from = speed
        length = 1
        do k = 1, 5
            speed(1:n, :) = max(0.05_dp, min(0.45_dp, from(1:n, :) + length*direction))
            now_there = misfit(band, .false.)
            tried = tried + 1
            if (now_there < value + 1e-4_dp*length*slope) then
                value = now_there
                return
            end if
            length = 0.4_dp*length
        end do
        speed = from
        length = 0
    end function

    subroutine observe(band)
        integer, intent(in) :: band
        integer :: shot
        real(dp) :: kept(0:n + 1, m)
        kept = speed
        speed = true_speed
        do shot = 1, shots
            call propagate(shot, band, .false.)
            observed(:, :, shot) = heard
        end do
        speed = kept
        pairs = 0
    end subroutine

    real(dp) function write_ground()
        real(dp), allocatable :: all(:, :)
        allocate (all(n*m, 2))
        all = 0
        if (team_number == 0) call MPI_Gather(speed(1:n, :), n*m, MPI_DOUBLE_PRECISION, all, n*m, &
                                              MPI_DOUBLE_PRECISION, 0, team)
        write_ground = maxval(all)
    end function
end module

program inversion
    use ground
    implicit none
    integer :: band, k, each, iterations
    real(dp) :: value, first, length, highest
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    if (ranks /= 4) call MPI_Abort(MPI_COMM_WORLD, 3)
    each = argument(6)
    call make_teams()
    call make_ground()
    speed = first_speed
    iterations = 0
    do band = 1, bands
        call observe(band)
        value = misfit(band, .true.)
        first = value
        do k = 1, each + 2*band
            before = gradient
            call find_direction()
            length = line_search(value, band)
            if (length <= 0) pairs = 0
            value = misfit(band, .true.)
            if (length > 0) call keep_pair(length)
            iterations = iterations + 1
            if (value < 0.02_dp*first) exit
        end do
        highest = write_ground()
        if (rank == 0) print '(a,i0,a,es12.4,a,es12.4,f9.5)', 'band ', band, ': misfit ', first, ' to ', value, highest
    end do
    if (rank == 0) print '(i0,a,i0,a)', iterations, ' iterations, ', tried, ' steps tried'
    call MPI_Comm_free(team)
    call MPI_Comm_free(partners)
    call say_loops(iterations, bands)
    call MPI_Finalize()
contains
    include 'programs.inc'
end program
