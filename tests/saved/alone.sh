# SPDX-License-Identifier: BSD-3-Clause
# SIGTERM without a launcher.

"$tool" run -m graph --save 1h --summary off -o alone "$programs/term" sleep >out 2>err &
job=$!
for ((i = 0; i < 100; i++)); do
    grep -qs there out && break
    sleep 0.1
done
kill -TERM $job
{ wait $job; } 2>/dev/null
same "SIGTERM, without a launcher: it ends by it" 143 $?
job=
verdict "SIGTERM, without a launcher: a piece" "$([ -f alone/pieces/0.0.efg ] || ls alone alone/pieces)"
