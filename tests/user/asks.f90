! SPDX-License-Identifier: BSD-3-Clause
! 3000 iterations; in the 1500th one the program asks for 4 to be recorded.
program asks
    use mpi
    use efgtrace
    use iso_c_binding
    implicit none
    interface
        integer(c_int) function usleep(microseconds) bind(c)
            use iso_c_binding
            integer(c_int), value :: microseconds
        end function
    end interface
    integer :: rank, ranks, i, error
    double precision :: a(64), got(64)

    call efgtrace_record(3)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    a = 1
    do i = 1, 3000
        if (i == 1500) call efgtrace_record(4)
        call efgtrace_record(-1)
        call MPI_Sendrecv(a, 64, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 1, got, 64, MPI_DOUBLE_PRECISION, &
            mod(rank + ranks - 1, ranks), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        error = usleep(50)
        a = 0.5 * (a + got)
        call MPI_Allreduce(MPI_IN_PLACE, a, 64, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    end do
    if (rank == 0) print '(a)', 'done 3000'
    call MPI_Finalize(error)
    call efgtrace_record(3)
end program asks
