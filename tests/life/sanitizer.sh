# SPDX-License-Identifier: BSD-3-Clause
# A program with AddressSanitizer.

of_steps 1000
stencil[0]=$PWD/stencil2d
if $MPICC -fsanitize=address -g -O1 "$root/tests/programs/stencil2d.c" -o stencil2d -lm 2>/dev/null &&
    echo '#include <mpi.h>
        #include <stdlib.h>
        int main(int argc, char **argv) {
            volatile char *end = malloc(8);
            MPI_Init(&argc, &argv);
            MPI_Allreduce(MPI_IN_PLACE, &argc, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            end[7 + argc / 4] = 1;
            return MPI_Finalize();
        }' >beyond.c && $MPICC -fsanitize=address -g -O1 beyond.c -o beyond; then
    export ASAN_OPTIONS=detect_leaks=0 # of which MPI libraries have many
    traced -o sanitized
    as_bare "AddressSanitizer"
    accepted "AddressSanitizer" sanitized/traces.otf2 --iterations 10
    launch ./beyond
    bare=$code
    launch "$tool" run -o beyond.out ./beyond
    same "AddressSanitizer finds an error: exit code" "$bare" "$code"
    has "AddressSanitizer finds an error: where" "beyond.c:7" err
    unset ASAN_OPTIONS
else
    skip "AddressSanitizer" "the compiler has none"
fi
