# SPDX-License-Identifier: BSD-3-Clause
# Each command that the README shows for a trace works, in its order, in a folder that has the program and nothing else:
# what runs it makes the folders that the others are about. `args` are steps here, iterations those that were recorded.

compile stencil2d || exit 2
cp "$programs/stencil2d" app
sed -n '/^## Use/,/^## How/p' "$root/README.md" |
    grep -E "^    (mpirun -np 4 efgtrace|efgtrace (report|graph|export|expand|profile|compare|index|symbols)|python3 -c) " |
    sed 's/  *#.*//; s/ args$/ 300 400/' >commands
verdict "README shows the commands" "$([ $(wc -l <commands) -ge 16 ] || cat commands)"
verdict "README runs a program first" "$(head -n 1 commands | grep -v '^ *mpirun -np 4 efgtrace run ')"
while read -r command; do
    case $command in
    mpirun*) # the next one, which is for srun, has the folder that others are about
        for name in "" trace other third runs/one runs/two; do
            mkdir -p "$(dirname "${name:-.}")"
            ranks 4 "$tool" run ${name:+-o $name} -n 3 ${command#*efgtrace run} >out 2>err ||
                verdict "README: $command" "$(tail -n 3 err)"
        done
        numbers=$("$tool" expand --iteration 999999 trace 2>&1 | grep -oE '[0-9]+' | tail -n 2 | paste -sd ,)
        verdict "README: $command" "$(ls -d efgtrace.app.*/run.efg >/dev/null 2>&1 || ls)"
        continue ;;
    python3*) command="PYTHONPATH=$root/libefgtrace/user $python${command#python3}" ;;
    esac
    command=${command/527,526/$numbers}
    verdict "README: $command" "$(PATH=$build:$PATH bash -c "set -o pipefail; $command" 2>&1 >said </dev/null ||
        echo "exit code $?")"
done <commands

# Of a job that goes on: what it does, whether it hangs, and what a trace would have now; it ends when it is told.
cat >goes_on.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int is_over = 0;
    MPI_Init(&argc, &argv);
    while (!is_over) {
        usleep(2000);
        is_over = access("over", F_OK) == 0;
        MPI_Allreduce(MPI_IN_PLACE, &is_over, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
END
mkdir going
$MPICC goes_on.c -o going/app || exit 2
cd going || exit 2
ranks 2 "$tool" run --live on --save 200ms -o trace ./app >out 2>err &
job=$!
for _ in $(seq 100); do
    "$tool" top -t 0.1 trace >said 2>&1 && [ -e trace/run.efg ] && break
    sleep 0.1
done
sed -n '/^## Use/,/^## How/p' "$root/README.md" | grep -E "^    efgtrace (top|stuck|trace) " | sed 's/  *#.*//' >commands
same "README shows three commands for a job that goes on" 3 "$(wc -l <commands)"
while read -r command; do
    verdict "README: $command" "$(PATH=$build:$PATH bash -c "$command" >said 2>&1 </dev/null || echo "exit code $?: $(cat said)")"
done <commands
: >over
wait $job || verdict "the job that went on" "exit code $?: $(cat err)"
cd .. || exit 2
gives "README: efgtrace check" 0 "iterations" "$tool" check
for target in $(sed -n 's/^ *make \([a-z-]*\)   .*/\1/p' "$root/README.md"); do
    verdict "README: make $target" "$(make -s -n -C "$root" "$target" 2>&1 >/dev/null | head -n 2)"
done

# The lines of its sample are those that a summary has now: their heads, in their order.
sed -n '/^efgtrace 0/,/^```$/p' "$root/README.md" | grep -oE '^[A-Z][a-z]+( loop)? ' | sed 's/ *$//' >heads
grep -oE '^[A-Z][a-z]+( loop)? ' trace/summary.txt | sed 's/ *$//' >now
verdict "the sample has the lines that summaries have" "$(grep -vxF -f now heads | grep -v '^Processor$' | paste -sd ' ')"
verdict "in their order" "$(grep -xF -f heads now >a; grep -xF -f now heads | diff - a | paste -sd ' ')"
