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

# --- what files say that cannot be ---

cp file/run.efg moved.efg
"$tool" report --html moved.efg >said 2>&1
same "a run file that names another folder: the page is beside it" "0 ./report.html" "$? $(cat said)"

finish
