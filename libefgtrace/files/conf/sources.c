/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the configuration comes from: files, read by inih, and the environment.
 *
 * inih gets its lines from a reader of ours, for it numbers no lines for its handler,
 * takes an indented line for more of the value before, and cuts long lines and
 * lines with NUL bytes without a word. The reader stops at the first wrong line.
 *
 * Invariant: at most one message is written, that of the first thing found wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/started.h"
#include "conf.h"

#define PREFIX "EFGTRACE_"

/* Variables that are no keys. */
static const char *const others[] = {"EFGTRACE_CONF", "EFGTRACE_LIBRARY", "EFGTRACE_MAKER", EFG_STARTED,
                                     NULL};

/* Those that a module system sets of any package that it loads: they say where it lies, and are
 * nothing to us. */
static const char *const foreign[] = {"EFGTRACE_ROOT", "EFGTRACE_HOME", "EFGTRACE_DIR", "EFGTRACE_VERSION",
                                      NULL};

struct source { /* a file being read */
    struct efg_conf *conf;
    const char *path;
    FILE *file;
    int line;  /* number of the line read last */
    int error; /* 0, or -errno with the message written */
    char *message;
    size_t size;
};

static int complain(struct source *s, const char *what)
{
    if (!s->error)
        snprintf(s->message, s->size, "%s:%d: %s", s->path, s->line, what);
    s->error = -EINVAL;
    return 0;
}

/* Blanks in front mean nothing to us, and a blank and '#' begin a comment as ';' does. */
static void tidy(char *line)
{
    char *start = line + strspn(line, " \t\v\f\r");

    memmove(line, start, strlen(start) + 1);
    for (char *c = line; *c; c++)
        if (*c == '#' && c > line && (c[-1] == ' ' || c[-1] == '\t')) {
            *c = '\0';
            return;
        }
}

/* fgets for inih. */
static char *read_line(char *line, int room, void *stream)
{
    struct source *s = stream;
    int length = 0, c;

    if (s->error)
        return NULL;
    s->line++;
    while ((c = getc(s->file)) != EOF && c != '\n') {
        if (c == '\0')
            complain(s, "there is a NUL byte: this is no text file");
        else if (length + 2 >= room)
            complain(s, "the line is too long; a longer value goes into the environment");
        if (s->error)
            return NULL;
        line[length++] = c;
    }
    if (ferror(s->file)) {
        s->error = errno ? -errno : -EIO;
        snprintf(s->message, s->size, "%s: cannot be read: %s", s->path, strerror(-s->error));
    }
    if (s->error || (c == EOF && length == 0))
        return NULL;
    line[length] = '\0';
    tidy(line);
    return line;
}

static int take_pair(void *user, const char *section, const char *name, const char *value)
{
    struct source *s = user;
    char where[4352];

    if (s->error)
        return 0;
    if (*section)
        return complain(s, "keys stand in no [section]; take the line with the brackets out");
    snprintf(where, sizeof(where), "%s:%d", s->path, s->line);
    s->error = efg_conf_set(s->conf, name, value, where, s->message, s->size);
    return s->error == 0;
}

static int parse_file(struct source *s)
{
    int line = ini_parse_stream(read_line, s, take_pair, s);

    /* inih goes on behind a line that it does not understand: that one came first */
    if (line > 0 && (!s->error || line < s->line)) {
        s->error = 0;
        s->line = line;
        complain(s, "not understood; expected KEY = VALUE");
    } else if (line < 0 && !s->error) {
        s->error = -ENOMEM;
        snprintf(s->message, s->size, "%s: no memory to read it", s->path);
    }
    return s->error;
}

/* A fifo would make the reader wait for ever, and four ranks would each get a part of it. */
static FILE *open_file(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int error = 0;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) != 0)
        error = errno;
    else if (S_ISDIR(status.st_mode))
        error = EISDIR;
    else if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode))
        error = ESPIPE;

    FILE *file = error ? NULL : fdopen(fd, "r");
    if (!file) {
        error = error ? error : errno;
        close(fd);
        errno = error;
    }
    return file;
}

int efg_conf_read(struct efg_conf *conf, const char *path, char *message, size_t size)
{
    struct source s = {.conf = conf, .path = path, .message = message, .size = size};

    s.file = open_file(path);
    if (!s.file) {
        int error = errno;
        snprintf(message, size, "%s: cannot be read: %s", path,
                 error == ESPIPE ? "not a regular file" : strerror(error));
        return -error;
    }
    errno = 0;
    parse_file(&s);
    fclose(s.file);
    return s.error;
}

/* --- the environment --- */

/* The value of the variable NAME in ENVIRONMENT, or NULL. */
static const char *find_variable(char **environment, const char *name)
{
    size_t length = strlen(name);

    for (; *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

static int complain_variable(const char *name, char *message, size_t size)
{
    struct efg_nearest nearest = {.word = name + strlen(PREFIX)};
    char variable[64] = "";

    for (const struct efg_key *key = efg_conf_keys(); key->name; key++)
        efg_nearest_offer(&nearest, key->name);
    for (int i = 0; others[i]; i++)
        efg_nearest_offer(&nearest, others[i] + strlen(PREFIX));
    if (nearest.best)
        efg_conf_variable(nearest.best, variable, sizeof(variable));
    snprintf(message, size, "environment variable %.80s: there is no such key; %s%s%s", name,
             nearest.best ? "did you mean " : "efgtrace.conf(5) lists them all", variable,
             nearest.best ? "?" : "");
    return -EINVAL;
}

static bool is_in(const char *const *list, const char *name)
{
    while (*list && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

/* Take the variable NAME=VALUE, whose name begins with the prefix. */
static int take_variable(struct efg_conf *conf, const char *name, const char *value, char *message,
                         size_t size)
{
    char own[64], where[192];

    if (is_in(others, name) || is_in(foreign, name))
        return 0;
    for (const struct efg_key *key = efg_conf_keys(); key->name; key++) {
        efg_conf_variable(key->name, own, sizeof(own));
        if (strcmp(name, own) == 0) {
            snprintf(where, sizeof(where), "environment variable %s", name);
            return efg_conf_set(conf, key->name, value, where, message, size);
        }
    }
    return complain_variable(name, message, size);
}

static int take_environment(struct efg_conf *conf, char **environment, char *message, size_t size)
{
    for (; *environment; environment++) {
        const char *equals = strchr(*environment, '=');
        char name[128];

        if (strncmp(*environment, PREFIX, strlen(PREFIX)) != 0 || !equals)
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)(equals - *environment), *environment);
        int error = take_variable(conf, name, equals + 1, message, size);
        if (error)
            return error;
    }
    return 0;
}

static int read_if_there(struct efg_conf *conf, const char *path, char *message, size_t size)
{
    int error = access(path, F_OK) == 0 ? 0 : errno;

    if (error == ENOENT || error == ENOTDIR)
        return 0;
    return efg_conf_read(conf, path, message, size);
}

/* The file that EFGTRACE_CONF names has to be there. */
static int read_named(struct efg_conf *conf, const char *path, char *message, size_t size)
{
    static const char who[] = "environment variable EFGTRACE_CONF: ";
    int error = efg_conf_read(conf, path, message, size);
    size_t length = strlen(message);

    /* a wrong line tells where it is by itself */
    if (error && error != -EINVAL && size > sizeof(who)) {
        if (length > size - sizeof(who))
            length = size - sizeof(who);
        memmove(message + strlen(who), message, length);
        memcpy(message, who, strlen(who));
        message[strlen(who) + length] = '\0';
    }
    return error;
}

/* --- records --- */

/* What a record is, but for what the machine's file says. */
static const char *const record[][2] = {
    {"mode", "graph"}, {"sequence", "off"}, {"overhead", "0.5%"}, {"summary", "off"}};

static bool is_of_site(const char *key)
{
    static const char *const keys[] = {"site", "spool", "exclude", NULL};

    return is_in(keys, key);
}

static bool is_default(const struct efg_conf *conf, const char *key)
{
    return strcmp(efg_conf_source(conf, key), "default") == 0;
}

/* The user has set something, be it the default. */
static bool is_of_user(const struct efg_conf *conf)
{
    static const char machine[] = EFG_CONF_SYSTEM ":";

    for (const struct efg_key *key = efg_conf_keys(); key->name; key++)
        if (!is_of_site(key->name) && !is_default(conf, key->name) &&
            strncmp(efg_conf_source(conf, key->name), machine, strlen(machine)) != 0)
            return true;
    return false;
}

static int make_record(struct efg_conf *conf, char *message, size_t size)
{
    int error = 0;

    if (!conf->site || is_of_user(conf))
        return 0;
    for (size_t i = 0; i < sizeof record / sizeof *record && !error; i++)
        if (is_default(conf, record[i][0]))
            error = efg_conf_set(conf, record[i][0], record[i][1], "site = on", message, size);
    conf->is_record = true;
    return error;
}

int efg_conf_load(struct efg_conf *conf, char **environment, char *message, size_t size)
{
    const char *named = find_variable(environment, "EFGTRACE_CONF");

    efg_conf_default(conf);
    int error = read_if_there(conf, EFG_CONF_SYSTEM, message, size);
    if (!error && named && *named)
        error = read_named(conf, named, message, size);
    else if (!error)
        error = read_if_there(conf, EFG_CONF_LOCAL, message, size);
    if (!error)
        error = take_environment(conf, environment, message, size);
    if (!error)
        error = make_record(conf, message, size);
    return error ? error : efg_conf_check(conf, message, size);
}
