#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Names that would be more than text to a terminal, a browser or another reader: in a run file
# that has them everywhere, and of a real program that has them wherever a program can. Links and
# pipes in the way of what the tool reads and writes; files that say what cannot be. (That such a
# page does nothing in a browser, page.sh shows; what fuzzers found, fuzz.sh.)
#
#   tests/hostile.sh        environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2
mark='<img src=x onerror=document.title=1>'
codes=$'\e]0;owned\a\xe2\x80\xa8\xe2\x80\xaegpj\xe2\x81\xa6\xd8\x9c\xc2\x9d' # lines that end, and text turned round

# verdicts: of lines "NAME<tab>WHY NOT"
verdicts() {
    local name why
    while IFS=$'\t' read -r name why; do verdict "$name" "$why"; done
}

# --- names ---

# A function of the debug information, one of the symbol table only, files of both.
name="$mark\"&' .c"
cat >"$name" <<'END'
#include <mpi.h>
void hostile(void) __asm__("\"</script><img src=x onerror=document.title=1>\"");
__attribute__((noinline)) void hostile(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    __asm__ volatile("");
}
int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "</script><img src=x onerror=document.title=1>");
    for (int i = 0; i < 200; i++) {
        MPI_Pcontrol(1, "</script><img src=x>");
        hostile();
        MPI_Pcontrol(-1, "</script><img src=x>");
        MPI_Allreduce(MPI_IN_PLACE, &(int){1}, 1, MPI_INT, MPI_SUM, comm);
    }
    return MPI_Finalize();
}
END
mkdir file real
"$build/tests/test_summary" --write-hostile file/run.efg
for debug in -g -g0; do
    $MPICC $debug -O1 "$name" -o "$mark$codes" &&
        ranks 2 env "HOSTILE=$mark$codes" "$tool" run -o "real/run$debug" --summary on --mode full \
            --signature path,size,communicator,region "./$mark$codes" "$mark" "$codes" '\input{x}' >out 2>err
    same "a program with hostile names runs, $debug" "0 " "$? $(cat out)"
    verdict "its summary is text, $debug" "$(grep -v '^Files\|^Next\|^  *vampir' err | LC_ALL=C grep -n '[^ -~]' | cat -v)"
done
has "a hostile function is seen" "onerror" "real/run-g0/summary.txt"
verdicts < <("$python" "$root/tests/hostile.py" "$tool" file real/run-g real/run-g0 2>&1 || printf 'hostile.py\tit failed\n')

# --- links and pipes ---

# victim_is_safe NAME: the file that links lead to is as it was
victim_is_safe() {
    same "$1 is not followed" mine "$(head -c 40 "$work/victim")"
}

echo mine >victim
cp -r file planted
ln -s "$work/victim" planted/report.html
"$tool" report --html planted >said 2>&1
same "a link in place of the page" "0 planted/report.html" "$? $(cat said)"
victim_is_safe "it"
verdict "the page is a file" "$([ ! -L planted/report.html ] || ls -l planted)"

mkdir -p killed/pieces killed/logs
mkfifo killed/logs/0.0.log killed/pieces/0.0.efg "killed/logs/$codes.log"
timeout 20 "$tool" trace killed >said 2>&1
same "pipes in place of logs and pieces: trace ends" 1 $?
verdict "what it says of them is text" "$(LC_ALL=C grep -nP '[\x00-\x1f\x7f]|\xc2[\x80-\x9f]' said | cat -v)"

# --- links below the output folder ---

# After MPI_Init, each NAME in the folder makes way for a link to the TARGET; "." is the folder
# itself. Then the job goes on as ever.
cat >planter.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void plant(const char *folder, const char *name, const char *target)
{
    char path[4096], aside[4200];
    snprintf(path, sizeof path, name[0] == '.' ? "%s" : "%s/%s", folder, name);
    snprintf(aside, sizeof aside, "%s.aside", path);
    rename(path, aside);
    if (symlink(target, path))
        perror(path);
}
int main(int argc, char **argv) /* FOLDER NAME TARGET..., or leave */
{
    int rank, leaves = !strcmp(argv[1], "leave");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 2; i + 1 < argc && rank == 0; i += 2)
        plant(argv[1], argv[i], argv[i + 1]);
    for (int i = 0; i < 400; i++) {
        MPI_Allreduce(MPI_IN_PLACE, &(int){1}, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        usleep(100);
    }
    if (leaves)
        exit(0);
    if (rank == 0)
        puts("ok");
    return MPI_Finalize();
}
END
$MPICC -g -O1 planter.c -o planter || exit 2

# What links lead to: files of the names that ours have.
mkdir -p orderly/logs orderly/pieces orderly/traces orderly/traces.part
for name in 0.0.log 1.0.log 0.0.order 0.0.efg 0.0.efg.new 1.0.efg traces.otf2 traces.def summary.txt \
    run.efg run.efg.new 0.evt logs/0.0.log logs/0.0.order pieces/0.0.efg traces/0.evt traces.part/0.evt; do
    echo "theirs: $name" >"orderly/$name"
done
renew() { rm -rf theirs && cp -r orderly theirs; }
# not_followed NAME: they are as they were
not_followed() {
    verdict "$1: nothing is followed" "$(diff -rq orderly theirs 2>&1 | head -n 2 | paste -sd ' ')"
}

# planted NAME TARGET...: a job whose folder gets such links
planted() {
    rm -rf plants plants.aside && renew
    ranks 2 "$tool" run -m full --save 5ms --summary off -o plants ./planter plants "$@" >out 2>err
    same "links planted at $1: the job ends as ever" "0 ok" "$? $(cat out)"
    not_followed "links planted at $1"
}
for name in traces logs pieces .; do
    planted $name "$work/theirs"
done
planted traces.part "$work/theirs/traces.part"
planted summary.txt "$work/theirs/summary.txt" run.efg "$work/theirs/run.efg" \
    run.efg.new "$work/theirs/run.efg.new"
same "a link in place of run.efg: there is a file now" "regular file" "$(stat -c %F plants/run.efg)"
planted traces.otf2 "$work/theirs/traces.otf2" traces.def "$work/theirs/traces.def"
verdict "links in place of the trace: there are files now" "$(unreadable plants/traces.otf2)"

# Whatever the umask, others write to nothing of ours.
(umask 0 && ranks 2 "$tool" run -m full --save 5ms --summary off --keep-logs -o open/to/all ./planter '') >out 2>err
same "umask 0: folders are writable for their owner only" "" "$(find open -type d -perm /022 | xargs)"
same "umask 0: all folders are there" "open open/to open/to/all open/to/all/logs open/to/all/traces" \
    "$(find open -type d | sort | xargs)"

# The tool, with the folder of a job that ended without MPI_Finalize.
ranks 2 "$tool" run -m full --save 5ms --summary off -o left ./planter leave >out 2>err
same "a folder for the tool" "left/logs left/pieces 4" "$(ls -d left/* | xargs) $(ls left/*/* | wc -l)"

# tool_meets NAME CODE TEXT LINK TARGET COMMAND...: with the LINK in a copy of $from, the folder "copy"
from=left
tool_meets() {
    local name=$1 code=$2 text=$3 link=$4 target=$5
    shift 5
    renew && rm -rf copy && cp -r "$from" copy && rm -rf "copy/${link:?}" && ln -s "$target" "copy/$link"
    "$tool" "$@" >said 2>&1
    same "$name: exit code" "$code" $?
    contains "$name: said" "$(tail -c 300 said)" "$text"
    not_followed "$name"
}
cp -r left elsewhere
tool_meets "trace, logs a link" 0 copy/run.efg logs "$work/elsewhere/logs" trace copy
verdict "trace, logs a link: nothing is read of them" "$(ls -d copy/traces.otf2 2>/dev/null)"
tool_meets "trace, pieces a link" 0 copy/traces.otf2 pieces "$work/elsewhere/pieces" trace copy
verdict "trace, pieces a link: nothing is read of them" "$(ls -d copy/run.efg 2>/dev/null)"
tool_meets "trace, a log a link" 0 "0.0.log is left out: it is a link" logs/0.0.log "$work/elsewhere/logs/0.0.log" trace copy
tool_meets "trace, a piece a link" 0 "0.0.efg: it is a link" pieces/0.0.efg "$work/elsewhere/pieces/0.0.efg" trace copy
tool_meets "trace, run.efg a link" 0 copy/traces.otf2 run.efg "$work/theirs/run.efg" trace copy
tool_meets "trace, run.efg.new a link" 0 copy/run.efg run.efg.new "$work/theirs/run.efg.new" trace copy
for name in traces traces.part traces.def traces.otf2; do
    tool_meets "trace, $name a link" 1 "will not overwrite copy" $name "$work/theirs/$name" trace copy
done
"$tool" trace -o whole left >out 2>err
from=whole
tool_meets "report, run.efg a link" 1 "run.efg: it is a link" run.efg "$work/whole/run.efg" report copy
tool_meets "pack, run.efg a link" 1 "run.efg: it is a link" run.efg "$work/whole/run.efg" pack copy
tool_meets "pack, what it writes a link" 0 "" run.efg.packed.new "$work/theirs/run.efg" pack copy
for name in traces.otf2 traces.def traces traces/0.evt; do
    tool_meets "export, $name a link" 1 "it is a link" $name "$work/whole/$name" export copy
done
tool_meets "expand, traces a link" 1 "there is a trace already" traces "$work/theirs/traces" \
    expand --format otf2 -o copy whole
ln -s whole/run.efg named.efg
"$tool" report named.efg >said 2>&1
same "a link that the user names" 0 $?
# --- what files say that cannot be ---

cp file/run.efg moved.efg
"$tool" report --html moved.efg >said 2>&1
same "a run file that names another folder: the page is beside it" "0 ./report.html" "$? $(cat said)"

finish
