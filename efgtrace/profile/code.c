/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile as pseudo-code: loops, branches, and where the time of a rank goes. The forms of a loop become
 * one body: their items, in order, each with the set of forms that have it (the longest common subsequence
 * of a form and the body so far stays, the rest of the form goes between). What only some forms have is in a
 * branch. Times are of a whole run of one rank, the mean of the profile's ranks, and lines add up: a line
 * has the time of its calls and of the computation before them, unless that is much and has a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/summary/summary.h"
#include "profile.h"

#define NESTING 30          /* loops nested deeper are not written */
#define MOST_FORMS 63       /* of a loop, that are told apart */
#define MOST_PERIOD 64      /* steps that come again in a row */
#define MOST_CELLS 20000000 /* of the table that finds what two forms have in common */
#define SMALL 0.005         /* share of the run: such things in a row are one line */
#define COMPUTE 0.01        /* computation of this share has a line */

struct step {                   /* what an iteration may do */
    uint32_t node, loop;        /* as in struct efg_program_item */
    struct body *round;         /* if it is neither: a loop that is none of the tree, and all that is in it */
    uint64_t forms;             /* set of them; 0: only those that are not told apart */
    double times;               /* iterations that do it */
    double repetitions, before; /* summed over these */
    uint64_t least, most;
};

struct body { /* of a loop */
    struct step *steps;
    size_t count;
    uint64_t all;             /* set of all its forms */
    double times[MOST_FORMS]; /* iterations that have this form */
};

struct writer {
    struct efg_buffer *out;
    const struct efg_profile *profile;
    double *calls; /* per loop: of all its iterations, with inner loops */
    double ranks;  /* of the profile */
    double total;  /* ns of all of them */
    bool is_all;   /* nothing is summed up because it is small */
    unsigned depth;
};

/* --- bodies --- */

static bool is_same(const struct step *step, const struct efg_program_item *item)
{
    return step->node == item->node && step->loop == item->loop;
}

static void add_item(struct step *step, const struct efg_program_item *item, double times, uint64_t form)
{
    if (!step->times || item->least < step->least)
        step->least = item->least;
    step->most = item->most > step->most ? item->most : step->most;
    step->node = item->node;
    step->loop = item->loop;
    step->forms |= form;
    step->times += times;
    step->repetitions += (double)item->repetitions;
    step->before += item->before;
}

/* LENGTH[i][k]: of the longest common subsequence of the steps from I and the items from K on. */
static void fill_lengths(uint32_t *length, const struct body *body, const struct efg_program_item *items,
                         size_t size)
{
    size_t row = size + 1;
    for (size_t i = body->count; i-- > 0;)
        for (size_t k = size; k-- > 0;) {
            uint32_t down = length[(i + 1) * row + k], right = length[i * row + k + 1];
            uint32_t longest = down > right ? down : right;
            length[i * row + k] =
                is_same(&body->steps[i], &items[k]) ? length[(i + 1) * row + k + 1] + 1 : longest;
        }
}

/* BODY with FORM, which has the bit BIT. Returns false without memory, or if it would take too much. */
static bool join(struct body *body, const struct efg_program *program, const struct efg_program_form *form,
                 uint64_t bit)
{
    const struct efg_program_item *items = &program->items[form->first];
    size_t cells = (body->count + 1) * ((size_t)form->size + 1), row = (size_t)form->size + 1, count = 0;
    uint32_t *length = cells < MOST_CELLS ? calloc(cells, sizeof *length) : NULL;
    struct step *steps = calloc(body->count + form->size + 1, sizeof *steps);
    if (length && steps) {
        fill_lengths(length, body, items, form->size);
        size_t i = 0, k = 0;
        while (i < body->count || k < form->size) {
            bool both = i < body->count && k < form->size && is_same(&body->steps[i], &items[k]);
            bool is_step = both || k == form->size ||
                           (i < body->count && length[(i + 1) * row + k] >= length[i * row + k + 1]);
            if (is_step)
                steps[count] = body->steps[i++];
            if (both || !is_step)
                add_item(&steps[count], &items[k++], (double)form->count, bit);
            count++;
        }
        free(body->steps);
        body->steps = steps;
        body->count = count;
    } else {
        free(steps);
    }
    free(length);
    return length && steps;
}

/* What is not told apart is added where the same is already, or comes at the end. */
static bool add_rest(struct body *body, const struct efg_profile_rest *rest, uint32_t nodes, uint32_t loops)
{
    struct step *steps = realloc(body->steps, (body->count + nodes + loops + 1) * sizeof *steps);
    if (!steps)
        return false;
    body->steps = steps;
    for (uint32_t i = 0; i < nodes + loops; i++) {
        const struct efg_program_rest *of = i < nodes ? &rest->of_node[i] : &rest->of_loop[i - nodes];
        struct efg_program_item item = {.node = i < nodes ? i : EFG_NONE,
                                        .loop = i < nodes ? 0 : i - nodes,
                                        .repetitions = of->repetitions,
                                        .before = of->before};
        double times = (double)(of->repetitions < rest->iterations ? of->repetitions : rest->iterations);
        size_t at = 0;
        if (!of->repetitions)
            continue;
        item.least = item.most = (uint64_t)((double)of->repetitions / times + 0.5);
        while (at < body->count && !is_same(&steps[at], &item))
            at++;
        if (at == body->count)
            steps[body->count++] = (struct step){0};
        add_item(&steps[at], &item, times, 0);
    }
    return true;
}

static void free_steps(struct body *body)
{
    for (size_t i = 0; i < body->count; i++)
        if (body->steps[i].round) {
            free_steps(body->steps[i].round);
            free(body->steps[i].round);
        }
    free(body->steps);
}

static double iterations_of(const struct body *body)
{
    double iterations = 0;
    for (unsigned i = 0; i < MOST_FORMS; i++)
        iterations += body->times[i];
    return iterations;
}

/* Whether B is what A is. */
static bool is_again(const struct step *a, const struct step *b)
{
    return a->node == b->node && a->loop == b->loop && a->least == b->least && a->most == b->most;
}

/* How many rounds of PERIOD steps COUNT of them begin with: the same each time, all of a round in the same
 * iterations. */
static size_t count_rounds(const struct step *steps, size_t count, size_t period)
{
    size_t same = 0;
    while (same < count && steps[same].forms && steps[same].forms == steps[same - same % period].forms &&
           is_again(&steps[same], &steps[same % period]))
        same++;
    return same / period;
}

/* The least and the most of ROUNDS, of PERIOD steps each, in one of the iterations of BODY. */
static void count_each(const struct body *body, const struct step *steps, size_t period, size_t rounds,
                       struct step *step)
{
    step->least = rounds;
    for (unsigned form = 0; form < MOST_FORMS; form++) {
        uint64_t here = 0;
        for (size_t i = 0; i < rounds; i++)
            here += steps[i * period].forms >> form & 1;
        if (!(body->all >> form & 1))
            continue;
        step->least = here < step->least ? here : step->least;
        step->most = here > step->most ? here : step->most;
    }
}

/* STEP is to stand for ROUNDS of PERIOD steps of BODY, the first of which is the first of STEPS. Returns
 * false without memory. */
static bool make_round(struct step *step, const struct body *body, const struct step *steps, size_t period,
                       size_t rounds)
{
    struct body *round = calloc(1, sizeof *round);
    struct step *to = calloc(period, sizeof *to);
    if (!round || !to) {
        free(round);
        free(to);
        return false;
    }
    *round = (struct body){.steps = to, .count = period, .all = body->all};
    *step = (struct step){
        .node = EFG_NONE, .loop = EFG_NONE, .round = round, .forms = body->all, .times = iterations_of(body)};
    for (size_t i = 0; i < period * rounds; i++) {
        struct step *sum = &to[i % period];
        *sum = (struct step){.node = steps[i].node,
                             .loop = steps[i].loop,
                             .forms = body->all,
                             .times = sum->times + steps[i].times,
                             .repetitions = sum->repetitions + steps[i].repetitions,
                             .before = sum->before + steps[i].before,
                             .least = steps[i].least,
                             .most = steps[i].most};
    }
    step->repetitions = to->times;
    count_each(body, steps, period, rounds, step);
    return true;
}

/* What comes at least twice in a row, in some iterations or all, becomes a loop: one that is left too soon to
 * be one of the tree. */
static bool find_rounds(struct body *body)
{
    size_t count = 0;
    for (size_t i = 0; i < body->count;) {
        size_t period = 2, rounds = 0, left = body->count - i;
        while (2 * period <= left && period <= MOST_PERIOD &&
               (rounds = count_rounds(&body->steps[i], left, period)) < 2)
            period++;
        if (rounds < 2) {
            body->steps[count++] = body->steps[i++];
            continue;
        }
        struct step step;
        if (!make_round(&step, body, &body->steps[i], period, rounds))
            return false;
        body->steps[count++] = step;
        i += period * rounds;
    }
    body->count = count;
    return true;
}

static bool make_body(const struct writer *w, uint32_t loop, struct body *body)
{
    const struct efg_profile *profile = w->profile;
    const struct efg_program *program = &profile->program;
    struct efg_profile_rest rest;
    uint32_t shown = 0;
    *body = (struct body){0};
    for (uint32_t f = program->first_form[loop]; f != EFG_NONE && shown < MOST_FORMS;
         f = program->forms[f].next) {
        const struct efg_program_form *form = &program->forms[f];
        if (!join(body, program, form, UINT64_C(1) << shown))
            break;
        body->all |= UINT64_C(1) << shown;
        body->times[shown++] = (double)form->count;
    }
    if (efg_profile_rest(profile, loop, shown, &rest))
        return false;
    bool is_made = !rest.iterations || add_rest(body, &rest, profile->graph->node_count, profile->tree.count);
    efg_profile_rest_fini(&rest);
    return is_made && find_rounds(body);
}

/* --- figures --- */

static double sum_of(const struct writer *w, const struct step *steps, size_t count, double scale);

static double mean_of_loop(const struct writer *w, uint32_t loop)
{
    const struct efg_profile *profile = w->profile;
    return profile->iterations[loop] > 0 ? profile->time[loop] / profile->iterations[loop] : 0;
}

/* ns of all that the step does, without the computation before it. */
static double time_of(const struct writer *w, const struct step *step)
{
    if (step->round)
        return sum_of(w, step->round->steps, step->round->count, 1);
    double each = step->node != EFG_NONE ? w->profile->call[step->node] : mean_of_loop(w, step->loop);
    return each * step->repetitions;
}

static double calls_of(const struct writer *w, const struct step *step);

static double calls_of_all(const struct writer *w, const struct body *body)
{
    double calls = 0;
    for (size_t i = 0; i < body->count; i++)
        calls += calls_of(w, &body->steps[i]);
    return calls;
}

static double calls_of(const struct writer *w, const struct step *step)
{
    if (step->node != EFG_NONE)
        return step->repetitions;
    if (step->round)
        return calls_of_all(w, step->round);
    double all = w->profile->iterations[step->loop];
    return all > 0 ? w->calls[step->loop] / all * step->repetitions : 0;
}

static void count_item(struct writer *w, uint32_t loop, const struct efg_program_item *item)
{
    if (item->node != EFG_NONE)
        w->calls[loop] += (double)item->repetitions;
}

/* As times are summed in make.c. */
static void count_calls(struct writer *w)
{
    const struct efg_profile *profile = w->profile;
    const struct efg_program *program = &profile->program;
    for (uint32_t f = 0; f < program->form_count; f++)
        for (uint32_t i = 0; i < program->forms[f].size; i++)
            count_item(w, program->forms[f].loop, &program->items[program->forms[f].first + i]);
    for (uint32_t i = 0; i < profile->graph->node_count; i++)
        w->calls[efg_program_loop_of(program, i)] += (double)program->of_node[i].repetitions;
    for (uint32_t i = profile->tree.count; i-- > 0;) {
        uint32_t parent = profile->tree.loops[i].parent;
        w->calls[parent == EFG_NONE ? profile->tree.count : parent] += w->calls[i];
    }
}

/* --- lines --- */

static bool is_small(const struct writer *w, double ns)
{
    return !w->is_all && ns < SMALL * w->total;
}

static bool has_compute_line(const struct writer *w, double ns)
{
    return ns >= COMPUTE * w->total;
}

/* How long TEXT takes, and TEXT; NS 0: it only closes what was opened. */
static void put_line(const struct writer *w, const char *text, double ns)
{
    char time[32] = "", share[32] = "";
    if (ns > 0) {
        efg_format_ns(time, sizeof time, (uint64_t)(ns / w->ranks + 0.5));
        snprintf(share, sizeof share, "%.1f%%", 100 * ns / w->total);
    }
    efg_buffer_print(w->out, "%9s %7s  %*s%s\n", time, share, 4 * (int)w->depth, "", text);
}

/* "3", "2.5": COUNT of a rank. */
static void print_count(char *text, size_t size, double count)
{
    efg_format_digits(text, size, count, 3);
}

static void print_times(const struct step *step, char *text, size_t size)
{
    char mean[32];
    efg_format_digits(mean, sizeof mean, step->repetitions / step->times, 3);
    size_t used = efg_format_range(text, size, step->least, step->most);
    if (step->least != step->most && used < size)
        snprintf(text + used, size - used, " (mean %s)", mean);
}

/* --- calls in a row, of one function --- */

/* The function that NODE is called in: its place without file and line, or module. */
static void function_of(const struct writer *w, uint32_t node, char *text, size_t size)
{
    char place[400];
    efg_summary_place(w->profile->run, &w->profile->graph->nodes[node], place, sizeof place);
    const char *blank = strchr(place, ' '), *colon = strchr(place, ':');
    bool has_line = blank && colon && colon < blank && colon[1] >= '0' && colon[1] <= '9';
    char *module = strstr(place, " (");
    if (module)
        *module = '\0';
    snprintf(text, size, "%s", has_line ? blank + 1 : place);
}

static bool is_of(const struct writer *w, const struct step *step, const char *function)
{
    char other[400];
    if (step->node == EFG_NONE)
        return false;
    function_of(w, step->node, other, sizeof other);
    return strcmp(other, function) == 0;
}

/* The names of COUNT steps, "Irecv, Send x 4, Wait". */
static void put_names(const struct writer *w, const struct step *steps, size_t count, struct efg_buffer *text)
{
    char times[80];
    for (size_t i = 0, next; i < count; i = next) {
        const char *name = efg_profile_name(w->profile, steps[i].node);
        double each = steps[i].repetitions / steps[i].times;
        for (next = i + 1; next < count && steps[i].most == 1 && steps[next].most == 1 &&
                           strcmp(name, efg_profile_name(w->profile, steps[next].node)) == 0;
             next++)
            each++;
        print_count(times, sizeof times, each);
        efg_buffer_print(text, "%s%s%s%s", i ? ", " : "", name, each > 1 ? " x " : "", each > 1 ? times : "");
    }
}

/* COUNT steps, calls of one function, with what stands BEFORE them on the line. What a rank computes before
 * the first one has a line already if it is much. */
static void put_calls(const struct writer *w, const char *before, const struct step *steps, size_t count,
                      double ns)
{
    char function[400];
    struct efg_buffer text = {0};
    function_of(w, steps->node, function, sizeof function);
    efg_buffer_print(&text, "%s%s%s", before, function, *function ? ": " : "");
    put_names(w, steps, count, &text);
    efg_buffer_put(&text, "", 1);
    if (text.failed)
        w->out->failed = true;
    else
        put_line(w, (char *)text.data, ns);
    efg_buffer_fini(&text);
}

/* --- steps --- */

static void put_body(struct writer *w, const struct body *body, double scale);
static void put_block(struct writer *w, const struct step *steps, size_t count, double scale);

static double sum_of(const struct writer *w, const struct step *steps, size_t count, double scale)
{
    double ns = 0;
    for (size_t i = 0; i < count; i++)
        ns += (time_of(w, &steps[i]) + steps[i].before) * scale;
    return ns;
}

/* Whether BODY is nothing but calls of one function, with little computation between. */
static bool is_one_line(const struct writer *w, const struct body *body, double scale)
{
    char function[400];
    if (!body->count || body->steps->node == EFG_NONE)
        return false;
    function_of(w, body->steps->node, function, sizeof function);
    for (size_t i = 0; i < body->count; i++)
        if (!is_of(w, &body->steps[i], function) || body->steps[i].forms != body->all ||
            has_compute_line(w, body->steps[i].before * scale))
            return false;
    return true;
}

/* Whether nothing of BODY would have a line of its own. */
static bool is_only_small(const struct writer *w, const struct body *body, double scale)
{
    size_t i = 0;
    while (i < body->count && is_small(w, sum_of(w, &body->steps[i], 1, scale)))
        i++;
    return i == body->count;
}

/* Whose calls are not written one by one. */
static void put_short_loop(const struct writer *w, const struct step *step, double scale, const char *text)
{
    char number[32], line[700];
    efg_format_count(number, sizeof number, calls_of(w, step) * scale / w->ranks);
    snprintf(line, sizeof line, "%s: %s calls", text, number);
    put_line(w, line, time_of(w, step) * scale);
}

/* Behind the head of LOOP: whether it is the main loop. That may go round several times in a round of the
 * source, if the same call comes several times there. */
static void put_main(const struct writer *w, uint32_t loop, char *text, size_t size)
{
    double rounds = w->profile->iterations[loop] / w->ranks;
    double each = rounds > 0 ? (double)w->profile->main->iterations / rounds : 0;
    char number[16];
    efg_format_digits(number, sizeof number, each, 3);
    if (loop != w->profile->tree.main)
        *text = '\0';
    else if (each < 1.5)
        snprintf(text, size, "  * main loop");
    else
        snprintf(text, size, "  * main loop, %s iterations of it each", number);
}

/* One that is none of the tree. */
static void put_rounds(struct writer *w, const struct step *step, double scale)
{
    double ns = time_of(w, step) * scale;
    char times[96], text[120];
    print_times(step, times, sizeof times);
    snprintf(text, sizeof text, "for %s times", times);
    if (w->depth == NESTING || is_only_small(w, step->round, scale)) {
        put_short_loop(w, step, scale, text);
    } else if (is_one_line(w, step->round, scale)) {
        strcat(text, ": ");
        put_calls(w, text, step->round->steps, step->round->count, ns);
    } else {
        strcat(text, " {");
        put_line(w, text, ns);
        w->depth++;
        put_block(w, step->round->steps, step->round->count, scale);
        w->depth--;
        put_line(w, "}", 0);
    }
}

static void put_loop(struct writer *w, const struct step *step, double scale)
{
    const struct efg_profile *profile = w->profile;
    double ns = time_of(w, step) * scale, all = profile->iterations[step->loop];
    double inner = all > 0 ? step->repetitions * scale / all : 0;
    char times[96], function[400], main[64], text[700];
    struct body body;
    print_times(step, times, sizeof times);
    efg_summary_function(profile->run, profile->graph, &profile->tree, step->loop, function, sizeof function);
    snprintf(text, sizeof text, "for %s times%s%s", times, *function ? " in " : "", function);
    if (w->depth == NESTING || is_small(w, ns)) {
        put_short_loop(w, step, scale, text);
        return;
    }
    if (!make_body(w, step->loop, &body))
        w->out->failed = true;
    if (is_one_line(w, &body, inner)) {
        snprintf(text, sizeof text, "for %s times: ", times);
        put_calls(w, text, body.steps, body.count, ns);
    } else if (step->loop != profile->tree.main && is_only_small(w, &body, inner)) {
        put_short_loop(w, step, scale, text);
    } else {
        put_main(w, step->loop, main, sizeof main);
        snprintf(text + strlen(text), sizeof text - strlen(text), " {%s", main);
        put_line(w, text, ns);
        w->depth++;
        put_body(w, &body, inner);
        w->depth--;
        put_line(w, "}", 0);
    }
    free_steps(&body);
}

/* Small things in a row, from the first of COUNT steps on, if they are LEAST or more: what is called NAME.
 * Returns how many. */
static size_t put_small(const struct writer *w, const struct step *steps, size_t count, double scale,
                        size_t least, const char *name)
{
    size_t size = 0;
    double ns = 0, calls = 0;
    char text[160], number[32];
    while (size < count && is_small(w, sum_of(w, &steps[size], 1, scale))) {
        ns += sum_of(w, &steps[size], 1, scale);
        calls += calls_of(w, &steps[size]) * scale;
        size++;
    }
    if (size < least)
        return 0;
    efg_format_count(number, sizeof number, calls / w->ranks);
    snprintf(text, sizeof text, "%s: %s calls", name, number);
    put_line(w, text, ns);
    return size;
}

/* The first of COUNT steps, and those calls behind it that go with it. Returns how many. */
static size_t put_steps(struct writer *w, const struct step *steps, size_t count, double scale)
{
    char function[400];
    double compute = steps->before * scale, ns;
    size_t size = 1;
    if (has_compute_line(w, compute))
        put_line(w, "compute", compute);
    else
        compute = 0;
    if (steps->node == EFG_NONE) {
        steps->round ? put_rounds(w, steps, scale) : put_loop(w, steps, scale);
        return 1;
    }
    function_of(w, steps->node, function, sizeof function);
    while (size < count && is_of(w, &steps[size], function) &&
           !has_compute_line(w, steps[size].before * scale))
        size++;
    ns = sum_of(w, steps, size, scale) - compute;
    put_calls(w, "", steps, size, ns);
    return size;
}

/* COUNT steps that the same iterations do. */
static void put_block(struct writer *w, const struct step *steps, size_t count, double scale)
{
    bool is_top = w->depth == 0;
    size_t size;
    for (size_t i = 0; i < count && !w->out->failed; i += size) {
        size = put_small(w, steps + i, count - i, scale, 2, !is_top ? "rest" : i ? "later" : "setup");
        if (!size) {
            size_t end = i + 1; /* what is small belongs to the next line of that kind */
            while (end < count && !is_small(w, sum_of(w, &steps[end], 1, scale)))
                end++;
            size = put_steps(w, steps + i, end - i, scale);
        }
    }
}

static double times_of(const struct body *body, const struct step *step)
{
    double times = 0;
    for (unsigned i = 0; i < MOST_FORMS; i++)
        if (step->forms >> i & 1)
            times += body->times[i];
    return step->forms ? times : step->times;
}

static void put_branch(struct writer *w, const struct body *body, const struct step *steps, size_t count,
                       double iterations, double scale)
{
    double times = times_of(body, steps);
    char some[32], all[32], text[120];
    print_count(some, sizeof some, times * scale / w->ranks);
    print_count(all, sizeof all, iterations * scale / w->ranks);
    if (strcmp(some, all) == 0) { /* the others are too few to be told */
        put_block(w, steps, count, scale);
        return;
    }
    snprintf(text, sizeof text, "if %s of %s {", some, all);
    put_line(w, text, sum_of(w, steps, count, scale));
    w->depth++;
    put_block(w, steps, count, scale);
    w->depth--;
    put_line(w, "}", 0);
}

/* Branches that take next to no time, one after the other, are one line. What is small at the end of another
 * branch is in it: outside it would look as if every iteration did it. */
static void put_body(struct writer *w, const struct body *body, double scale)
{
    double iterations = iterations_of(body);
    size_t size;
    for (size_t i = 0; i < body->count && !w->out->failed; i += size) {
        const struct step *step = &body->steps[i];
        bool is_branch = w->depth && step->forms != body->all;
        size = put_small(w, step, body->count - i, scale, is_branch ? 1 : 2,
                         w->depth ? "rest"
                         : i      ? "later"
                                  : "setup");
        if (size)
            continue;
        for (size = 1; i + size < body->count && body->steps[i + size].forms == step->forms &&
                       (is_branch || !is_small(w, sum_of(w, &body->steps[i + size], 1, scale)));)
            size++;
        if (is_branch)
            put_branch(w, body, step, size, iterations, scale);
        else
            put_block(w, step, size, scale);
    }
}

/* --- the whole --- */

static void put_head(const struct writer *w)
{
    char ranks[200], calls[32], time[32], watched[32];
    efg_ranklist_print(w->profile->ranks, ranks, sizeof ranks);
    efg_format_count(calls, sizeof calls, (double)w->profile->program.events / w->ranks);
    efg_format_ns(time, sizeof time, (uint64_t)(w->total / w->ranks));
    efg_buffer_print(w->out, "Rank%s %s, thread %u: %s calls in %s%s\n", w->ranks > 1 ? "s" : "", ranks,
                     w->profile->thread, calls, time, w->ranks > 1 ? " on each, on the average" : "");
    efg_format_percent(watched, sizeof watched, efg_summary_watched(w->profile->run));
    if (w->profile->run->common.totals.paused)
        efg_buffer_print(w->out,
                         "Watched for %s of the time, the order of calls until the first pause; "
                         "others are in no count\n",
                         watched);
    efg_buffer_print(w->out, "\n");
}

void efg_profile_put_code(struct efg_buffer *out, const struct efg_profile *profile,
                          const struct efg_profile_style *style)
{
    uint32_t whole = profile->tree.count;
    struct writer w = {.out = out,
                       .profile = profile,
                       .calls = calloc((size_t)whole + 1, sizeof *w.calls),
                       .ranks = (double)efg_ranklist_count(profile->ranks),
                       .total = profile->time[whole],
                       .is_all = style->forms == UINT32_MAX};
    struct body body = {0};
    if (w.calls && make_body(&w, whole, &body)) {
        if (out->size)
            efg_buffer_print(out, "\n");
        count_calls(&w);
        put_head(&w);
        put_body(&w, &body, 1);
    } else {
        out->failed = true;
    }
    free_steps(&body);
    free(w.calls);
}
