! SPDX-License-Identifier: BSD-3-Clause
! Variational data assimilation: which first state of a model fits what was observed later?
!
! usage: variation [OUTER]
!
! The main loop are the iterations of the minimisation by conjugate gradients, of all outer loops
! together: each runs the linear model forth over 24 time steps, and its adjoint back. An outer
! loop begins with a run of the full model, from which the linear one is made, and ends when the gradient
! is small enough.
module model
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), n = 160, m = 40, steps = 24, each = 6, most_inner = 60
    real(dp), parameter :: dt = 0.2_dp, nu = 0.4_dp, along = 0.8_dp, weight = 2e-3_dp
    real(dp) :: path(0:n + 1, 0:m + 1, 0:steps), observed(n, m, steps), w(0:n + 1, 0:m + 1)
    integer :: rank, ranks, down, up, ierr
contains
    subroutine fill_halo(a)
        real(dp), intent(inout) :: a(0:n + 1, 0:m + 1)
        a(0, :) = a(n, :)
        a(n + 1, :) = a(1, :)
        call MPI_Sendrecv(a(0, m), n + 2, MPI_DOUBLE_PRECISION, up, 0, a(0, 0), n + 2, MPI_DOUBLE_PRECISION, down, 0, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        call MPI_Sendrecv(a(0, 1), n + 2, MPI_DOUBLE_PRECISION, down, 1, a(0, m + 1), n + 2, MPI_DOUBLE_PRECISION, up, &
                          1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end subroutine

    pure real(dp) function spread_at(a, i, j)
        real(dp), intent(in) :: a(0:n + 1, 0:m + 1)
        integer, intent(in) :: i, j
        spread_at = nu*(a(i + 1, j) + a(i - 1, j) + a(i, j + 1) + a(i, j - 1) - 4*a(i, j))
    end function

    logical function has_observations(t)
        integer, intent(in) :: t
        has_observations = modulo(t, each) == 0
    end function

    logical elemental function is_observed(i, j)
        integer, intent(in) :: i, j
        is_observed = modulo(i, 4) == 0 .and. modulo(j, 4) == 0
    end function

    subroutine step_full(a, b)
        real(dp), intent(inout) :: a(0:n + 1, 0:m + 1)
        real(dp), intent(out) :: b(0:n + 1, 0:m + 1)
        integer :: i, j
        call fill_halo(a)
        do j = 1, m
            do i = 1, n
                b(i, j) = a(i, j) + dt*(spread_at(a, i, j) - a(i, j)*(a(i + 1, j) - a(i - 1, j))/2 &
                                        - along*(a(i, j + 1) - a(i, j - 1))/2)
            end do
        end do
    end subroutine

    subroutine step_linear(a, b)
        real(dp), intent(inout) :: a(0:n + 1, 0:m + 1)
        real(dp), intent(in) :: b(0:n + 1, 0:m + 1)
        integer :: i, j
        call fill_halo(a)
        do j = 1, m
            do i = 1, n
                w(i, j) = a(i, j) + dt*(spread_at(a, i, j) - b(i, j)*(a(i + 1, j) - a(i - 1, j))/2 &
                                        - a(i, j)*(b(i + 1, j) - b(i - 1, j))/2 - along*(a(i, j + 1) - a(i, j - 1))/2)
            end do
        end do
        a(1:n, 1:m) = w(1:n, 1:m)
    end subroutine

    subroutine step_adjoint(a, b)
        real(dp), intent(inout) :: a(0:n + 1, 0:m + 1)
        real(dp), intent(in) :: b(0:n + 1, 0:m + 1)
        integer :: i, j
        call fill_halo(a)
        do j = 1, m
            do i = 1, n
                w(i, j) = a(i, j) + dt*(spread_at(a, i, j) + (b(i + 1, j)*a(i + 1, j) - b(i - 1, j)*a(i - 1, j))/2 &
                                        - a(i, j)*(b(i + 1, j) - b(i - 1, j))/2 + along*(a(i, j + 1) - a(i, j - 1))/2)
            end do
        end do
        a(1:n, 1:m) = w(1:n, 1:m)
    end subroutine

    ! The path from a first state.
    subroutine run_full(a)
        real(dp), intent(in) :: a(n, m)
        integer :: t
        path(1:n, 1:m, 0) = a
        do t = 1, steps
            call step_full(path(:, :, t - 1), path(:, :, t))
        end do
    end subroutine

    ! The matrix of the minimisation: background, and what is observed.
    subroutine apply_hessian(x, y)
        real(dp), intent(in) :: x(n, m)
        real(dp), intent(out) :: y(n, m)
        real(dp) :: seen(n, m, steps/each), a(0:n + 1, 0:m + 1)
        integer :: t
        a(1:n, 1:m) = x
        do t = 1, steps
            call step_linear(a, path(:, :, t - 1))
            if (has_observations(t)) seen(:, :, t/each) = a(1:n, 1:m)
        end do
        a = 0
        call run_adjoint(seen, a)
        y = weight*x + a(1:n, 1:m)
    end subroutine

    subroutine run_adjoint(seen, a)
        real(dp), intent(in) :: seen(n, m, steps/each)
        real(dp), intent(inout) :: a(0:n + 1, 0:m + 1)
        integer :: t, i, j
        do t = steps, 1, -1
            if (has_observations(t)) then
                do j = 1, m
                    do i = 1, n
                        if (is_observed(i, j)) a(i, j) = a(i, j) + seen(i, j, t/each)
                    end do
                end do
            end if
            call step_adjoint(a, path(:, :, t - 1))
        end do
    end subroutine

    real(dp) function dot(a, b)
        real(dp), intent(in), dimension(n, m) :: a, b
        real(dp) :: mine
        mine = sum(a*b)
        call MPI_Allreduce(mine, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end function

    ! How many iterations it takes.
    integer function minimise(gradient, x)
        real(dp), intent(in) :: gradient(n, m)
        real(dp), intent(out) :: x(n, m)
        real(dp), dimension(n, m) :: r, p, q
        real(dp) :: rho, before, first, alpha
        x = 0
        r = -gradient
        p = r
        rho = dot(r, r)
        first = rho
        do minimise = 1, most_inner
            call apply_hessian(p, q)
            alpha = rho/dot(p, q)
            x = x + alpha*p
            r = r - alpha*q
            before = rho
            rho = dot(r, r)
            if (rho < 1e-9_dp*first) return
            p = r + rho/before*p
        end do
        minimise = most_inner
    end function

    ! Of the cost, at the end of the path.
    subroutine find_gradient(state, background, gradient, cost)
        real(dp), intent(in), dimension(n, m) :: state, background
        real(dp), intent(out) :: gradient(n, m), cost
        real(dp) :: seen(n, m, steps/each), a(0:n + 1, 0:m + 1), mine
        integer :: t, i, j
        mine = weight*sum((state - background)**2)
        do t = each, steps, each
            seen(:, :, t/each) = path(1:n, 1:m, t) - observed(:, :, t)
            mine = mine + sum(seen(:, :, t/each)**2, mask=reshape([((is_observed(i, j), i=1, n), j=1, m)], [n, m]))
        end do
        call MPI_Allreduce(mine, cost, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
        a = 0
        call run_adjoint(seen, a)
        gradient = weight*(state - background) + a(1:n, 1:m)
    end subroutine
end module

program variation
    use model
    implicit none
    real(dp), dimension(n, m) :: truth, background, state, gradient, change
    real(dp) :: cost
    integer :: outer, outers, i, j, iterations, now
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    down = modulo(rank - 1, ranks)
    up = modulo(rank + 1, ranks)
    outers = argument(4)
    do j = 1, m
        do i = 1, n
            truth(i, j) = 0.5_dp + sin(0.0491_dp*i)*cos(0.0491_dp*(j + rank*m)) + 0.3_dp*sin(0.1473_dp*i)
            background(i, j) = 0.5_dp + 0.7_dp*sin(0.0491_dp*i + 0.4_dp)*cos(0.0491_dp*(j + rank*m))
        end do
    end do
    call run_full(truth)
    observed = path(1:n, 1:m, 1:steps)
    state = background
    iterations = 0
    do outer = 1, outers
        call run_full(state)
        call find_gradient(state, background, gradient, cost)
        now = minimise(gradient, change)
        iterations = iterations + now
        state = state + change
        if (rank == 0) print '(a,i0,a,f12.5,a,i0,a)', 'outer ', outer, ', cost ', cost, ', ', now, ' iterations'
    end do
    call run_full(state)
    call find_gradient(state, background, gradient, cost)
    if (rank == 0) print '(i0,a,f12.5)', iterations, ' iterations, cost ', cost
    call say_loops(iterations, outers)
    call MPI_Finalize(ierr)
contains
    include 'programs.inc'
end program
