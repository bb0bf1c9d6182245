! SPDX-License-Identifier: BSD-3-Clause
! levels.c in Fortran.
program levels
    use mpi
    use iso_c_binding
    implicit none
    interface
        integer(c_int) function usleep(microseconds) bind(c)
            use iso_c_binding
            integer(c_int), value :: microseconds
        end function
    end interface
    integer :: rank, ranks, i, tag, error
    double precision :: a(64), got(64)

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    a = 1
    do i = 0, 2999
        if (mod(i, 1000) == 0) call MPI_Pcontrol(0)
        if (mod(i, 1000) == 500) then
            call MPI_Pcontrol(2)
            call MPI_Pcontrol(1)
        end if
        tag = merge(1, 501, mod(i, 1000) < 500) + mod(i, 1000)
        call MPI_Sendrecv(a, 64, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), tag, got, 64, MPI_DOUBLE_PRECISION, &
            mod(rank + ranks - 1, ranks), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        error = usleep(150)
        a = 0.5 * (a + got)
        call MPI_Allreduce(MPI_IN_PLACE, a, 64, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    end do
    if (rank == 0) print '(a)', 'done'
    call MPI_Finalize(error)
end program levels
