/* MPI-IO: explicit offsets, individual and shared pointers, collective, nonblocking, split.
 *
 * The file is opened once. 100 steps: write and read it in each way, compute, Sync; every 50th
 * step closes it and opens it again. True iterations: ITERATIONS (100). The file is mpiio.out
 * in the working folder, removed at the end.
 *
 * programs.sh: steps=200 window=maybe graph=yes */
#include "program.h"

enum { COUNT = 64 };

static int mine[COUNT], back[COUNT];

static MPI_File open_file(const struct program *p)
{
    MPI_File file;
    int error =
        MPI_File_open(MPI_COMM_WORLD, "mpiio.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);

    program_expect(p, error == MPI_SUCCESS, "open");
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    return file;
}

static void new_numbers(const struct program *p, int step)
{
    static int series;

    series++;
    for (int i = 0; i < COUNT; i++) {
        mine[i] = series * 100000 + step * 100 + p->rank + i;
        back[i] = -1;
    }
}

static void same(const struct program *p, const char *how)
{
    for (int i = 0; i < COUNT; i++)
        program_expect(p, back[i] == mine[i], how);
}

static void explicit_offsets(const struct program *p, MPI_File file, MPI_Offset at, int step)
{
    MPI_Request request;

    new_numbers(p, step);
    MPI_File_write_at(file, at, mine, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, at, back, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    same(p, "write_at, read_at");

    new_numbers(p, step);
    MPI_File_write_at_all(file, at, mine, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, at, back, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    same(p, "write_at_all, read_at_all");

    new_numbers(p, step);
    MPI_File_iwrite_at(file, at, mine, COUNT, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, at, back, COUNT, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    same(p, "iwrite_at, iread_at");
}

static void individual_pointer(const struct program *p, MPI_File file, MPI_Offset at, int step)
{
    MPI_Request request;

    new_numbers(p, step);
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_write(file, mine, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, -COUNT, MPI_SEEK_CUR);
    MPI_File_read(file, back, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    same(p, "write, read");

    new_numbers(p, step);
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_write_all(file, mine, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_read_all(file, back, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    same(p, "write_all, read_all");

    new_numbers(p, step);
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_iwrite(file, mine, COUNT, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_iread(file, back, COUNT, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    same(p, "iwrite, iread");
}

static void split_collectives(const struct program *p, MPI_File file, MPI_Offset at, int step)
{
    new_numbers(p, step);
    MPI_File_write_at_all_begin(file, at, mine, COUNT, MPI_INT);
    MPI_File_write_at_all_end(file, mine, MPI_STATUS_IGNORE);
    MPI_File_read_at_all_begin(file, at, back, COUNT, MPI_INT);
    MPI_File_read_at_all_end(file, back, MPI_STATUS_IGNORE);
    same(p, "split write_at_all, read_at_all");
}

static void shared_pointer(const struct program *p, MPI_File file, int step)
{
    new_numbers(p, step);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_write_ordered(file, mine, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(file, back, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    same(p, "write_ordered, read_ordered");
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 100, 3000);
    MPI_Offset at = p.rank * (MPI_Offset)COUNT; /* in elements of the view */
    MPI_File file = open_file(&p);

    for (int step = 0; step < p.iterations; step++) {
        if (step % 50 == 49) {
            MPI_File_close(&file);
            file = open_file(&p);
        }
        explicit_offsets(&p, file, at, step);
        individual_pointer(&p, file, at, step);
        split_collectives(&p, file, at, step);
        shared_pointer(&p, file, step);
        program_compute(&p);
        MPI_File_sync(file);
    }
    MPI_File_close(&file);
    if (p.rank == 0)
        MPI_File_delete("mpiio.out", MPI_INFO_NULL);
    return program_end(&p, "steps");
}
