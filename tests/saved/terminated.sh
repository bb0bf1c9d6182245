# SPDX-License-Identifier: BSD-3-Clause
# SIGTERM, as at the end of a batch job, with nothing saved before.

# terminated COMMAND...: the launcher gets SIGTERM when all ranks are there, but where they send it
# to themselves ($how); to ./out, $code
terminated() {
    local i
    rm -f out
    $MPIRUN -np 4 "$@" >out 2>err </dev/null &
    job=$!
    for ((i = 0; i < 300; i++)); do
        grep -qs there out && break
        sleep 0.1
    done
    sleep 0.2
    [ $how = malloc ] || kill -TERM "$job" 2>/dev/null
    { wait "$job"; } 2>/dev/null
    code=$?
    job=
}
for how in $(in_full && echo compute sleep receive call) malloc; do
    terminated "$programs/term" $how
    bare=$code
    terminated "$tool" run -m graph --save 1h --interval 20ms --summary off -o term.$how "$programs/term" $how
    same "SIGTERM, $how: exit code and output" "$bare there" "$code $(grep -x there out)"
    for ((i = 0; i < 30; i++)); do # it is not the ranks that write
        [ "$(cd term.$how && ls $pieces 2>/dev/null | wc -l)" = 4 ] && break
        sleep 0.1
    done
    "$tool" trace term.$how >said 2>err
    same "SIGTERM, $how: trace" "0 term.$how/run.efg" "$? $(cat said)"
    for rank in 0 3; do
        verdict "SIGTERM, $how: all calls of rank $rank" "$(
            got=$("$tool" expand -r $rank term.$how | grep -c -e MPI_Allreduce -e MPI_Sendrecv)
            [ $how = call ] && [ "$got" -ge 2000 ] || [ "$got" = 2000 ] || echo "$got instead of 2000")"
    done
    sums "SIGTERM, $how" term.$how
done
