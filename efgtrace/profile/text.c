/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile as text or as LaTeX: the same walk, with other words for the same things. Both are
 * made of tokens, which are put into lines of at most EFG_COLUMNS characters, indented by the
 * nesting of the loops.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/summary/summary.h"
#include "profile.h"

#define NESTING 60 /* loops nested deeper are not written */
#define TOKEN 400
#define ROW 4  /* call sites of one function in a row, at least, that are written as one */
#define PLUS 2 /* columns kept for a plus at the end of a line */

struct words {
    const char *call;         /* name, number */
    const char *named;        /* name, place */
    const char *row;          /* the first one, number of the last one, time */
    const char *times;        /* of a form: iterations of a rank */
    const char *begin, *end;  /* of a loop */
    const char *first, *last; /* of a form, where there are several */
    const char *repeated;     /* number */
    const char *math, *text;  /* around a line of the program */
};

static const struct words plain = {
    .call = "%s%u",
    .named = "%s(%s)",
    .row = "%s..%u%s",
    .times = "%.10g x",
    .begin = "(",
    .end = ")",
    .first = "{",
    .last = "}",
    .repeated = "[%s]",
    .math = "",
    .text = "",
};

static const struct words latex = {
    .call = "\\mathrm{%s}_{%u}",
    .named = "\\mathrm{%s}(\\mbox{%s})",
    .row = "%s\\ldots_{%u}%s",
    .times = "%.10g\\times",
    .begin = "\\bigl(",
    .end = "\\bigr)",
    .first = "\\{",
    .last = "\\}",
    .repeated = "[\\mbox{%s}]",
    .math = "$",
    .text = "$\\\\",
};

struct writer {
    struct efg_buffer *out;
    const struct efg_profile *profile;
    const struct efg_profile_style *style;
    const struct words *words;
    uint32_t *places; /* per loop: forms and places in them that it is in */
    uint32_t *label;  /* per loop: its number, from 1, if its body has been written; else 0 */
    uint32_t labels;  /* so far */
    unsigned column, nesting;
    uint32_t bursts; /* so far: the number of the last CPU */
    bool wants_plus; /* a term has just ended */
};

/* --- lines --- */

static void end_line(struct writer *w)
{
    if (w->column)
        efg_buffer_print(w->out, "%s\n", w->words->text);
    w->column = 0;
}

static void put_token(struct writer *w, const char *token)
{
    unsigned length = (unsigned)strlen(token), indent = 2 * w->nesting;
    if (w->column && w->column + 1 + length > EFG_COLUMNS - PLUS)
        end_line(w);
    if (w->column)
        efg_buffer_print(w->out, " %s", token);
    else
        efg_buffer_print(w->out, "%*s%s%s", (int)indent, "", w->words->math, token);
    w->column += length + (w->column ? 1 : indent);
}

/* A term: "+" first, where one has ended before. */
static void begin_term(struct writer *w)
{
    if (w->wants_plus) {
        efg_buffer_print(w->out, " +");
        w->column += PLUS;
    }
    w->wants_plus = false;
}

/* --- LaTeX --- */

static void escape(char *to, size_t size, const char *from)
{
    size_t used = 0;
    for (; *from && used + 4 < size; from++) {
        if (strchr("#$%&_{}", *from))
            to[used++] = '\\';
        if (strchr("\\~^<>|\"", *from)) {
            to[used++] = '-';
            continue;
        }
        to[used++] = *from;
    }
    to[used] = '\0';
}

static void put_plain(const struct writer *w, char *to, size_t size, const char *from)
{
    if (w->words == &latex)
        escape(to, size, from);
    else
        snprintf(to, size, "%s", from);
}

/* --- items --- */

static void name_call(const struct writer *w, uint32_t node, char *text, size_t size)
{
    const struct efg_profile *profile = w->profile;
    char place[TOKEN / 2], written[TOKEN / 2], name[TOKEN / 2];
    put_plain(w, name, sizeof name, efg_profile_name(profile, node));
    if (w->style->has_names) {
        efg_summary_place(profile->run, &profile->graph->nodes[node], place, sizeof place);
        put_plain(w, written, sizeof written, place);
        snprintf(text, size, w->words->named, name, written);
        return;
    }
    snprintf(text, size, w->words->call, name, profile->number[node]);
}

/* "[3-9, mean 5.2]", "[4]", "" for once each time. */
static void name_repetitions(const struct writer *w, uint64_t least, uint64_t most, double mean, char *text,
                             size_t size)
{
    char number[96], average[32];
    *text = '\0';
    efg_format_digits(average, sizeof average, mean, 4);
    if (least < most)
        snprintf(number, sizeof number, "%llu-%llu, mean %s", (unsigned long long)least,
                 (unsigned long long)most, average);
    else
        snprintf(number, sizeof number, "%llu", (unsigned long long)least);
    if (most > 1)
        snprintf(text, size, w->words->repeated, number);
}

static void put_burst(struct writer *w, double ns)
{
    char name[64], token[TOKEN];
    if (w->style->is_terse || ns <= 0)
        return;
    begin_term(w);
    snprintf(name, sizeof name, w->words->call, "CPU", ++w->bursts);
    snprintf(token, sizeof token, "%s : %.2f", name, ns / 1e3);
    put_token(w, token);
    w->wants_plus = true;
}

static void put_call(struct writer *w, uint32_t node, const char *repetitions)
{
    char name[TOKEN], token[2 * TOKEN];
    name_call(w, node, name, sizeof name);
    begin_term(w);
    if (w->style->is_terse)
        snprintf(token, sizeof token, "%s%s", name, repetitions);
    else
        snprintf(token, sizeof token, "%s%s : %.2f", name, repetitions, w->profile->call[node] / 1e3);
    put_token(w, token);
    w->wants_plus = true;
}

static void put_forms(struct writer *w, uint32_t loop);

/* LOOP, which is reached REPETITIONS times in total, with TEXT for that. Its body is written
 * once, with a label if it is in several places. */
static void put_loop(struct writer *w, uint32_t loop, double repetitions, double count, const char *text)
{
    const struct efg_profile *profile = w->profile;
    double all = profile->iterations[loop];
    double each = all > 0 ? profile->time[loop] / all : 0;
    char label[64] = "", token[TOKEN];
    begin_term(w);
    bool was_written = w->label[loop] != 0;
    if (!was_written)
        w->label[loop] = w->places[loop] > 1 ? ++w->labels : EFG_NONE;
    if (w->places[loop] > 1)
        snprintf(label, sizeof label, w->words->call, "L", w->label[loop]);
    if (was_written || w->nesting == NESTING) {
        snprintf(token, sizeof token, "%s%s", *label ? label : "...", text);
    } else {
        snprintf(token, sizeof token, "%s%s%s", label, *label ? " = " : "", w->words->begin);
        put_token(w, token);
        end_line(w);
        w->nesting++;
        put_forms(w, loop);
        end_line(w);
        w->nesting--;
        snprintf(token, sizeof token, "%s%s", w->words->end, text);
    }
    if (!w->style->is_terse && count > 0)
        snprintf(token + strlen(token), sizeof token - strlen(token), " : %.2f",
                 each * repetitions / count / 1e3);
    put_token(w, token);
    w->wants_plus = true;
}

static void put_item(struct writer *w, const struct efg_program_item *item, uint64_t count)
{
    char text[128];
    double mean = (double)item->repetitions / (double)count;
    name_repetitions(w, item->least, item->most, mean, text, sizeof text);
    if (item->node == EFG_NONE) {
        put_loop(w, item->loop, (double)item->repetitions, (double)count, text);
    } else {
        put_burst(w, item->before / (double)count);
        put_call(w, item->node, text);
    }
}

/* COUNT items of a row, as one: "Allreduce26..70". Its time is that of all that is left out,
 * too.
 */
static void put_row(struct writer *w, const struct efg_program_item *items, uint32_t count, uint64_t times)
{
    char name[TOKEN], token[2 * TOKEN], time[32] = "";
    double ns = 0;
    for (uint32_t i = 0; i < count; i++)
        ns += w->profile->call[items[i].node] + (i ? items[i].before / (double)times : 0);
    put_burst(w, items[0].before / (double)times);
    begin_term(w);
    name_call(w, items[0].node, name, sizeof name);
    if (!w->style->is_terse)
        snprintf(time, sizeof time, " : %.2f", ns / 1e3);
    snprintf(token, sizeof token, w->words->row, name, w->profile->number[items[count - 1].node], time);
    put_token(w, token);
    w->wants_plus = true;
}

/* BODY, of SIZE items, which come TIMES one after the other in each of COUNT iterations. */
static void put_folded(struct writer *w, const struct efg_program_item *body, uint32_t size, uint32_t times,
                       uint64_t count)
{
    const struct efg_profile *profile = w->profile;
    char text[128], token[TOKEN];
    double ns = 0;
    begin_term(w);
    put_token(w, w->words->begin);
    end_line(w);
    w->nesting++;
    for (uint32_t i = 0; i < size; i++) {
        double each = body[i].node != EFG_NONE
                          ? profile->call[body[i].node]
                          : profile->time[body[i].loop] / profile->iterations[body[i].loop];
        ns += body[i].before + each * (double)body[i].repetitions;
        put_item(w, &body[i], count * times);
    }
    w->wants_plus = false;
    end_line(w);
    w->nesting--;
    name_repetitions(w, times, times, times, text, sizeof text);
    snprintf(token, sizeof token, "%s%s", w->words->end, text);
    if (!w->style->is_terse)
        snprintf(token + strlen(token), sizeof token - strlen(token), " : %.2f", ns / (double)count / 1e3);
    put_token(w, token);
    w->wants_plus = true;
}

static void put_form(struct writer *w, const struct efg_program_form *form)
{
    const struct efg_program_item *items = &w->profile->program.items[form->first];
    struct efg_program_item *body = calloc((size_t)form->size / 2 + 1, sizeof *body);
    bool has_rows =
        form->loop == w->profile->tree.count && !w->style->has_names && w->style->forms != UINT32_MAX;
    w->out->failed |= !body;
    for (uint32_t i = 0, times; body && i < form->size;) {
        uint32_t folded = efg_profile_fold(&items[i], form->size - i, body, &times);
        if (folded) {
            put_folded(w, body, folded, times, form->count);
            i += folded * times;
            continue;
        }
        uint32_t row = has_rows ? efg_profile_row(w->profile, &items[i], form->size - i) : 1;
        if (row >= ROW)
            put_row(w, &items[i], row, form->count);
        for (uint32_t k = 0; k < row && row < ROW; k++)
            put_item(w, &items[i + k], form->count);
        i += row;
    }
    free(body);
}

/* --- forms --- */

static void begin_form(struct writer *w, bool is_first, uint64_t count)
{
    char times[64], token[TOKEN];
    end_line(w);
    double ranks = (double)efg_ranklist_count(w->profile->ranks);
    snprintf(times, sizeof times, w->words->times, (double)count / ranks);
    snprintf(token, sizeof token, "%s%s %s", is_first ? "" : "| ", times, w->words->first);
    put_token(w, token);
    w->wants_plus = false;
    w->nesting++;
}

static void end_form(struct writer *w)
{
    put_token(w, w->words->last);
    w->nesting--;
}

/* What is left of LOOP: how often each call, each loop comes in an iteration. */
static void put_rest(struct writer *w, uint32_t loop, bool is_first)
{
    const struct efg_profile *profile = w->profile;
    struct efg_profile_rest rest;
    char number[64], text[128];
    if (efg_profile_rest(profile, loop, w->style->forms, &rest)) {
        w->out->failed = true;
        return;
    }
    if (rest.iterations) {
        double count = (double)rest.iterations;
        begin_form(w, is_first, rest.iterations);
        put_token(w, "in other forms, on the average:");
        for (uint32_t i = 0; i < profile->graph->node_count; i++) {
            if (!rest.of_node[i].repetitions)
                continue;
            efg_format_digits(number, sizeof number, (double)rest.of_node[i].repetitions / count, 3);
            snprintf(text, sizeof text, w->words->repeated, number);
            put_burst(w, rest.of_node[i].before / count);
            put_call(w, i, text);
        }
        for (uint32_t i = 0; i < profile->tree.count; i++) {
            if (!rest.of_loop[i].repetitions)
                continue;
            efg_format_digits(number, sizeof number, (double)rest.of_loop[i].repetitions / count, 3);
            snprintf(text, sizeof text, w->words->repeated, number);
            put_loop(w, i, (double)rest.of_loop[i].repetitions, count, text);
        }
        end_form(w);
    }
    efg_profile_rest_fini(&rest);
}

static void put_forms(struct writer *w, uint32_t loop)
{
    const struct efg_program *program = &w->profile->program;
    uint32_t first = program->first_form[loop], shown = 0;
    bool is_one =
        first != EFG_NONE && program->forms[first].next == EFG_NONE && !program->of_loop[loop].iterations;
    w->wants_plus = false;
    if (is_one) {
        put_form(w, &program->forms[first]);
        w->wants_plus = false;
        return;
    }
    for (uint32_t f = first; f != EFG_NONE && shown < w->style->forms; f = program->forms[f].next) {
        begin_form(w, !shown, program->forms[f].count);
        put_form(w, &program->forms[f]);
        end_form(w);
        shown++;
    }
    put_rest(w, loop, !shown);
    w->wants_plus = false;
}

/* --- the whole --- */

static void put_head(const struct writer *w)
{
    const struct efg_profile *profile = w->profile;
    double count = (double)efg_ranklist_count(profile->ranks);
    char ranks[200], time[32], calls[32];
    efg_ranklist_print(profile->ranks, ranks, sizeof ranks);
    efg_format_ns(time, sizeof time, (uint64_t)(profile->time[profile->tree.count] / count));
    efg_format_count(calls, sizeof calls, (double)profile->program.events / count);
    efg_buffer_print(w->out, "%sProfile of rank%s %s, thread %u: %s calls in %s%s%s%s\n",
                     w->words == &latex ? "\\noindent " : "", count > 1 ? "s" : "", ranks, profile->thread,
                     calls, time, count > 1 ? " each" : "", w->style->is_terse ? "" : "; times in us",
                     w->words == &latex ? "\\\\[1ex]" : "\n");
}

/* Which call site a name is: those that occur, in the order of their names' first appearance.
 */
static void put_sites(struct writer *w)
{
    const struct efg_profile *profile = w->profile;
    char name[TOKEN], place[TOKEN], written[TOKEN];
    bool is_latex = w->words == &latex;
    efg_buffer_print(w->out, is_latex ? "\\smallskip\n" : "\n");
    for (uint32_t i = 0; i < profile->graph->node_count; i++) {
        const struct efg_node *node = &profile->graph->nodes[i];
        if (!node->time.count || profile->site[i] != i)
            continue;
        name_call(w, i, name, sizeof name);
        efg_summary_node(profile->run, node, place, sizeof place);
        char *behind = strstr(place, "  "); /* behind the function, which the name has */
        put_plain(w, written, sizeof written, behind ? behind + 2 : place);
        if (is_latex)
            efg_buffer_print(w->out, "$%s$: %s\\\\\n", name, written);
        else
            efg_summary_line(w->out, "%-20s %s", name, written);
    }
}

/* How often those loops are gone through that have a label: their numbers above are of one
 * time. */
static void put_loops(const struct writer *w)
{
    const struct efg_profile *profile = w->profile;
    double ranks = (double)efg_ranklist_count(profile->ranks);
    bool is_latex = w->words == &latex;
    char name[64], count[32], function[128], written[TOKEN];
    for (uint32_t label = 1; label <= w->labels; label++) {
        uint32_t loop = 0;
        while (w->label[loop] != label)
            loop++;
        snprintf(name, sizeof name, w->words->call, "L", label);
        efg_format_count(count, sizeof count, profile->iterations[loop] / ranks);
        efg_summary_function(profile->run, profile->graph, &profile->tree, loop, function, sizeof function);
        put_plain(w, written, sizeof written, function);
        if (is_latex)
            efg_buffer_print(w->out, "$%s$: %s iterations, in %s\\\\\n", name, count, written);
        else
            efg_summary_line(w->out, "%-20s %s iterations, in %s", name, count, written);
    }
}

/* How many places each loop is in. */
static uint32_t *count_places(const struct efg_profile *profile)
{
    const struct efg_program *program = &profile->program;
    uint32_t *places = calloc((size_t)profile->tree.count + 1, sizeof *places);
    for (uint32_t f = 0; places && f < program->form_count; f++) {
        const struct efg_program_item *items = &program->items[program->forms[f].first];
        for (uint32_t i = 0; i < program->forms[f].size; i++)
            if (items[i].node == EFG_NONE)
                places[items[i].loop]++;
    }
    return places;
}

static void put(struct efg_buffer *out, const struct efg_profile *profile,
                const struct efg_profile_style *style, const struct words *words)
{
    struct writer w = {.out = out, .profile = profile, .style = style, .words = words};
    w.places = count_places(profile);
    w.label = calloc((size_t)profile->tree.count + 1, sizeof *w.label);
    if (w.places && w.label) {
        if (out->size)
            efg_buffer_print(out, "\n");
        put_head(&w);
        put_forms(&w, profile->tree.count);
        end_line(&w);
        if (!style->has_names)
            put_sites(&w);
        else if (w.labels)
            efg_buffer_print(out, words == &latex ? "\\smallskip\n" : "\n");
        put_loops(&w);
    } else {
        out->failed = true;
    }
    free(w.places);
    free(w.label);
}

void efg_profile_put_text(struct efg_buffer *out, const struct efg_profile *profile,
                          const struct efg_profile_style *style)
{
    put(out, profile, style, &plain);
}

void efg_profile_put_latex(struct efg_buffer *out, const struct efg_profile *profile,
                           const struct efg_profile_style *style)
{
    put(out, profile, style, &latex);
}
