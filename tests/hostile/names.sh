# SPDX-License-Identifier: BSD-3-Clause
# Names that would be more than text: of a run file, and of a program.

# verdicts: of lines "NAME<tab>WHY NOT"
verdicts() {
    local name why
    while IFS=$'\t' read -r name why; do verdict "$name" "$why"; done
}

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
mkdir real
for debug in -g -g0; do
    $MPICC $debug -O1 "$name" -o "$mark$codes" &&
        ranks 2 env "HOSTILE=$mark$codes" "$tool" run -o "real/run$debug" --summary on --mode full \
            --signature path,size,communicator,region "./$mark$codes" "$mark" "$codes" '\input{x}' >out 2>err
    same "a program with hostile names runs, $debug" "0 " "$? $(cat out)"
    verdict "its summary is text, $debug" "$(grep -v '^Files\|^Next\|^  *vampir' err | LC_ALL=C grep -n '[^ -~]' | cat -v)"
done
has "a hostile function is seen" "onerror" "real/run-g0/summary.txt"
verdicts < <("$python" "$root/tests/hostile.py" "$tool" "$work/file" real/run-g real/run-g0 2>&1 || printf 'hostile.py\tit failed\n')
