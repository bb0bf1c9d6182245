/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run file whose order of calls is made a trace. A process of its own writes it, as the tool
 * is one: what OTF2 has opened it cannot close after a failure. Memory: OTF2 takes 1 MB and
 * more a file that is open. A few bytes may stand for as many calls as they like: a file has
 * room for 1 MB, and what is no more written ends soon.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.h"
#include "fuzz.h"
#include "printed.h"

static void rebuild(size_t size)
{
    static const struct fuzz_command command = {
        efg_cmd_expand, {"expand", "-F", "otf2", "-o", FUZZ_DIR "/trace", FUZZ_DIR}, fuzz_expect_text};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 20, 1 << 20});
    fuzz_call(&command, 64 << 20, 2000, size);
    _exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int status = 0;
    fuzz_write("run.efg", bytes, size);
    pid_t child = fork();
    fuzz_expect(child >= 0, "another process");
    if (!child)
        rebuild(size);
    while (waitpid(child, &status, 0) < 0)
        fuzz_expect(errno == EINTR, "that process"); /* by the fuzzer's alarm */
    fuzz_expect(status == 0, "an end without a fault");
    fuzz_empty("trace");
    return 0;
}
