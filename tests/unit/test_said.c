/* SPDX-License-Identifier: BSD-3-Clause */
/* What plug-ins of several ranks have said, joined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files/run/said.h"

/* What RANK says: a number, a line that all say, one of its own. */
static char *said_by(uint32_t rank, uint64_t value)
{
    struct efg_buffer out = {0};
    char own[32];

    snprintf(own, sizeof own, "rank %u", rank);
    efg_said_put(&out, &(struct efg_said_item){"a", "number", "B", 1, value, value, value, rank, rank});
    efg_said_put(&out, &(struct efg_said_item){.plugin = "a", .name = "all", .ranks = 1, .least_rank = rank});
    efg_said_put(&out, &(struct efg_said_item){.plugin = "b", .name = own, .ranks = 1, .least_rank = rank});
    efg_buffer_put(&out, "", 1);
    return (char *)out.data;
}

static char *join(char *one, char *other)
{
    char *joined = efg_said_join(one, other);

    free(one);
    free(other);
    return joined;
}

static void test_join(void **state)
{
    (void)state;
    char *left = join(join(said_by(0, 7), said_by(1, 3)), join(said_by(2, 9), said_by(3, 3)));
    char *right = join(said_by(0, 7), join(said_by(1, 3), join(said_by(2, 9), said_by(3, 3))));
    struct efg_said said;

    assert_string_equal(left, right);
    assert_int_equal(efg_said_read(&said, left), 0);
    assert_int_equal(said.count, 6);
    const struct efg_said_item *i = said.items;
    assert_true(i->ranks == 4 && i->sum == 22 && i->least == 3 && i->least_rank == 1 && i->most == 9 &&
                i->most_rank == 2);
    assert_string_equal(i->unit, "B");
    assert_true(i[1].ranks == 4 && !i[1].unit && i[1].least_rank == 0);
    assert_string_equal(i[5].name, "rank 3");
    efg_said_fini(&said);
    free(left);
    free(right);
}

/* What is not understood is passed over, whatever it is. */
static void test_wrong(void **state)
{
    static const char text[] =
        "number\ta\tb\tB\t0\t0\t0\t0\t0\t0\nnumber\ta\nline\na\tb\tc\td\te\n\n\t\t\t\t\n"
        "line\ta\ttext\t1\t2\nline\ta\ttext\t1\t2\tmore";
    struct efg_said said;

    (void)state;
    assert_int_equal(efg_said_read(&said, text), 0);
    assert_int_equal(said.count, 1);
    assert_string_equal(said.items[0].name, "text");
    efg_said_fini(&said);
    assert_int_equal(efg_said_read(&said, NULL), 0);
    assert_int_equal(said.count, 0);
    efg_said_fini(&said);
}

/* Thousands of ranks that say different things: that has an end, and what all say is still counted. */
static void test_many(void **state)
{
    char *all = said_by(0, 1);
    struct efg_said said;

    (void)state;
    for (uint32_t rank = 1; rank < 2000; rank++)
        all = join(all, said_by(rank, 1));
    assert_int_equal(efg_said_read(&said, all), 0);
    assert_true(said.count <= 512 && said.items[0].ranks == 2000 && said.items[0].sum == 2000);
    efg_said_fini(&said);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
