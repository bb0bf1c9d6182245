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

# The lines of its sample are those that a summary has now: their heads, in their order.
sed -n '/^efgtrace 0/,/^```$/p' "$root/README.md" | grep -oE '^[A-Z][a-z]+( loop)? ' | sed 's/ *$//' >heads
grep -oE '^[A-Z][a-z]+( loop)? ' trace/summary.txt | sed 's/ *$//' >now
verdict "the sample has the lines that summaries have" "$(grep -vxF -f now heads | grep -v '^Processor$' | paste -sd ' ')"
verdict "in their order" "$(grep -xF -f heads now >a; grep -xF -f now heads | diff - a | paste -sd ' ')"
