/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares two recorded iterations of a run: what beside/ says of them.
 */
#include "iterations.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "beside/beside.h"
#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/json.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "recorded/numbers.h"

struct request {
    uint64_t number[2];
    const char *output;
    bool is_json;
    uint32_t most;
};

struct reading {
    struct efg_run run;
    struct efg_recorded recorded;
    struct efg_beside beside;
};

/* "527,526" */
static bool take_pair(const char *text, uint64_t number[2])
{
    char *end;
    for (int i = 0; i < 2; i++) {
        errno = 0;
        number[i] = strtoull(text, &end, 10);
        if (*text < '0' || *text > '9' || errno || *end != (i ? '\0' : ','))
            return false;
        text = end + 1;
    }
    return number[0] != number[1];
}

static int take(void *data, const struct efg_recorded_item *item)
{
    struct reading *r = data;
    return efg_beside_take(&r->beside, item);
}

/* Returns 0; else says what is wrong, and returns EFG_TOLD. */
static int read_pair(struct reading *r, const struct request *request)
{
    int error = efg_beside_begin(&r->beside, &r->run, &r->recorded);
    if (!error)
        error = efg_beside_ask(&r->beside, request->number[0], request->number[1]);
    if (!error)
        error = efg_recorded_all(&r->recorded, &r->run, take, r);
    if (error == -EBADMSG)
        return efg_complain("compare", r->recorded.message);
    if (error || efg_beside_end(&r->beside))
        return efg_complain("compare", "no memory for the iterations");
    for (int i = 0; i < 2; i++)
        if (!r->beside.pairs->is_found[i])
            return efg_recorded_complain("compare", &r->run, request->number[i]);
    return 0;
}

static int write_pair(const struct reading *r, const struct request *request)
{
    struct efg_buffer out = {0};
    if (request->is_json) {
        cJSON *document = efg_beside_json(&r->beside, r->beside.pairs);
        cJSON_AddStringToObject(document, "format", "efgtrace-iterations");
        efg_json_number(document, "version", 1);
        cJSON_AddBoolToObject(document, "complete", 1);
        efg_json_end(&out, document, "complete");
    } else {
        efg_beside_put(&out, &r->beside, r->beside.pairs, request->most);
    }
    int error = out.failed ? efg_complain("compare", "no memory for the comparison")
                           : efg_output("compare", &out, request->output);
    efg_buffer_fini(&out);
    return error;
}

int efg_compare_iterations(const char *pair, const char *dir, bool is_json, uint32_t most, const char *output)
{
    struct reading r = {.recorded.pipe = -1};
    struct request request = {.output = output, .is_json = is_json, .most = most};
    if (!take_pair(pair, request.number))
        return efg_options_complain("compare", "--iterations wants two numbers, such as 527,526, not", pair);
    if (efg_open_run(&r.run, "compare", dir))
        return EFG_EXIT_FAILED;
    int error = read_pair(&r, &request) || write_pair(&r, &request);
    efg_beside_fini(&r.beside);
    efg_recorded_close(&r.recorded);
    efg_run_fini(&r.run);
    return error ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}
