# SPDX-License-Identifier: BSD-3-Clause
# A wrong configuration stops the job in MPI_Init: nothing has run.

of_steps 1000
printf 'itertions = 5\n' >wrong.conf
wrong_configuration() { # NAME MESSAGE
    same "$1: exit code" 2 "$code"
    same "$1: nothing ran" "" "$(cat out)"
    same "$1: one message" "1" "$(grep -cF -e "$2" err)"
    same "$1: no folder" "" "$(ls -d efgtrace.* 2>/dev/null)"
}
launch env LD_PRELOAD="$library" EFGTRACE_CONF=wrong.conf "${stencil[@]}"
wrong_configuration "wrong key, preloaded" 'wrong.conf:1: there is no key "itertions"'
# The launcher takes a second for the end of the others, who must not speak meanwhile.
echo '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 0 ] || sleep 0.5; LD_PRELOAD=$1 && shift && export LD_PRELOAD && exec "$@"' >late
launch env EFGTRACE_CONF=wrong.conf sh late "$library" "${stencil[@]}"
wrong_configuration "wrong key, the first rank is late" 'wrong.conf:1: there is no key "itertions"'
has "wrong key, preloaded: the nearest one" 'did you mean "iterations"?' err
if in_full; then
    launch env LD_PRELOAD="$library" EFGTRACE_ITERATIONS=ten "${stencil[@]}"
    wrong_configuration "wrong value, preloaded" 'EFGTRACE_ITERATIONS: iterations cannot be "ten"'
    if [ "$mpi" != MPICH ]; then # whose UCX would call it
        echo 'void ini_parse_stream(void) { __builtin_trap(); }' >names.c # as UCX exports one
        $MPICC -shared -fPIC names.c -o names.so || exit 2
        launch env LD_PRELOAD="$library $PWD/names.so" EFGTRACE_CONF=wrong.conf "${stencil[@]}"
        wrong_configuration "wrong key, inih of another library" 'wrong.conf:1: there is no key "itertions"'
    fi
    launch "$tool" run -n ten "${stencil[@]}"
    wrong_configuration "wrong option, run" 'iterations cannot be "ten"'
    launch env EFGTRACE_CONF=wrong.conf "$tool" run "${stencil[@]}"
    wrong_configuration "wrong key, run" 'wrong.conf:1: there is no key "itertions"'
fi
launch "$tool" run ./none
same "no such program: one message" "127 1" "$code $(grep -c './none: cannot be started: not found' err)"
