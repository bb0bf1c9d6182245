# SPDX-License-Identifier: BSD-3-Clause
# Each command that the README shows for a trace works on one.

compile stencil2d || exit 2
for name in trace other third; do
    ranks 4 "$tool" run -o $name -n 3 "$programs/stencil2d" 300 400 >out 2>err || verdict "$name" "$(tail -n 3 err)"
done
grep -E '^    efgtrace (report|graph|export|expand|profile|compare) ' "$root/README.md" | sed 's/ *#.*//' >commands
same "README shows the commands" 1 $(($(wc -l <commands) > 8))
numbers=$("$tool" expand --iteration 999999 trace 2>&1 | grep -oE '[0-9]+' | tail -n 2 | paste -sd ,)
while read -r command; do
    command=${command/527,526/$numbers}
    verdict "README: $command" "$(PATH=$build:$PATH bash -c "set -o pipefail; $command" 2>&1 >said </dev/null ||
        echo "exit code $?")"
done <commands
