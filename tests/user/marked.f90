! SPDX-License-Identifier: BSD-3-Clause
! 100 steps of 30 sweeps each; the sweeps have the mark.
program marked
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
    integer :: rank, ranks, step, k, ierr
    double precision :: a(64), got(64), total
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    a = rank
    do step = 1, 100
        call efgtrace_begin("sweeps")
        do k = 1, 30
            call efgtrace_iteration()
            call MPI_Sendrecv(a, 64, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 1, got, 64, &
                              MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 1, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE, ierr)
            ierr = usleep(100)
            a = (a + got)/2
        end do
        call efgtrace_end("sweeps")
        call MPI_Allreduce(a(1), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end do
    call MPI_Finalize(ierr)
    if (rank == 0) print '(a,f9.4)', 'sum ', total
end program
