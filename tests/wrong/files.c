/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are not there, cannot be written, or are closed. Errors are returned by default.
 */
#include "wrong.h"

static int one = 1;

static MPI_File open_self(int mode)
{
    MPI_File file = MPI_FILE_NULL;
    TELL(File_open, MPI_COMM_SELF, "/proc/self/cmdline", mode, MPI_INFO_NULL, &file);
    return file;
}

static void not_there(void)
{
    MPI_File file;
    TELL(File_open, MPI_COMM_WORLD, "/nowhere/nothing", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}

static void mode_wrong(void)
{
    open_self(MPI_MODE_RDONLY | MPI_MODE_WRONLY);
}

static void read_only(void)
{
    MPI_File file = open_self(MPI_MODE_RDONLY);
    TELL(File_write, file, &one, 1, MPI_INT, MPI_STATUS_IGNORE);
    TELL(File_write_at, file, -4, &one, 1, MPI_INT, MPI_STATUS_IGNORE);
    TELL(File_read, file, &one, -1, MPI_INT, MPI_STATUS_IGNORE);
    TELL(File_read, file, &one, 1, (MPI_Datatype)0, MPI_STATUS_IGNORE);
    TELL(File_seek, file, -100, MPI_SEEK_SET);
    TELL(File_close, &file);
}

static void closed(void)
{
    MPI_File file = open_self(MPI_MODE_RDONLY);
    TELL(File_close, &file);
    TELL(File_read, file, &one, 1, MPI_INT, MPI_STATUS_IGNORE);
    TELL(File_close, &file);
}

const struct wrong wrong_files[] = {
    {"file that is not there", not_there, WITHIN, 0},
    {"file mode wrong", mode_wrong, WITHIN, 0},
    {"file read only", read_only, WITHIN, 0},
    {"file closed", closed, WITHIN, 0},
    {NULL, NULL, WITHIN, 0},
};
