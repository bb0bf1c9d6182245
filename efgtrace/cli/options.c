/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the options of a command. getopt_long does the work; its tables are made from ours. An option is
 * known to it by its place in the table, behind all letters.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "complain.h"
#include "files/summary/summary.h"
#include "output.h"

#define HANG_MOST 32 /* columns that an option may take, where what it does goes on behind it */
#define MOST 16      /* options of a command, with --help */
#define FIRST 256
#define HELP (FIRST + MOST)

static int complain(const char *command, const char *name, const char *wants)
{
    char text[256];
    snprintf(text, sizeof text, "--%s wants %s", name, wants);
    return efg_complain_usage(command, text);
}

int efg_options_complain(const char *command, const char *what, const char *word)
{
    char text[512];
    snprintf(text, sizeof text, "%s \"%s\"", what, word);
    return efg_complain_usage(command, text);
}

/* Of letters in one word, the last of which has not been looked at, the word is not known. */
static int complain_option(const char *command, int option, char *const *argv)
{
    const char letter[] = {'-', (char)optopt, '\0'}, *word = argv[optind - 1];
    const char *what = "there is no option";
    if (option == ':')
        what = "a value is missing after";
    else if (optopt && strncmp(word, "--", 2) == 0 && strchr(word, '='))
        what = "no value goes with";
    else if (optopt)
        word = letter;
    return efg_options_complain(command, what, word);
}

int efg_options_complain_folders(const char *command, int count)
{
    return efg_complain_usage(command, count ? "one DIR at a time" : "which run? DIR is missing");
}

/* --- values --- */

/* Returns 0, or -EINVAL: it is no such number. */
static int take_number(const struct efg_option *option, const char *value)
{
    char *end;
    errno = 0;
    *option->number = strtoull(value, &end, 10);
    return *value < '0' || *value > '9' || *end || errno || *option->number < option->least ? -EINVAL : 0;
}

/* The index of VALUE in WORDS, or -1; LISTED: "text, json or html". */
static int find_word(const char *words, const char *value, char *listed, size_t size)
{
    int found = -1;
    *listed = '\0';
    for (int i = 0; *words; i++) {
        size_t length = strcspn(words, " "), at = strlen(listed);
        const char *next = words + length + (words[length] == ' ');
        snprintf(listed + at, size - at, "%s%.*s", !i ? "" : *next ? ", " : " or ", (int)length, words);
        if (strlen(value) == length && !strncmp(words, value, length))
            found = i;
        words = next;
    }
    return found;
}

/* Returns -1 to go on; else the exit code. */
static int take_value(const char *command, const struct efg_option *option, const char *value)
{
    char text[128];
    if (option->flag)
        *option->flag = true;
    if (option->text)
        *option->text = value;
    if (option->number && take_number(option, value)) {
        snprintf(text, sizeof text, option->least ? "a number from %" PRIu64 : "a number", option->least);
        return complain(command, option->name, text);
    }
    if (option->choice) {
        *option->choice = find_word(option->words, value, text, sizeof text);
        if (*option->choice < 0)
            return complain(command, option->name, text);
    }
    return -1;
}

/* --- what goes where --- */

static const char *extension_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path,
               *dot = name ? strrchr(name, '.') : NULL;
    return dot && dot != name ? dot + 1 : NULL;
}

/* The format with this name, or with this other usual extension; -1: there is none. */
static int find_format(const char *words, const char *extension, char *listed, size_t size)
{
    static const char *const usual[][2] = {{"txt", "text"}, {"htm", "html"}, {"tex", "latex"}, {"gv", "dot"}};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(extension, usual[i][0]) == 0)
            extension = usual[i][1];
    return find_word(words, extension, listed, size);
}

static bool is_for_people(const char *words, int format)
{
    char listed[128];
    return format == find_word(words, "text", listed, sizeof listed) ||
           format == find_word(words, "code", listed, sizeof listed);
}

int efg_options_format(const char *command, const char *words, int *format, const char **output)
{
    char listed[128], text[512];
    if (*output && strcmp(*output, "-") == 0)
        *output = NULL;
    const char *extension = extension_of(*output);
    if (*format < 0)
        *format = extension ? find_format(words, extension, listed, sizeof listed) : 0;
    if (!*output && is_for_people(words, *format))
        efg_output_for_people();
    if (*format >= 0)
        return -1;
    snprintf(text, sizeof text, "no format goes with .%s of \"%s\": choose one with --format, %s", extension,
             *output, listed);
    return efg_complain_usage(command, text);
}

int efg_options_place(const char *command, const char *output)
{
    if (!output || (*output && strcmp(output, "-") != 0))
        return -1;
    return efg_complain_usage(command, "--output wants a name: this cannot be written to standard output");
}

/* --- all of them --- */

static void make_tables(const struct efg_option *options, char *letters, struct option *names)
{
    *letters++ = ':';
    for (int i = 0; options[i].name && i < MOST - 1; i++) {
        *names++ = (struct option){options[i].name, !options[i].flag, NULL, FIRST + i};
        if (options[i].letter)
            *letters++ = options[i].letter;
        if (options[i].letter && !options[i].flag)
            *letters++ = ':';
    }
    *letters++ = 'h';
    *names = (struct option){"help", no_argument, NULL, HELP};
}

static const struct efg_option *find(const struct efg_option *options, int taken)
{
    if (taken >= FIRST)
        return &options[taken - FIRST];
    while (options->name && options->letter != taken)
        options++;
    return options->name ? options : NULL;
}

/* Where a line of help goes on: what an option does begins behind two blanks. */
static int hang_of(const char *line, size_t length)
{
    int indent = (int)strspn(line, " "), hang = indent;
    for (size_t i = (size_t)indent + 1; line[indent] == '-' && i + 2 < length && hang == indent; i++)
        if (line[i] == ' ' && line[i - 1] == ' ' && line[i + 1] != ' ')
            hang = (int)i + 1;
    return hang <= HANG_MOST ? hang : indent + 4;
}

/* LENGTH of LINE, which goes on in the next one, at a blank, where it is wider than the terminal. */
static void print_line(const char *line, size_t length, size_t width)
{
    int hang = hang_of(line, length);
    size_t room = width, before = (size_t)hang;
    while (width && length > room) {
        size_t end = room;
        while (end > before && line[end] != ' ')
            end--;
        if (end <= before)
            break;
        printf("%.*s\n%*s", (int)end, line, hang, "");
        line += end + 1;
        length -= end + 1;
        room = width - (size_t)hang;
        before = 0;
    }
    printf("%.*s\n", (int)length, line);
}

void efg_options_help(const char *text)
{
    int width = efg_summary_width(STDOUT_FILENO);
    for (const char *end; *text; text = end + (*end != '\0')) {
        end = text + strcspn(text, "\n");
        print_line(text, (size_t)(end - text), (size_t)width);
    }
}

int efg_options_take(const char *command, const struct efg_option *options, const char *const *help,
                     int folders, int argc, char **argv)
{
    char letters[2 * MOST + 2] = "";
    struct option names[MOST + 1] = {0};
    make_tables(options, letters, names);
    optind = 0; /* begin anew */
    opterr = 0;
    for (int taken; (taken = getopt_long(argc, argv, letters, names, NULL)) != -1;) {
        bool is_help = taken == HELP || taken == 'h';
        for (; is_help && *help; help++)
            efg_options_help(*help);
        const struct efg_option *option = is_help ? NULL : find(options, taken);
        int code = is_help  ? EFG_EXIT_OK
                   : option ? take_value(command, option, optarg)
                            : complain_option(command, taken, argv);
        if (code >= 0)
            return code;
    }
    if (!folders || argc - optind == folders)
        return -1;
    return folders == 2 ? efg_complain_usage(command, "name two folders, each one that a run wrote")
                        : efg_options_complain_folders(command, argc - optind);
}
