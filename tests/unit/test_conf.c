/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Configuration: right values get in and come out again, wrong ones change nothing and are
 * explained, and no file whatsoever brings the reader down.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nearest.h"
#include "core/graph/signature.h"
#include "core/loop/finder.h"
#include "files/conf/conf.h"

static char folder[] = "/tmp/test_conf.XXXXXX";
static char path[64]; /* of the file that the tests write */
static char message[512];
static struct efg_conf conf;

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder))
        return -1;
    snprintf(path, sizeof path, "%s/test.conf", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(path);
    unlink(EFG_CONF_LOCAL);
    return rmdir(folder);
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* Read TEXT as a file over the defaults. */
static int read_text(const char *text)
{
    write_bytes(path, text, strlen(text));
    efg_conf_default(&conf);
    message[0] = '\0';
    return efg_conf_read(&conf, path, message, sizeof message);
}

static int set(const char *key, const char *value)
{
    message[0] = '\0';
    return efg_conf_set(&conf, key, value, "here", message, sizeof message);
}

static void assert_says(const char *part)
{
    if (!strstr(message, part))
        fail_msg("\"%s\" is not in \"%s\"", part, message);
}

static void test_defaults(void **state)
{
    (void)state;
    efg_conf_default(&conf);
    assert_int_equal(conf.mode, EFG_MODE_ADAPTIVE);
    assert_string_equal(conf.output, "");
    assert_int_equal(conf.iterations, 10);
    assert_int_equal(conf.level, EFG_LEVEL_AUTO);
    assert_int_equal(conf.signature, EFG_DIM_PATH);
    assert_int_equal(conf.interval, 5000000);
    assert_int_equal(conf.log_limit, 1ull << 30);
    assert_int_equal(conf.patience, 5000000000);
    assert_true(conf.summary && conf.symbols && !conf.keep_logs && !conf.verbose);
    assert_string_equal(efg_conf_source(&conf, "mode"), "default");
}

/* What a key's default shows is the default as the table writes it. */
static void test_table(void **state)
{
    (void)state;
    char text[64], least[128];
    int count = 0;
    efg_conf_default(&conf);
    for (const struct efg_key *key = efg_conf_keys(); key->name; key++, count++) {
        efg_conf_show(&conf, key->name, text, sizeof text);
        assert_string_equal(text, key->fallback);
        assert_int_equal(set(key->name, key->fallback), 0);
        assert_ptr_equal(efg_conf_find(key->name), key);
        assert_ptr_equal(efg_conf_nearest(key->name), key);
        efg_conf_expected(key, least, sizeof least);
        assert_true(strlen(least) > 0 && key->help);
    }
    assert_int_equal(count, EFG_CONF_KEYS);
}

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *shown;
    } good[] = {
        {"mode", "full", "full"},
        {"mode", "off", "off"},
        {"level", "coarser", "coarser"},
        {"loop", "LAMMPS_NS::Verlet::run", "LAMMPS_NS::Verlet::run"},
        {"loop", "12ab34cd5f", "12ab34cd5f"},
        {"clock", "system", "system"},
        {"iterations", "1", "1"},
        {"iterations", "1000000", "1000000"},
        {"interval", "1000us", "1ms"},
        {"interval", "1500 ms", "1500ms"},
        {"interval", "60m", "1h"},
        {"patience", "0", "0"},
        {"patience", "120s", "2m"},
        {"patience", "7ns", "7ns"},
        {"log-limit", "1024K", "1M"},
        {"log-limit", "1T", "1T"},
        {"summary", "no", "off"},
        {"verbose", "true", "on"},
        {"signature", "size partner", "size,partner"},
        {"signature", " region,path ,\tsize-class,", "path,size-class,region"},
        {"signature", "none", "none"},
        {"select", "spread", "spread"},
        {"select", "spread, first", "first,spread"},
        {"when", "", ""},
        {"when", "time in 10m..20m", "time in 10m..20m"},
        {"when", "time in 1.5s..", "time in 1.5s.."},
        {"when", "ipc < 0.5, cs / s>10", "ipc < 0.5, cs / s>10"},
        {"when", "LLC-load-misses / LLC-loads > 0.1", "LLC-load-misses / LLC-loads > 0.1"},
        {"when", "iteration > 2x, mpi>60%,region my solver", "iteration > 2x, mpi>60%,region my solver"},
        {"pcontrol", "record", "record"},
        {"accuracy", "2%", "2%"},
        {"accuracy", "none", "none"},
        {"overhead", "0.5%", "0.5%"},
        {"overhead", "none", "none"},
        {"overhead", "100%", "100%"},
        {"overhead", "0.0100%", "0.01%"},
        {"overhead", "12.3456%", "12.3456%"},
        {"output", "a folder", "a folder"},
        {"output", "", ""},
    };
    char text[64], again[64];
    efg_conf_default(&conf);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(set(good[i].key, good[i].value), 0);
        efg_conf_show(&conf, good[i].key, text, sizeof text);
        assert_string_equal(text, good[i].shown);
        assert_int_equal(set(good[i].key, text), 0);
        efg_conf_show(&conf, good[i].key, again, sizeof again);
        assert_string_equal(text, again);
        assert_string_equal(efg_conf_source(&conf, good[i].key), "here");
    }
}

static void test_wrong_values(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *says;
    } bad[] = {
        {"iterations", "0", "too small; expected a whole number from 1 to 1000000"},
        {"iterations", "1000001", "too large"},
        {"iterations", "ten", "not a whole number"},
        {"iterations", "10x", "not a whole number"},
        {"iterations", "-1", "not a whole number"},
        {"iterations", "", "not a whole number"},
        {"iterations", "1e3", "not a whole number"},
        {"iterations", "99999999999999999999999", "too large"},
        {"interval", "100", "the unit is missing"},
        {"interval", "100 minutes", "no such unit"},
        {"interval", "1.5s", "no such unit"},
        {"interval", "100M", "no such unit"},
        {"interval", "0", "too small"},
        {"interval", "2h", "too large; expected a whole number with its unit"},
        {"interval", "18446744073709551615h", "too large"},
        {"log-limit", "64", "the unit is missing"},
        {"log-limit", "64m", "no such unit; expected a whole number with its unit, K M G or T"},
        {"log-limit", "18446744073709551615T", "too large"},
        {"when", "page-faults", "\">\" or \"<\" is missing behind a counter"},
        {"when", "faults > many", "what a counter is compared to is no number"},
        {"when", "faults / cicles > 3", "no such counter behind \"/\""},
        {"when", "faults<1,faults>2,faults<3,faults>4,faults<5", "at most 4 conditions are about counters"},
        {"when", "sometimes", "no such condition; expected conditions with commas: \"time in"},
        {"when", "time 3s..5s", "\"in\" is missing"},
        {"when", "time in 3s", "\"..\" is missing between the times"},
        {"when", "time in 5s..3s", "the second time is not after the first one"},
        {"when", "time in 5..7s", "the first time is no number with its unit"},
        {"when", "time in 5s..7", "the second time is no number with its unit"},
        {"when", "iteration 2x", "\">\" is missing behind"},
        {"when", "iteration > 2", "no number with an x"},
        {"when", "iteration > 1x", "more than 1x the median"},
        {"when", "iteration > 99999x", "up to 1000x"},
        {"when", "mpi = 6%", "\">\" or \"<\" is missing"},
        {"when", "mpi > 101%", "no percentage"},
        {"when", "mpi > 100%", "between 0% and 100%"},
        {"when", "region ,mpi > 5%", "the name of the region is missing"},
        {"when", "mpi > 60%,", "a condition is missing behind the last comma"},
        {"when", "mpi > 60% mpi < 70%", "there is something behind a condition"},
        {"when", "time in 1s..2s, time in 3s..4s", "a condition is there twice"},
        {"pcontrol", "all", "expected regions|record"},
        {"overhead", "0%", "too small; expected none, or a percentage from 0.01% to 100%"},
        {"overhead", "0.001%", "too small"},
        {"overhead", "101%", "too large"},
        {"overhead", "99999999999999999%", "too large"},
        {"overhead", "0.5", "no percentage"},
        {"overhead", "0.12345%", "no percentage"},
        {"overhead", ".5%", "no percentage"},
        {"overhead", "", "no percentage"},
        {"mode", "fast", "expected adaptive|full|graph|off"},
        {"mode", "", "no such word"},
        {"mode", "adaptive|full", "no such word"},
        {"summary", "maybe", "neither on nor off"},
        {"signature", "path,colour", "a word in it that is not known"},
        {"signature", "size,size-class", "exclude each other"},
        {"signature", "none,path", "none stands alone"},
        {"signature", " , ", "nothing is given"},
        {"select", "first,last", "a word in it that is not known; expected some of first,spread,slow,asked"},
        {"select", "", "nothing is given; expected some of first"},
        {"itertions", "10", "there is no key \"itertions\"; did you mean \"iterations\"?"},
        {"log_limit", "1G", "did you mean \"log-limit\"?"},
        {"Mode", "full", "did you mean \"mode\"?"},
        {"iter", "5", "did you mean \"iterations\"?"},
        {"zzzzzz", "5", "lists them all"},
        {"", "5", "there is no key"},
    };
    struct efg_conf before;
    efg_conf_default(&conf);
    before = conf;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(set(bad[i].key, bad[i].value), -EINVAL);
        assert_says(bad[i].says);
        assert_int_equal(strncmp(message, "here: ", 6), 0);
        assert_memory_equal(&before, &conf, sizeof conf);
    }
}

/* Counters that conditions need, and whether they hold for an iteration. */
static void test_counts(void **state)
{
    (void)state;
    struct efg_counter_list list;
    struct efg_when when;
    uint64_t values[EFG_COUNTERS] = {10, 400, 1000};

    assert_null(efg_counters_parse("page-faults", &list));
    assert_null(efg_when_parse("ipc < 0.5, faults / s > 9, faults < 11", &when));
    assert_true(efg_when_is_afterwards(&when));
    assert_true(efg_when_add_counters(&when, &list));
    assert_int_equal(list.count, 3);
    assert_true(efg_when_counts(&when, &list, values, 1000000000));
    assert_false(efg_when_counts(&when, &list, values, 2000000000));
    values[1] = 500;
    assert_false(efg_when_counts(&when, &list, values, 1000000000));
    values[1] = 499;
    assert_true(efg_when_counts(&when, &list, values, 1000000000));
    values[0] = 11;
    assert_false(efg_when_counts(&when, &list, values, 1000000000));
    assert_null(
        efg_counters_parse("cs,migrations,faults,minor-faults,major-faults,branches,bus-cycles", &list));
    assert_false(efg_when_add_counters(&when, &list));
    efg_conf_default(&conf);
    assert_int_equal(set("counters", "cs,migrations,faults,minor-faults,major-faults,branches,bus-cycles"),
                     0);
    assert_int_equal(set("when", "ipc < 1"), 0);
    assert_int_equal(efg_conf_check(&conf, message, sizeof message), -EINVAL);
    assert_says("are more than 8 counters");
}

/* Names of PAPI are known to PAPI only: what could be one is read, once each, and is what it was as text. */
static void test_counters_of_papi(void **state)
{
    (void)state;
    static const char *const wrong[] = {"PAPI TOT_INS", "PAPI_TOT;INS", "PAPI_TOT_INS PAPI_TOT_INS",
                                        "perf:PAGE-FAULTS"};
    char name[EFG_COUNTER_NAME + 1] = "PAPI_", text[1 + EFG_COUNTERS * EFG_COUNTER_NAME];
    struct efg_counter_list list, again;

    assert_null(efg_counters_parse("PAPI_TOT_INS,cs, a::B:C=1 PAPI_L3_TCM", &list));
    efg_counters_show(&list, text, sizeof text);
    assert_string_equal(text, "PAPI_TOT_INS, context-switches, a::B:C=1, PAPI_L3_TCM");
    assert_null(efg_counters_parse(text, &again));
    assert_memory_equal(&list, &again, sizeof list);
    assert_int_equal(efg_counter(list.id[0])->type, EFG_COUNTER_PAPI);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(efg_counters_parse(wrong[i], &list));
    memset(name + 5, 'X', EFG_COUNTER_NAME - 6);
    assert_null(efg_counters_parse(name, &list));
    assert_string_equal(efg_counter(list.id[0])->name, name);
    name[EFG_COUNTER_NAME - 1] = 'X';
    assert_non_null(efg_counters_parse(name, &list));
    assert_true(efg_counter_is("PAPI_TOT_CYC", "cycles") && efg_counter_is("cycles", "cycles"));
    assert_false(efg_counter_is("cycles", "PAPI_TOT_CYC") || efg_counter_is("PAPI_TOT_INS", "cycles"));
}

/* The name of a loop is a hash, or that of a function. */
static void test_loop_hash(void **state)
{
    (void)state;
    uint64_t hash = 1;
    assert_int_equal(efg_conf_loop_hash("0a1B2c3d4f", &hash), 1);
    assert_int_equal(hash, 0x0a1b2c3d4f);
    assert_int_equal(hash & ~EFG_LOOP_BITS, 0);
    assert_int_equal(efg_conf_loop_hash("", &hash), 0);
    assert_int_equal(efg_conf_loop_hash("0a1b2c3d4", &hash), 0);
    assert_int_equal(efg_conf_loop_hash("0a1b2c3d4f5", &hash), 0);
    assert_int_equal(efg_conf_loop_hash("0x1b2c3d4f", &hash), 0);
    assert_int_equal(efg_conf_loop_hash("Verlet::run", &hash), 0);
}

static void test_long_values(void **state)
{
    (void)state;
    char value[5000];
    memset(value, 'a', sizeof value);
    value[4095] = '\0';
    efg_conf_default(&conf);
    assert_int_equal(set("output", value), 0);
    assert_int_equal(strlen(conf.output), 4095);
    value[4095] = 'a';
    value[4999] = '\0';
    assert_int_equal(set("output", value), -EINVAL);
    assert_says("aaa...\": too long");
    assert_int_equal(set(value, "1"), -EINVAL);

    char small[8];
    assert_int_equal(efg_conf_set(&conf, "mode", "x", value, small, sizeof small), -EINVAL);
    assert_int_equal(strlen(small), 7);
    memcpy(value + 4996, ":12", 4);
    assert_int_equal(efg_conf_set(&conf, "mode", "full", value, small, sizeof small), 0);
    assert_int_equal(strlen(efg_conf_source(&conf, "mode")), 255);
    assert_string_equal(efg_conf_source(&conf, "mode") + 250, "aa:12");
}

static void test_file(void **state)
{
    (void)state;
    char where[128];
    assert_int_equal(read_text("# a comment\r\n"
                               "iterations = 20   # of them\r\n"
                               "  interval=250ms ; indented\n"
                               "\n"
                               "\tlog-limit: 64M\n"
                               "output = a#b/c d\n"
                               "iterations = 30"),
                     0);
    assert_int_equal(conf.iterations, 30);
    assert_int_equal(conf.interval, 250000000);
    assert_int_equal(conf.log_limit, 64 << 20);
    assert_string_equal(conf.output, "a#b/c d");
    snprintf(where, sizeof where, "%s:7", path);
    assert_string_equal(efg_conf_source(&conf, "iterations"), where);
    assert_int_equal(read_text("\xEF\xBB\xBFstable = 5\n"), 0);
    assert_int_equal(conf.stable, 5);
    assert_int_equal(read_text(""), 0);
}

static void test_wrong_files(void **state)
{
    (void)state;
    char line[4096];
    assert_int_equal(read_text("mode = full\n\nitertions = 3\nmode = x\n"), -EINVAL);
    assert_says("test.conf:3: there is no key \"itertions\"; did you mean \"iterations\"?");
    assert_int_equal(read_text("mode = full\nnonsense\nmode = x\n"), -EINVAL);
    assert_says("test.conf:2: not understood; expected KEY = VALUE");
    assert_int_equal(read_text("mode = x\nnonsense\n"), -EINVAL);
    assert_says("test.conf:1: mode cannot be \"x\"");
    assert_int_equal(read_text("nonsense\n"), -EINVAL);
    assert_says("test.conf:1: ");
    assert_int_equal(read_text("[efgtrace]\nmode = full\n"), -EINVAL);
    assert_says("test.conf:2: keys stand in no [section]");
    assert_int_equal(read_text("mode = full\n iterations\n"), -EINVAL);
    assert_says("test.conf:2: ");

    memset(line, 'a', sizeof line);
    memcpy(line, "mode=full\noutput = ", 19);
    line[sizeof line - 1] = '\0';
    assert_int_equal(read_text(line), -EINVAL);
    assert_says("test.conf:2: the line is too long");

    write_bytes(path, "mode = full\nsta\0ble = 3\n", 24);
    assert_int_equal(efg_conf_read(&conf, path, message, sizeof message), -EINVAL);
    assert_says("test.conf:2: there is a NUL byte");

    assert_int_equal(efg_conf_read(&conf, folder, message, sizeof message), -EISDIR);
    assert_says("cannot be read: Is a directory");
    assert_int_equal(efg_conf_read(&conf, "missing", message, sizeof message), -ENOENT);
    assert_says("missing: cannot be read: No such file");
    assert_int_equal(efg_conf_read(&conf, "/dev/null", message, sizeof message), 0);
    assert_int_equal(efg_conf_read(&conf, "/dev/zero", message, sizeof message), -EINVAL);

    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(efg_conf_read(&conf, path, message, sizeof message), -ESPIPE);
    assert_says("not a regular file");
    unlink(path);
}

static int load(char **environment)
{
    message[0] = '\0';
    return efg_conf_load(&conf, environment, message, sizeof message);
}

static void test_sources(void **state)
{
    (void)state;
    char named[128];
    snprintf(named, sizeof named, "EFGTRACE_CONF=%s", path);

    if (access(EFG_CONF_SYSTEM, F_OK) == 0)
        skip();
    assert_int_equal(load((char *[]){"HOME=/", NULL}), 0);
    assert_int_equal(conf.iterations, 10);

    read_text("iterations = 2\nstable = 2\nlog-limit = 2M\n");
    write_bytes(EFG_CONF_LOCAL, "skip = 1\nstable = 1\n", 20);
    assert_int_equal(load((char *[]){"EFGTRACE_STABLE=9", NULL}), 0);
    assert_int_equal(conf.skip, 1);
    assert_int_equal(conf.stable, 9);
    assert_string_equal(efg_conf_source(&conf, "skip"), "./efgtrace.conf:1");

    assert_int_equal(load((char *[]){"EFGTRACE_LOG_LIMIT=3M", "EFGTRACE_LIBRARY=x", named, NULL}), 0);
    assert_int_equal(conf.skip, 0);
    assert_int_equal(conf.iterations, 2);
    assert_int_equal(conf.stable, 2);
    assert_int_equal(conf.log_limit, 3 << 20);
    assert_string_equal(efg_conf_source(&conf, "log-limit"), "environment variable EFGTRACE_LOG_LIMIT");
    assert_string_equal(efg_conf_source(&conf, "mode"), "default");
    assert_int_equal(load((char *[]){"EFGTRACE_CONF=", NULL}), 0);
    assert_int_equal(conf.skip, 1);
}

/* A record, unless the user has set anything, be it the default. */
static void test_record(void **state)
{
    (void)state;
    char *site[] = {"EFGTRACE_SITE=on", "EFGTRACE_SPOOL=/spool", "EFGTRACE_EXCLUDE=a*, /b/*", NULL, NULL};
    unlink(EFG_CONF_LOCAL);
    if (access(EFG_CONF_SYSTEM, F_OK) == 0)
        skip();
    assert_int_equal(load(site), 0);
    assert_true(conf.is_record && efg_conf_is_brief(&conf));
    assert_true(conf.mode == EFG_MODE_GRAPH && !conf.summary && !conf.sequence && conf.overhead == 5000);
    assert_string_equal(efg_conf_source(&conf, "mode"), "site = on");
    site[3] = "EFGTRACE_MODE=adaptive";
    assert_int_equal(load(site), 0);
    assert_false(conf.is_record);
    assert_true(conf.mode == EFG_MODE_ADAPTIVE && conf.summary && conf.sequence);
    site[3] = "EFGTRACE_LIBRARY=x";
    assert_int_equal(load(site), 0);
    assert_true(conf.is_record);
    write_bytes(EFG_CONF_LOCAL, "skip = 0\n", 9);
    assert_int_equal(load(site), 0);
    assert_false(conf.is_record);
    unlink(EFG_CONF_LOCAL);
    site[1] = "EFGTRACE_SPOOL=spool";
    assert_int_equal(load(site), -EINVAL);
    assert_says("spool cannot be \"spool\"; expected a path that begins with /");
}

static void test_wrong_environment(void **state)
{
    (void)state;
    unlink(EFG_CONF_LOCAL);
    assert_int_equal(load((char *[]){"EFGTRACE_ITERTIONS=3", NULL}), -EINVAL);
    assert_says("environment variable EFGTRACE_ITERTIONS: there is no such key; did you mean "
                "EFGTRACE_ITERATIONS?");
    assert_int_equal(load((char *[]){"EFGTRACE_LOGLIMIT=3M", NULL}), -EINVAL);
    assert_says("did you mean EFGTRACE_LOG_LIMIT?");
    assert_int_equal(load((char *[]){"EFGTRACE_CONFIG=x", NULL}), -EINVAL);
    assert_says("did you mean EFGTRACE_CONF?");
    assert_int_equal(load((char *[]){"EFGTRACE_log_limit=1M", NULL}), -EINVAL);
    assert_says("did you mean EFGTRACE_LOG_LIMIT?");
    assert_int_equal(load((char *[]){"EFGTRACE_=x", NULL}), -EINVAL);
    assert_int_equal(load((char *[]){"EFGTRACE_QQQQQQQ=x", NULL}), -EINVAL);
    assert_says("lists them all");
    assert_int_equal(load((char *[]){"EFGTRACE_ITERATIONS=ten", NULL}), -EINVAL);
    assert_says("environment variable EFGTRACE_ITERATIONS: iterations cannot be \"ten\"");
    assert_int_equal(load((char *[]){"EFGTRACE_CONF=missing.conf", NULL}), -ENOENT);
    assert_string_equal(message, "environment variable EFGTRACE_CONF: missing.conf: cannot be "
                                 "read: No such file or directory");
    assert_int_equal(load((char *[]){"EFGTRACE", "EFGTRACEX=1", "NOEQUALS", NULL}), 0);
    assert_int_equal(mkdir(EFG_CONF_LOCAL, 0700), 0);
    assert_int_equal(load((char *[]){NULL}), -EISDIR);
    rmdir(EFG_CONF_LOCAL);
}

/* A module system says of each package where it is; that is no wrong key of ours. */
static void test_module_systems(void **state)
{
    (void)state;
    assert_int_equal(load((char *[]){"EFGTRACE_ROOT=/opt/efgtrace", "EFGTRACE_HOME=/opt", "EFGTRACE_DIR=/opt",
                                     "EFGTRACE_VERSION=0.1.0", "EFGTRACE_ITERATIONS=7", NULL}),
                     0);
    assert_int_equal(conf.iterations, 7);
    assert_int_equal(load((char *[]){"EFGTRACE_ROOTS=/opt", NULL}), -EINVAL);
    assert_int_equal(load((char *[]){"EFGTRACE_root=/opt", NULL}), -EINVAL);
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"reprot", "report"}, {"chek", "check"},  {"rn", "run"}, {"REPORT", "report"},
        {"rep", "report"},    {"runn", "run"},    {"x", NULL},   {"", NULL},
        {"zebra", NULL},      {"tarce", "trace"}, {"gr", NULL},
    };
    static const char *const words[] = {"run", "report", "graph", "trace", "check"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct efg_nearest nearest = {.word = pairs[i][0]};
        for (size_t k = 0; k < 5; k++)
            efg_nearest_offer(&nearest, words[k]);
        if (pairs[i][1])
            assert_string_equal(nearest.best, pairs[i][1]);
        else
            assert_null(nearest.best);
    }
}

/* xorshift64: the same bytes in every run */
static uint64_t seed = 88172645463325252ull;
static uint32_t next_random(uint32_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) % limit;
}

/* Right lines, damaged at some places; or noise. */
static size_t make_hostile(char *bytes, size_t room)
{
    static const char *const lines[] = {
        "mode = full\n",       "iterations = 5\n", "interval = 20ms ; x\n", "signature = path,size\n",
        "  output: a/b # c\n", "[section]\n",      "\xEF\xBB\xBF",          "\r\n",
        "log-limit=9M\n",      "================"};
    size_t size = 0, damage = next_random(4);
    for (uint32_t n = next_random(12); n > 0 && size + 64 < room; n--) {
        const char *line = lines[next_random(10)];
        memcpy(bytes + size, line, strlen(line));
        size += strlen(line);
    }
    for (uint32_t n = next_random(300) * (next_random(8) == 0); n > 0 && size < room; n--)
        bytes[size++] = "aA1 =;#\n\t[:]\0\x80\xff\x7f"[next_random(17)];
    while (damage-- && size)
        bytes[next_random(size)] = next_random(256);
    return size;
}

static void test_hostile_files(void **state)
{
    (void)state;
    char bytes[4096], text[4200];
    int good = 0, bad = 0;
    for (int i = 0; i < 20000; i++) {
        write_bytes(path, bytes, make_hostile(bytes, sizeof bytes));
        efg_conf_default(&conf);
        message[0] = '\0';
        int error = efg_conf_read(&conf, path, message, sizeof message);
        assert_true(error == 0 || error == -EINVAL);
        assert_true((error == 0) == (message[0] == '\0'));
        for (const char *c = message; *c; c++)
            assert_true((unsigned char)*c >= ' ' && *c != 127);
        for (const struct efg_key *key = efg_conf_keys(); key->name; key++) {
            efg_conf_show(&conf, key->name, text, sizeof text);
            assert_int_equal(set(key->name, text), 0);
        }
        error ? bad++ : good++;
    }
    assert_true(good > 1000 && bad > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_wrong_values),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_counters_of_papi),
        cmocka_unit_test(test_loop_hash),
        cmocka_unit_test(test_long_values),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_wrong_environment),
        cmocka_unit_test(test_module_systems),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_hostile_files),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
