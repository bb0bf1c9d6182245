/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replay: recordings and programs through the rule for the main loop, each rank with many seeds
 * of noise. replay --help says how; README.md what the columns mean.
 */
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

#define MS 1000000
#define MOST_RANKS 4096

static const char USAGE[] =
    "usage: replay [options] [PROGRAM|FOLDER]...\n"
    "\n"
    "  PROGRAM  of tests/unit/loop_programs.c, or \"programs\": all of them, as without "
    "arguments\n"
    "  FOLDER   a recording (recording.h); its file \"truth\" has a line for each rank, the "
    "last\n"
    "           one for all further ranks: iterations of the main loop (0: not known), then "
    "those of\n"
    "           loops around it that do as well, then \"#\" and whatever you like\n"
    "\n"
    "  --recordings FOLDER   without arguments: the programs, and all recordings in it\n"
    "  --seeds N             of noise, for each rank (20)\n"
    "  --sigma X             durations are multiplied by a log-normal number of that sigma "
    "(1)\n"
    "  --stalls X            a second, of 1 to 50 ms (10)\n"
    "  --interval MS         the smallest pause between samples (5)\n"
    "  --fixed-pauses        pauses are as the rule says, not longer or shorter by up to half\n"
    "  --json FILE           all answers as JSON, too\n"
    "  --list                the names of the programs\n";

static struct {
    struct noise_options noise;
    uint32_t seeds;
    uint64_t interval;      /* ns */
    const char *json;       /* a file, or NULL */
    const char *recordings; /* a folder, or NULL */
} options = {.noise = {.sigma = 1, .stalls = 10}, .seeds = 20, .interval = 5 * MS};

static struct noise_factors factors;

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "replay: %s%s\n", what, name);
    exit(2);
}

/* ---- the truth ---- */

/* What is right, then what is coarser and does as well, before a comment if there is one. */
static int parse_truth(struct score_truth *truth, const char *text)
{
    int length, i = 0;

    *truth = (struct score_truth){0};
    if (sscanf(text, "%" SCNu64 "%n", &truth->right, &length) < 1)
        return -1;
    for (text += length; i < SCORE_COARSER && sscanf(text, "%" SCNu64 "%n", &truth->coarser[i], &length) == 1;
         text += length)
        i++;
    text += strspn(text, " \t\n");
    return *text && *text != '#' ? -1 : 0;
}

/* A line for each rank; the last one is for all further ranks, too. */
static void read_truths(struct score *score, FILE *file, const char *name)
{
    char line[512];

    for (uint32_t rank = 0; rank < score->ranks; rank++) {
        int is_there = fgets(line, sizeof line, file) != NULL;
        if (is_there ? parse_truth(&score->truths[rank], line) : !rank)
            fail("not a truth: ", name);
        if (!is_there)
            score->truths[rank] = score->truths[rank - 1];
    }
}

/* Without a file nothing is known. */
static void find_truths(struct score *score, const char *folder)
{
    char name[4096];

    snprintf(name, sizeof name, "%s/truth", folder);
    FILE *file = fopen(name, "r");
    if (!file)
        return;
    read_truths(score, file, name);
    fclose(file);
}

/* ---- one recording ---- */

static void feed_rank(struct score *score, const struct recording *recording, uint32_t rank)
{
    for (uint32_t seed = 0; seed < score->seeds; seed++) {
        struct noise noise;
        noise_init(&noise, &options.noise, &factors, (uint64_t)rank << 32 | seed);
        score->answers[rank * score->seeds + seed] = feed(recording, &noise, options.interval);
    }
}

static void init_score(struct score *score, const char *name, uint32_t ranks)
{
    snprintf(score->name, sizeof score->name, "%s", name);
    score->ranks = ranks;
    score->seeds = options.seeds;
    score->truths = calloc(ranks, sizeof *score->truths);
    score->answers = calloc((size_t)ranks * score->seeds, sizeof *score->answers);
    if (!score->truths || !score->answers)
        abort();
}

static void replay_program(struct score *score, const struct loop_program *program)
{
    init_score(score, program->name, LOOP_PROGRAM_RANKS);
    for (uint32_t rank = 0; rank < score->ranks; rank++) {
        struct recording recording;
        score->truths[rank] = (struct score_truth){program->right, {program->coarser}};
        recording_make(&recording, program, rank);
        feed_rank(score, &recording, rank);
        recording_fini(&recording);
    }
}

static void replay_file(struct score *score, char *name, uint32_t rank)
{
    struct recording recording;

    name[strlen(name) - strlen(".ev")] = 0;
    if (recording_read(&recording, name))
        exit(2);
    feed_rank(score, &recording, rank);
    recording_fini(&recording);
}

static void replay_folder(struct score *score, const char *folder)
{
    char pattern[4096];
    glob_t found;

    snprintf(pattern, sizeof pattern, "%s/r.*.ev", folder);
    if (glob(pattern, 0, NULL, &found) || found.gl_pathc > MOST_RANKS)
        fail("neither a program nor a folder with a recording: ", folder);
    const char *slash = strrchr(folder, '/');
    init_score(score, slash ? slash + 1 : folder, (uint32_t)found.gl_pathc);
    find_truths(score, folder);
    for (uint32_t i = 0; i < score->ranks; i++)
        replay_file(score, found.gl_pathv[i], i);
    globfree(&found);
}

/* ---- all of them ---- */

static struct score *scores;
static uint32_t score_count;

static struct score *new_score(void)
{
    scores = realloc(scores, (score_count + 1) * sizeof *scores);
    if (!scores)
        abort();
    return memset(&scores[score_count++], 0, sizeof *scores);
}

static void finish_score(struct score *score)
{
    score_sum(score);
    table_print(stdout, score);
}

/* Returns how many programs have this NAME. */
static uint32_t replay_programs(const char *name)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < LOOP_PROGRAM_COUNT; i++) {
        if (strcmp(name, "programs") && strcmp(name, LOOP_PROGRAMS[i].name))
            continue;
        struct score *score = new_score();
        replay_program(score, &LOOP_PROGRAMS[i]);
        finish_score(score);
        count++;
    }
    return count;
}

static void replay(char *name)
{
    if (replay_programs(name))
        return;
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/')
        name[--length] = 0;
    struct score *score = new_score();
    replay_folder(score, name);
    finish_score(score);
}

static cJSON *json(const struct score_total *total)
{
    cJSON *document = cJSON_CreateObject();

    cJSON_AddStringToObject(document, "format", "efgtrace-loops");
    cJSON_AddNumberToObject(document, "version", 1);
    cJSON_AddNumberToObject(document, "seeds", options.seeds);
    cJSON_AddNumberToObject(document, "sigma", options.noise.sigma);
    cJSON_AddNumberToObject(document, "stalls", options.noise.stalls);
    cJSON_AddNumberToObject(document, "interval", (double)options.interval);
    cJSON_AddBoolToObject(document, "fixed_pauses", options.noise.fixed_pauses);
    cJSON *recordings = cJSON_AddArrayToObject(document, "recordings");
    for (uint32_t i = 0; i < score_count; i++)
        cJSON_AddItemToArray(recordings, table_json(&scores[i]));
    cJSON_AddItemToObject(document, "total", table_json_total(total));
    return document;
}

static void write_json(const struct score_total *total)
{
    cJSON *document = json(total);
    char *text = cJSON_PrintUnformatted(document);
    FILE *file = fopen(options.json, "w");

    if (!text || !file || fprintf(file, "%s\n", text) < 0 || fclose(file))
        fail("cannot write ", options.json);
    free(text);
    cJSON_Delete(document);
}

static void free_score(struct score *score)
{
    free(score->truths);
    free(score->answers);
}

static void print_total(void)
{
    struct score_total total;

    score_add_up(&total, scores, score_count);
    table_print_total(stdout, &total);
    if (options.json)
        write_json(&total);
    for (uint32_t i = 0; i < score_count; i++)
        free_score(&scores[i]);
    free(scores);
}

/* ---- options ---- */

static const struct option LONG_OPTIONS[] = {
    {"truth", required_argument, NULL, 't'},
    {"recordings", required_argument, NULL, 'r'},
    {"seeds", required_argument, NULL, 'n'},
    {"sigma", required_argument, NULL, 's'},
    {"stalls", required_argument, NULL, 'S'},
    {"interval", required_argument, NULL, 'i'},
    {"fixed-pauses", no_argument, NULL, 'f'},
    {"json", required_argument, NULL, 'j'},
    {"list", no_argument, NULL, 'l'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* A number from LEAST on. */
static double number(const char *text, double least)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value >= least && value <= 1e6))
        fail("not a number that would do: ", text);
    return value;
}

static void list_programs(void)
{
    for (uint32_t i = 0; i < LOOP_PROGRAM_COUNT; i++)
        puts(LOOP_PROGRAMS[i].name);
    exit(0);
}

static void take_option(int option)
{
    switch (option) {
    case 'r':
        options.recordings = optarg;
        break;
    case 'n':
        options.seeds = (uint32_t)number(optarg, 1);
        break;
    case 's':
        options.noise.sigma = number(optarg, 0);
        break;
    case 'S':
        options.noise.stalls = number(optarg, 0);
        break;
    case 'i':
        options.interval = (uint64_t)(number(optarg, 0.001) * MS);
        break;
    case 'f':
        options.noise.fixed_pauses = 1;
        break;
    case 'j':
        options.json = optarg;
        break;
    case 'l':
        list_programs();
        break;
    case 'h':
        fputs(USAGE, stdout);
        exit(0);
    default:
        fputs(USAGE, stderr);
        exit(2);
    }
}

static void replay_all(void)
{
    char pattern[4096];
    glob_t found;

    replay_programs("programs");
    snprintf(pattern, sizeof pattern, "%s/*/r.0.ev", options.recordings ? options.recordings : "");
    if (!options.recordings || glob(pattern, 0, NULL, &found))
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        *strrchr(found.gl_pathv[i], '/') = 0;
        replay(found.gl_pathv[i]);
    }
    globfree(&found);
}

int main(int argc, char **argv)
{
    for (int c; (c = getopt_long(argc, argv, "", LONG_OPTIONS, NULL)) != -1;)
        take_option(c);
    noise_factors_init(&factors, options.noise.sigma);
    table_print_head(stdout);
    for (int i = optind; i < argc; i++)
        replay(argv[i]);
    if (optind == argc)
        replay_all();
    print_total();
}
