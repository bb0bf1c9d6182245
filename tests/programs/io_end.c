/* Rare I/O at the end of a step.
 *
 * 1000 steps: Sendrecv, compute for 4 ms, Allreduce; at the end of every 100th step all ranks
 * open a file, write their number and close it (File_open, File_write_at_all, File_close).
 * True iterations: ITERATIONS (1000), in spite of the 10 that do I/O, as long as the I/O takes
 * less than 2% of the time.
 *
 * programs.sh: steps=500 iterations=500 */
#include "program.h"

static void write_file(const struct program *p, int step)
{
    MPI_File file;
    int number = step + p->rank;

    MPI_File_open(MPI_COMM_WORLD, "io_end.out", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, p->rank * (MPI_Offset)sizeof(int), &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 4000);

    for (int step = 0; step < p.iterations; step++) {
        program_ring(&p, step);
        program_compute(&p);
        program_sum(&p);
        if (step % 100 == 99)
            write_file(&p, step);
    }
    return program_end(&p, "steps");
}
