/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Configuration: the table of keys, and values as text and back. Where the text comes
 * from is the business of sources.c.
 *
 * A row of the table says all there is to say about a key; parsing, showing, the
 * defaults, the options of `efgtrace run` and the tests of the manual read it there.
 *
 * Invariant: a value either passes every check or leaves the configuration as it was, and
 * what efg_conf_show writes, efg_conf_set reads back as the same value.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "conf.h"
#include "core/graph/signature.h"
#include "core/loop/finder.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define HOUR (3600 * SECOND)
#define MB (UINT64_C(1) << 20)

#define FIELD(name) offsetof(struct efg_conf, name)

static const struct efg_key keys[] = {
    {"mode", "m", "adaptive|full|graph|off", "adaptive",
     "trace some iterations, all or nothing; off: do nothing", EFG_KEY_CHOICE, FIELD(mode), 0, 0},
    {"output", "o", "DIR", "", "the folder to make; empty: efgtrace.<application>.<id>", EFG_KEY_TEXT,
     FIELD(output), 0, 0},
    {"select", NULL, "first|spread|slow|asked", "first", "which iterations to record, separated by commas",
     EFG_KEY_WORDS, FIELD(select), 0, 0},
    {"when", NULL, "CONDITIONS", "",
     "only iterations for which this holds: time, length, MPI, region, counters", EFG_KEY_WHEN, FIELD(when),
     0, 0},
    {"pcontrol", NULL, "regions|record", "regions",
     "what MPI_Pcontrol does: name regions, or say when to record", EFG_KEY_CHOICE, FIELD(pcontrol), 0, 0},
    {"iterations", "n", "N", "10", "iterations of the main loop in a window", EFG_KEY_NUMBER,
     FIELD(iterations), 1, 1000000},
    {"ranks", NULL, "all|representatives", "all", "whose iterations are in the trace", EFG_KEY_CHOICE,
     FIELD(ranks), 0, 0},
    {"windows", NULL, "N", "1", "windows to record", EFG_KEY_NUMBER, FIELD(windows), 1, 1000},
    {"skip", NULL, "N", "0", "iterations to let pass before the first window", EFG_KEY_NUMBER, FIELD(skip), 0,
     UINT64_C(1000000000000)},
    {"level", NULL, "auto|finer|coarser", "auto", "which of several nested loops is the main loop",
     EFG_KEY_CHOICE, FIELD(level), 0, 0},
    {"loop", NULL, "FUNCTION|HASH", "", "the loop of this function, as the summary names it", EFG_KEY_TEXT,
     FIELD(loop), 0, 0},
    {"signature", NULL, "WORDS", "path", "what tells calls apart, besides the function", EFG_KEY_SET,
     FIELD(signature), 0, 0},
    {"interval", NULL, "TIME", "5ms", "shortest time between two samples of the graph", EFG_KEY_TIME,
     FIELD(interval), MS, HOUR},
    {"stable", NULL, "N", "3", "equal samples that make the graph stable", EFG_KEY_NUMBER, FIELD(stable), 1,
     1000},
    {"depth", NULL, "FRAMES", "128", "frames of a call path, counted from the MPI call", EFG_KEY_NUMBER,
     FIELD(depth), 1, 128},
    {"python", NULL, "on|off", "on", "functions and lines of Python in call paths", EFG_KEY_SWITCH,
     FIELD(python), 0, 0},
    {"memory", NULL, "SIZE", "16M", "memory limit of a rank; beyond it detail is dropped", EFG_KEY_SIZE,
     FIELD(memory), MB, MB << 20},
    {"ring", NULL, "SIZE", "8M", "room for iterations that may turn out to be slow", EFG_KEY_SIZE,
     FIELD(ring), MB, MB << 20},
    {"log-limit", NULL, "SIZE", "1G", "size limit of a thread's log on disk", EFG_KEY_SIZE, FIELD(log_limit),
     MB, MB << 20},
    {"overhead", NULL, "PERCENT", "0.5%", "how much of the time watching may take; none: no limit",
     EFG_KEY_SHARE, FIELD(overhead), 100, 1000000},
    {"bypass", NULL, "on|off", "on", "in pauses for the limit the program calls MPI itself", EFG_KEY_SWITCH,
     FIELD(bypass), 0, 0},
    {"accuracy", NULL, "PERCENT", "none",
     "record spread iterations until shares of the time are so accurate; none: a number of them",
     EFG_KEY_SHARE, FIELD(accuracy), 100, 1000000},
    {"patience", NULL, "TIME", "5s", "how long ranks wait for one that finds no main loop", EFG_KEY_TIME,
     FIELD(patience), 0, 24 * HOUR},
    {"plugins", NULL, "FILE[:OPTIONS],...", "", "shared objects that are told of each MPI call", EFG_KEY_TEXT,
     FIELD(plugins), 0, 0},
    {"counters", NULL, "NAME,...", "", "what to count in calls and between them, by names of perf or PAPI",
     EFG_KEY_COUNTERS, FIELD(counters), 0, 0},
    {"openmp", NULL, "on|off", "off", "parallel regions and barriers of OpenMP as nodes", EFG_KEY_SWITCH,
     FIELD(openmp), 0, 0},
    {"sequence", NULL, "on|off", "on", "keep the order of all calls of the run", EFG_KEY_SWITCH,
     FIELD(sequence), 0, 0},
    {"save", NULL, "TIME", "20s", "time between two saves, in case the job is killed; 0: never", EFG_KEY_TIME,
     FIELD(save), 0, 24 * HOUR},
    {"local", NULL, "DIR", "",
     "folder on each node for logs and saves while the job runs; empty: the output's", EFG_KEY_TEXT,
     FIELD(local), 0, 0},
    {"live", NULL, "on|off", "off", "share what each rank is doing, for `efgtrace top` and `efgtrace stuck`",
     EFG_KEY_SWITCH, FIELD(live), 0, 0},
    {"clock", NULL, "auto|tsc|system", "auto", "what time stamps are read from", EFG_KEY_CHOICE, FIELD(clock),
     0, 0},
    {"summary", NULL, "on|off", "on", "print the summary on standard error at the end", EFG_KEY_SWITCH,
     FIELD(summary), 0, 0},
    {"symbols", NULL, "on|off", "on", "look up functions and lines of call paths at the end", EFG_KEY_SWITCH,
     FIELD(symbols), 0, 0},
    {"keep-logs", NULL, "on|off", "off", "keep the logs once the trace is written", EFG_KEY_SWITCH,
     FIELD(keep_logs), 0, 0},
    {"verbose", "v", "on|off", "off", "report events on standard error as they happen", EFG_KEY_SWITCH,
     FIELD(verbose), 0, 0},
    {"site", NULL, "on|off", "off", "a small record of each job in the spool, in silence", EFG_KEY_SWITCH,
     FIELD(site), 0, 0},
    {"spool", NULL, "DIR", "/var/spool/efgtrace", "the folder of all records", EFG_KEY_TEXT, FIELD(spool), 0,
     0},
    {"exclude", NULL, "PATTERN,...", "", "programs and folders of programs that leave no record",
     EFG_KEY_TEXT, FIELD(exclude), 0, 0},
    {0},
};

/* Words of a signature, in the order of enum efg_dimension. */
static const char *const dimensions[] = {"path",         "size-class", "size",    "partner",
                                         "communicator", "region",     "element", "address"};
#define DIMENSIONS (sizeof(dimensions) / sizeof(dimensions[0]))

/* Units, large to small. A value is shown in the first one that divides it and of which it has
 * at least PLENTY: 60s rather than 1m. */
struct unit {
    const char *name;
    uint64_t scale, plenty;
};
static const struct unit times[] = {{"h", HOUR, 1},  {"m", 60 * SECOND, 2}, {"s", SECOND, 1}, {"ms", MS, 1},
                                    {"us", 1000, 1}, {"ns", 1, 1},          {NULL, 0, 0}};
static const struct unit sizes[] = {
    {"T", MB << 20, 1}, {"G", MB << 10, 1}, {"M", MB, 1}, {"K", 1024, 1}, {NULL, 0, 0}};

_Static_assert(sizeof(keys) / sizeof(keys[0]) == EFG_CONF_KEYS + 1, "EFG_CONF_KEYS is wrong");
_Static_assert(EFG_MODE_OFF == 3 && EFG_LEVEL_COARSER == 2 && EFG_CLOCK_SYSTEM == 2,
               "the order of the words is wrong");
_Static_assert(DIMENSIONS == EFG_DIMENSIONS, "a dimension has no word");

const struct efg_key *efg_conf_keys(void)
{
    return keys;
}

const struct efg_key *efg_conf_find(const char *name)
{
    for (const struct efg_key *key = keys; key->name; key++)
        if (strcmp(key->name, name) == 0)
            return key;
    return NULL;
}

const struct efg_key *efg_conf_nearest(const char *name)
{
    struct efg_nearest nearest = {.word = name};

    for (const struct efg_key *key = keys; key->name; key++)
        efg_nearest_offer(&nearest, key->name);
    return nearest.best ? efg_conf_find(nearest.best) : NULL;
}

void efg_conf_variable(const char *key, char *text, size_t size)
{
    snprintf(text, size, "EFGTRACE_%s", key);
    for (char *c = text; *c; c++)
        *c = *c == '-' ? '_' : *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c;
}

static const struct unit *units_of(const struct efg_key *key)
{
    return key->type == EFG_KEY_TIME ? times : sizes;
}

#define UNKNOWN_WORD "there is a word in it that is not known"
#define NOTHING_GIVEN "nothing is given"
#define NONE "none"

/* --- text to value; each returns NULL or what is wrong --- */

static const char *parse_digits(const char *text, uint64_t *value, const char **end)
{
    uint64_t v = 0;
    const char *c = text;

    for (; *c >= '0' && *c <= '9'; c++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *c - '0', &v))
            return "too large";
    *end = c;
    *value = v;
    return c == text ? "not a whole number" : NULL;
}

static const char *check_range(const struct efg_key *key, uint64_t value)
{
    return value < key->least ? "too small" : value > key->most ? "too large" : NULL;
}

static const char *parse_number(const struct efg_key *key, const char *text, uint64_t *value)
{
    const char *end;
    const char *wrong = parse_digits(text, value, &end);

    if (!wrong && *end)
        wrong = "not a whole number";
    return wrong ? wrong : check_range(key, *value);
}

/* A number and its unit; only 0 needs none. */
static const char *parse_quantity(const struct efg_key *key, const char *text, uint64_t *value)
{
    const char *end;
    const char *wrong = parse_digits(text, value, &end);

    if (wrong)
        return wrong;
    end += strspn(end, " ");
    if (!*end)
        return *value ? "the unit is missing" : check_range(key, 0);
    for (const struct unit *unit = units_of(key); unit->name; unit++) {
        if (strcmp(end, unit->name) != 0)
            continue;
        if (__builtin_mul_overflow(*value, unit->scale, value))
            return "too large";
        return check_range(key, *value);
    }
    return "no such unit";
}

/* A percentage with at most SHARE_DIGITS digits behind the point, in millionths. */
static const char *parse_share(const struct efg_key *key, const char *text, uint64_t *value)
{
    const char *end, *wrong = parse_digits(text, value, &end);
    uint64_t scale = 10000;

    *value = *value < scale ? *value : scale; /* too large in any case */
    *value *= scale;
    if (!wrong && *end == '.')
        for (end++; *end >= '0' && *end <= '9' && scale > 1; end++)
            *value += (uint64_t)(*end - '0') * (scale /= 10);
    if (wrong || strcmp(end, "%") != 0)
        return "no percentage";
    return check_range(key, *value);
}

static const char *parse_switch(const char *text, int *value)
{
    static const char *const words[] = {"off", "on", "no", "yes", "false", "true", "0", "1"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(text, words[i]) == 0) {
            *value = i & 1;
            return NULL;
        }
    }
    return "neither on nor off";
}

/* The position of the first SIZE bytes of TEXT among WORDS, or -1. */
static int find_word(const char *words, const char *text, size_t size)
{
    for (int i = 0; *words; i++) {
        size_t length = strcspn(words, "|");
        if (size == length && strncmp(text, words, length) == 0)
            return i;
        words += length + (words[length] == '|');
    }
    return -1;
}

static const char *parse_choice(const struct efg_key *key, const char *text, int *value)
{
    int found = find_word(key->value, text, strlen(text));

    if (found < 0)
        return "no such word";
    *value = found;
    return NULL;
}

static const char blanks[] = ", \t";

static const char *parse_words(const struct efg_key *key, const char *text, unsigned *value)
{
    unsigned set = 0;

    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);
        int found = find_word(key->value, text, length);
        if (found < 0)
            return UNKNOWN_WORD;
        set |= 1u << found;
        text += length;
    }
    if (!set)
        return NOTHING_GIVEN;
    *value = set;
    return NULL;
}

static unsigned dimension_of(const char *word, size_t length)
{
    for (unsigned i = 0; i < DIMENSIONS; i++)
        if (strlen(dimensions[i]) == length && strncmp(dimensions[i], word, length) == 0)
            return 1u << i;
    return 0;
}

static const char *parse_set(const char *text, unsigned *value)
{
    unsigned set = 0;
    int words = 0, none = 0;

    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);
        unsigned bit = dimension_of(text, length);
        if (length == 4 && strncmp(text, "none", 4) == 0)
            none = 1;
        else if (!bit)
            return UNKNOWN_WORD;
        set |= bit;
        words++;
        text += length;
    }
    if (!words)
        return NOTHING_GIVEN;
    if (none && words > 1)
        return "none stands alone";
    if ((set & EFG_DIM_SIZE) && (set & EFG_DIM_SIZE_CLASS))
        return "size and size-class exclude each other";
    *value = set;
    return NULL;
}

static const char *parse_text(const char *text, char *value, size_t size)
{
    if (strlen(text) >= size)
        return "too long";
    strcpy(value, text);
    return NULL;
}

static const char *parse_value(struct efg_conf *conf, const struct efg_key *key, const char *text)
{
    void *field = (char *)conf + key->field;
    uint64_t number;
    const char *wrong;

    switch (key->type) {
    case EFG_KEY_SWITCH:
        return parse_switch(text, field);
    case EFG_KEY_CHOICE:
        return parse_choice(key, text, field);
    case EFG_KEY_WORDS:
        return parse_words(key, text, field);
    case EFG_KEY_SET:
        return parse_set(text, field);
    case EFG_KEY_TEXT:
        return parse_text(text, field, EFG_CONF_TEXT);
    case EFG_KEY_WHEN:
        return efg_when_parse(text, field);
    case EFG_KEY_COUNTERS:
        return efg_counters_parse(text, field);
    case EFG_KEY_NUMBER:
        wrong = parse_number(key, text, &number);
        break;
    case EFG_KEY_SHARE:
        number = 0;
        wrong = strcmp(text, NONE) == 0 ? NULL : parse_share(key, text, &number);
        break;
    default:
        wrong = parse_quantity(key, text, &number);
    }
    if (!wrong)
        *(uint64_t *)field = number;
    return wrong;
}

bool efg_conf_loop_hash(const char *loop, uint64_t *hash)
{
    if (strlen(loop) != EFG_LOOP_DIGITS || strspn(loop, "0123456789abcdefABCDEF") != EFG_LOOP_DIGITS)
        return false;
    *hash = strtoull(loop, NULL, 16);
    return true;
}

/* --- value to text --- */

static void show_quantity(const struct unit *unit, uint64_t value, char *text, size_t size)
{
    while (unit->name && (value % unit->scale || value / unit->scale < unit->plenty))
        unit++;
    snprintf(text, size, "%llu%s", (unsigned long long)(unit->name ? value / unit->scale : value),
             unit->name ? unit->name : "");
}

static void show_share(uint64_t value, char *text, size_t size)
{
    if (value)
        snprintf(text, size, "%.7g%%", (double)value / 1e4);
    else
        snprintf(text, size, NONE);
}

static void show_choice(const char *words, int value, char *text, size_t size)
{
    while (value-- > 0)
        words += strcspn(words, "|") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(words, "|"), words);
}

static void show_words(const char *words, unsigned set, char *text, size_t size)
{
    size_t used = 0, length;

    for (*text = '\0'; *words; words += length + (words[length] == '|'), set >>= 1) {
        length = strcspn(words, "|");
        if (set & 1 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? "," : "", (int)length, words);
    }
}

static void show_set(unsigned set, char *text, size_t size)
{
    char all[128] = "";

    for (unsigned i = 0; i < DIMENSIONS; i++) {
        if (set & 1u << i) {
            strcat(all, *all ? "," : "");
            strcat(all, dimensions[i]);
        }
    }
    snprintf(text, size, "%s", *all ? all : "none");
}

void efg_conf_show(const struct efg_conf *conf, const char *name, char *text, size_t size)
{
    const struct efg_key *key = efg_conf_find(name);
    const void *field = (const char *)conf + (key ? key->field : 0);

    if (!key)
        snprintf(text, size, "%s", "");
    else if (key->type == EFG_KEY_NUMBER)
        snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)field);
    else if (key->type == EFG_KEY_SHARE)
        show_share(*(const uint64_t *)field, text, size);
    else if (key->type == EFG_KEY_SWITCH)
        snprintf(text, size, "%s", *(const int *)field ? "on" : "off");
    else if (key->type == EFG_KEY_CHOICE)
        show_choice(key->value, *(const int *)field, text, size);
    else if (key->type == EFG_KEY_WORDS)
        show_words(key->value, *(const unsigned *)field, text, size);
    else if (key->type == EFG_KEY_SET)
        show_set(*(const unsigned *)field, text, size);
    else if (key->type == EFG_KEY_TEXT)
        snprintf(text, size, "%s", (const char *)field);
    else if (key->type == EFG_KEY_COUNTERS)
        efg_counters_show(field, text, size);
    else if (key->type == EFG_KEY_WHEN)
        snprintf(text, size, "%s", ((const struct efg_when *)field)->text);
    else
        show_quantity(units_of(key), *(const uint64_t *)field, text, size);
}

void efg_conf_expected(const struct efg_key *key, char *text, size_t size)
{
    char least[32], most[32], words[64];

    switch (key->type) {
    case EFG_KEY_NUMBER:
        snprintf(text, size, "a whole number from %llu to %llu", (unsigned long long)key->least,
                 (unsigned long long)key->most);
        return;
    case EFG_KEY_TIME:
    case EFG_KEY_SIZE:
        show_quantity(units_of(key), key->least, least, sizeof(least));
        show_quantity(units_of(key), key->most, most, sizeof(most));
        snprintf(text, size, "a whole number with its unit, %s, from %s to %s",
                 key->type == EFG_KEY_TIME ? "ns us ms s m or h" : "K M G or T", least, most);
        return;
    case EFG_KEY_SHARE:
        snprintf(text, size, NONE ", or a percentage from 0.01%% to 100%%");
        return;
    case EFG_KEY_WORDS:
        show_words(key->value, ~0u, words, sizeof(words));
        snprintf(text, size, "some of %s", words);
        return;
    case EFG_KEY_SET:
        snprintf(text, size,
                 "none, or some of path, size-class or size, partner, "
                 "communicator, region, element, address");
        return;
    case EFG_KEY_WHEN:
        snprintf(text, size, "%s", EFG_WHEN_EXPECTED);
        return;
    case EFG_KEY_COUNTERS:
        snprintf(text, size, "up to %d different ones of those in efgtrace.conf(5), or names of PAPI",
                 EFG_COUNTERS);
        return;
    case EFG_KEY_TEXT:
        snprintf(text, size, "less than %d bytes", EFG_CONF_TEXT);
        return;
    default:
        snprintf(text, size, "%s", key->value);
    }
}

/* --- the whole --- */

int efg_conf_check(const struct efg_conf *conf, char *message, size_t size)
{
    struct efg_counter_list all = conf->counters;

    if (conf->spool[0] != '/') {
        snprintf(message, size, "%s: spool cannot be \"%.80s\"; expected a path that begins with /",
                 efg_conf_source(conf, "spool"), conf->spool);
        return -EINVAL;
    }
    if (!efg_when_add_counters(&conf->when, &all)) {
        snprintf(message, size, "%s: when = %.80s and counters (%s) are more than %d counters",
                 efg_conf_source(conf, "when"), conf->when.text, efg_conf_source(conf, "counters"),
                 EFG_COUNTERS);
        return -EINVAL;
    }
    if (!efg_when_is_afterwards(&conf->when) ||
        (conf->select != 1u << EFG_SELECT_ASKED && !(conf->select & (conf->select - 1))))
        return 0;
    snprintf(message, size,
             "%s: when = %.80s chooses from all iterations, but select (%s) is not one of "
             "first, spread, slow",
             efg_conf_source(conf, "when"), conf->when.text, efg_conf_source(conf, "select"));
    return -EINVAL;
}

void efg_conf_default(struct efg_conf *conf)
{
    memset(conf, 0, sizeof(*conf));
    for (const struct efg_key *key = keys; key->name; key++) {
        parse_value(conf, key, key->fallback);
        snprintf(conf->source[key - keys], sizeof(conf->source[0]), "default");
    }
}

/* Long sources keep their end: that is where the line number is. */
static void remember_source(char *source, size_t size, const char *where)
{
    size_t length = strlen(where);

    if (length < size)
        memcpy(source, where, length + 1);
    else
        snprintf(source, size, "...%s", where + length - (size - 4));
}

/* What a stranger wrote, for a message: short, and without control characters. */
static void quote(const char *text, char *quoted, size_t size)
{
    size_t length = strnlen(text, size - 1);

    for (size_t i = 0; i < length; i++)
        quoted[i] = (unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i];
    quoted[length] = '\0';
    if (text[length])
        memcpy(quoted + length - 3, "...", 3);
}

static int complain_key(const char *name, const char *where, char *message, size_t size)
{
    const struct efg_key *nearest = efg_conf_nearest(name);
    char quoted[64];

    quote(name, quoted, sizeof(quoted));
    if (nearest)
        snprintf(message, size, "%s: there is no key \"%s\"; did you mean \"%s\"?", where, quoted,
                 nearest->name);
    else
        snprintf(message, size, "%s: there is no key \"%s\"; efgtrace.conf(5) lists them all", where, quoted);
    return -EINVAL;
}

int efg_conf_set(struct efg_conf *conf, const char *name, const char *value, const char *where, char *message,
                 size_t size)
{
    const struct efg_key *key = efg_conf_find(name);
    char expected[160], quoted[64];

    if (!key)
        return complain_key(name, where, message, size);

    const char *wrong = parse_value(conf, key, value);
    if (!wrong) {
        remember_source(conf->source[key - keys], sizeof(conf->source[0]), where);
        return 0;
    }
    efg_conf_expected(key, expected, sizeof(expected));
    quote(value, quoted, sizeof(quoted));
    snprintf(message, size, "%s: %s cannot be \"%s\": %s; expected %s", where, name, quoted, wrong, expected);
    return -EINVAL;
}

const char *efg_conf_source(const struct efg_conf *conf, const char *name)
{
    const struct efg_key *key = efg_conf_find(name);

    return key ? conf->source[key - keys] : "";
}
