/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Configuration: one table of keys, filled from (later overrides earlier)
 *
 *     defaults < /etc/efgtrace.conf < ./efgtrace.conf or the file that EFGTRACE_CONF
 *     names < environment, EFGTRACE_<KEY> in capitals
 *
 * Files are INI files without sections. Numbers take units where the key has a dimension:
 * 250ms, 2s, 64M (binary: 1M = 1048576 bytes). A '-' in a key is a '_' in the environment.
 *
 * Two variables are not keys: EFGTRACE_CONF names the file, EFGTRACE_LIBRARY tells `efgtrace
 * run` where the library is. Every other EFGTRACE_* that is not a key is an error.
 */
#ifndef EFG_CONF_H
#define EFG_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counters.h"
#include "core/loop/finder.h"
#include "when.h"

#define EFG_CONF_KEYS 38 /* how many keys there are */
#define EFG_CONF_TEXT 4096
#define EFG_CONF_SYSTEM "/etc/efgtrace.conf"
#define EFG_CONF_LOCAL "./efgtrace.conf"

enum efg_mode { EFG_MODE_ADAPTIVE, EFG_MODE_FULL, EFG_MODE_GRAPH, EFG_MODE_OFF };

/* Which iterations are recorded: the first ones that can be; some of the whole run; the slowest ones; those
 * that the program asks for, which are recorded in any case; those for which a condition holds (when.h). */
enum efg_select { EFG_SELECT_FIRST, EFG_SELECT_SPREAD, EFG_SELECT_SLOW, EFG_SELECT_ASKED, EFG_SELECT_WHEN };

/* MPI_Pcontrol names regions; or says when to record. */
enum efg_pcontrol { EFG_PCONTROL_REGIONS, EFG_PCONTROL_RECORD };

/* Who is in the trace: all ranks; one of each group with the same graph. */
enum efg_whom { EFG_RANKS_ALL, EFG_RANKS_REPRESENTATIVES };

/* The TSC if the kernel trusts it, too; the same, with a note if it cannot be used; never. */
enum efg_clock_choice { EFG_CLOCK_AUTO, EFG_CLOCK_TSC, EFG_CLOCK_SYSTEM };

struct efg_conf {
    int mode;                   /* enum efg_mode */
    char output[EFG_CONF_TEXT]; /* folder; "" for efgtrace.<application>.<id> */
    unsigned select;            /* set of 1 << enum efg_select */
    uint64_t iterations;        /* per window */
    struct efg_when when;       /* conditions for them */
    int pcontrol;               /* enum efg_pcontrol: what MPI_Pcontrol means */
    int ranks;                  /* enum efg_whom */
    uint64_t windows;           /* how many windows to record */
    uint64_t skip; /* iterations to let pass once the pivot is known, before the window */
    int level;     /* enum efg_level (core/loop/finder.h) */
    char loop[EFG_CONF_TEXT]; /* function whose loop to take, or its hash; "": none */
    unsigned signature;       /* set of enum efg_dimension (core/graph/signature.h) */
    uint64_t interval;        /* ns: shortest time between samples */
    uint64_t stable;          /* equal samples that make a graph stable */
    uint64_t depth;           /* frames of a call path */
    uint64_t memory;          /* bytes per process, without the logs */
    uint64_t log_limit;       /* bytes per thread */
    uint64_t ring;            /* bytes of iterations that may yet turn out to be slow */
    uint64_t accuracy;        /* millionths that shares of the time may be off; 0: none is asked for */
    uint64_t overhead;        /* millionths of the time that watching may take; 0: no limit */
    int bypass;               /* 1: in pauses for it the program may call MPI itself */
    char plugins[EFG_CONF_TEXT]; /* of the user: "NAME[:OPTIONS], ..." */
    struct efg_counter_list counters; /* to read at each call */
    uint64_t patience;        /* ns: a rank without a pivot stops holding up the others */
    int sequence;             /* 1: keep the order of all calls */
    uint64_t save;            /* ns: shortest time between saves; 0: never */
    char local[EFG_CONF_TEXT]; /* folder on each node for logs and pieces while the job runs; "": none */
    int live;                 /* 1: others can see what each rank is doing */
    int clock;                /* enum efg_clock_choice */
    int summary;              /* 1: rank 0 prints it at the end */
    int openmp;               /* 1: parallel regions are nodes */
    int python;               /* 1: functions of Python are frames of call paths */
    int symbols;              /* 1: resolve call paths at the end */
    int keep_logs;            /* 1: keep the logs after the trace is written */
    int verbose;              /* 1: report events as they happen */
    int site;                 /* 1: jobs whose users set nothing else leave a record in the spool */
    char spool[EFG_CONF_TEXT];   /* folder of all records */
    char exclude[EFG_CONF_TEXT]; /* patterns of programs that leave none, with commas */
    bool is_record;              /* no key: this job leaves a record, in silence */
    char source[EFG_CONF_KEYS][256]; /* where each value came from: see efg_conf_source */
};

static inline int efg_conf_selects(const struct efg_conf *conf, enum efg_select select)
{
    return (conf->select >> select & 1) || (select == EFG_SELECT_SPREAD && conf->accuracy);
}

/* Whether all that is kept is a record of at most EFG_CONF_RECORD bytes: nothing that it has no room for is
 * asked for. */
#define EFG_CONF_RECORD 65536
static inline bool efg_conf_is_brief(const struct efg_conf *conf)
{
    return conf->is_record && conf->mode == EFG_MODE_GRAPH && !conf->sequence;
}

/* Of the field in struct efg_conf. */
enum efg_key_type {
    EFG_KEY_NUMBER, /* uint64_t */
    EFG_KEY_TIME,   /* uint64_t, ns; written with a unit */
    EFG_KEY_SIZE,   /* uint64_t, bytes; written with a unit */
    EFG_KEY_SHARE,  /* uint64_t, millionths, 0 for none; written as a percentage, or "none" */
    EFG_KEY_SWITCH, /* int: off 0, on 1 */
    EFG_KEY_CHOICE, /* int: position among the words of efg_key.value */
    EFG_KEY_WORDS,  /* unsigned: set of the positions of words of efg_key.value, at least one */
    EFG_KEY_SET,    /* unsigned: set of enum efg_dimension */
    EFG_KEY_TEXT,   /* char[EFG_CONF_TEXT] */
    EFG_KEY_WHEN,   /* struct efg_when */
    EFG_KEY_COUNTERS, /* struct efg_counter_list */
};

/* What a key is, for check, --help, the manual's test and the options of `efgtrace run`. */
struct efg_key {
    const char *name;     /* as in a file; the environment has EFGTRACE_ and capitals */
    const char *option;   /* short option of `efgtrace run`, "o" for -o, or NULL */
    const char *value;    /* what a value looks like: "DIR", "adaptive|full|graph|off" */
    const char *fallback; /* the default, as one would write it */
    const char *help;     /* one line */
    int type;             /* enum efg_key_type */
    size_t field;         /* offset in struct efg_conf */
    uint64_t least, most; /* of numbers, times and sizes, both allowed */
};

/* The table, in the order of the manual; ends with a NULL name. */
const struct efg_key *efg_conf_keys(void);

/* The key NAME, or NULL. */
const struct efg_key *efg_conf_find(const char *name);

/* The key that NAME probably means, or NULL when none comes close. */
const struct efg_key *efg_conf_nearest(const char *name);

/* Fill CONF with the defaults. */
void efg_conf_default(struct efg_conf *conf);

/* Set KEY to VALUE, as text. WHERE says where it comes from ("./efgtrace.conf:12",
 * "option --iterations"). Returns 0, or -EINVAL with MESSAGE filled (what, where, what was
 * expected, the nearest valid key) and CONF unchanged. */
int efg_conf_set(struct efg_conf *conf, const char *key, const char *value, const char *where,
                 char *message, size_t size);

/* Read one file. Returns 0, or -errno with MESSAGE filled; the lines before the wrong
 * one have been set then. */
int efg_conf_read(struct efg_conf *conf, const char *path, char *message, size_t size);

/* Whether the keys fit together. Returns 0, or -EINVAL with MESSAGE filled. */
int efg_conf_check(const struct efg_conf *conf, char *message, size_t size);

/* Read all sources in order, from the defaults to ENVIRONMENT (environ). Only the file that
 * EFGTRACE_CONF names must exist. With site = on, and nothing set by the user, the defaults are those
 * of a record. Returns 0, or -errno with MESSAGE filled. */
int efg_conf_load(struct efg_conf *conf, char **environment, char *message, size_t size);

/* The value of KEY as text that efg_conf_set takes back; "" if there is no such key. */
void efg_conf_show(const struct efg_conf *conf, const char *key, char *text, size_t size);

/* Where the value of KEY came from: "default", "/etc/efgtrace.conf:12", "environment
 * variable EFGTRACE_MODE", or what efg_conf_set was told. Belongs to CONF. */
const char *efg_conf_source(const struct efg_conf *conf, const char *key);

/* What names the loop of a function, given its hash: its low 40 bits, as 10 digits. LOOP as
 * such a name: returns true, and *HASH is these bits; or false if it is the name of a function. */
#define EFG_LOOP_BITS ((UINT64_C(1) << EFG_WISH_BITS) - 1)
#define EFG_LOOP_DIGITS 10
bool efg_conf_loop_hash(const char *loop, uint64_t *hash);

/* The environment variable of KEY: "EFGTRACE_LOG_LIMIT" for log-limit. */
void efg_conf_variable(const char *key, char *text, size_t size);

/* What a value of KEY has to be: "a whole number from 1 to 1000000". */
void efg_conf_expected(const struct efg_key *key, char *text, size_t size);

#endif
