/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An object that calls functions named as those of MPI, by way of its slots: made as lazily bound, fully
 * read-only after loading, and without a procedure linkage table.
 */
int MPI_One(void);
int MPI_Two(void);

int call_one(void);
int call_two(void);
int (*address_of_two(void))(void);

int call_one(void)
{
    return MPI_One();
}

int call_two(void)
{
    return MPI_Two();
}

int (*address_of_two(void))(void)
{
    return MPI_Two;
}
