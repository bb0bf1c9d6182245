/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of datatypes: MPI's own are asked for once, others each time. The MPI here is made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/mpi/types.h"

#define TYPES 300
#define DERIVED 100 /* the first ones */

static char type[TYPES][0x200]; /* as far apart as those of Open MPI */
static int size_of[TYPES], questions;

static MPI_Datatype handle(int number)
{
    return (MPI_Datatype)(uintptr_t)type[number];
}

/* A handle may have the lower half of an address only. */
static int number_of(MPI_Datatype datatype)
{
    return (int)((uint32_t)(uintptr_t)datatype - (uint32_t)(uintptr_t)type[0]) / (int)sizeof *type;
}

int PMPI_Type_size(MPI_Datatype datatype, int *size)
{
    *size = size_of[number_of(datatype)];
    questions++;
    return *size == 13 ? MPI_ERR_TYPE : MPI_SUCCESS;
}

int PMPI_Type_get_envelope(MPI_Datatype datatype, int *integers, int *addresses, int *datatypes,
                           int *combiner)
{
    *integers = *addresses = *datatypes = 0;
    *combiner = number_of(datatype) < DERIVED ? MPI_COMBINER_VECTOR : MPI_COMBINER_NAMED;
    return MPI_SUCCESS;
}

static int start(void **state)
{
    (void)state;
    memset(efg_types, 0, sizeof efg_types);
    for (int i = 0; i < TYPES; i++)
        size_of[i] = 100 + i;
    questions = 0;
    return 0;
}

static void predefined_types_are_asked_once(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(efg_types_size(handle(200)), 300);
    assert_int_equal(questions, 1);
}

static void others_are_asked_each_time(void **state)
{
    (void)state;
    assert_int_equal(efg_types_size(handle(7)), 107);
    size_of[7] = 8; /* freed, and made anew */
    assert_int_equal(efg_types_size(handle(7)), 8);
    assert_int_equal(questions, 2);
}

static void more_than_there_are_places(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < TYPES; i++)
            assert_int_equal(efg_types_size(handle(i)), 100 + i);
    assert_in_range(questions, TYPES + 2 * DERIVED, 3 * TYPES - 1); /* some were remembered */
}

static void what_has_no_size(void **state)
{
    (void)state;
    size_of[150] = -1;
    size_of[151] = 13;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(efg_types_size(handle(150)), 0);
        assert_int_equal(efg_types_size(handle(151)), 0);
        assert_int_equal(efg_types_size(MPI_DATATYPE_NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(predefined_types_are_asked_once, start),
        cmocka_unit_test_setup(others_are_asked_each_time, start),
        cmocka_unit_test_setup(more_than_there_are_places, start),
        cmocka_unit_test_setup(what_has_no_size, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
