#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# efgtrace top: what it shows of a running job is what the job does, and the job does not notice.
#
# environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2
$MPICC -O1 -g "$root/tests/top/uneven.c" -o uneven || exit 2

# In which step the job is, by what it says itself.
step() {
    sed 's/^0*//' step
}

ranks 4 "$tool" run -o run --live on --summary off ./uneven >out 2>err &
job=$!
for _ in $(seq 600); do
    "$tool" top -t 1 run >said 2>&1 && grep -q '^Iteration *[0-9]' said && break
    kill -0 $job 2>/dev/null || break
    sleep 0.1
done

before=$(step)
"$tool" top -t 1 run >said 2>err.top
same "exit code, nothing on standard error" "0 " "$? $(cat err.top)"
after=$(step)
contains "the program and its ranks" "$(head -n 1 said)" "uneven, 4 ranks on 1 host, "
number=$(sed -n 's/^Iteration *\([0-9]*\), .* each.*/\1/p' said)
# What a rank shows is as old as its last look at the clock, or as the first iteration that was counted.
verdict "the iteration is that of the program" "$(awk -v a="$before" -v b="$after" -v n="${number:-0}" \
    'BEGIN { if (n < a - 20 || n > b + 20) print n " is not from " a " to " b }')"
has "the slowest rank" "Slowest      rank 3: " said
# rank, iteration, time of one, its unit, share of MPI, ...
awk '$1 ~ /^[0-3]$/ && $2 ~ /^[0-9]+$/ {print $1, $5 + 0}' said >rows
same "a line for each rank" "0 1 2 3" "$(cut -d' ' -f1 rows | xargs)"
same "it waits least" 3 "$(sort -k2,2n rows | head -n 1 | cut -d' ' -f1)"
verdict "iterations take its time" "$(awk '$1 ~ /^[0-3]$/ && $4 == "ms" && $3 < 30 {print "only " $3 " ms"}' said)"

"$tool" top -t 1 -r 1 run >said 2>&1
has "fewer lines" "3 faster ones are not shown (--rows)" said
same "that of the slowest" 3 "$(awk '$1 ~ /^[0-3]$/ && $2 ~ /^[0-9]+$/ {print $1}' said | xargs)"
"$tool" top -t 1 -n 2 run >said 2>&1
same "twice" 2 "$(grep -c '^uneven, 4 ranks' said)"
if command -v strace >/dev/null; then
    strace -f -qq -e trace=openat,open,creat,kill,ptrace,process_vm_readv -o calls "$tool" top -t 1 run >said 2>&1
    verdict "nothing is written, and the job is not touched" \
        "$(grep -E 'O_WRONLY|O_RDWR|O_CREAT|creat\(|kill\(|ptrace\(|process_vm' calls | head -n 2)"
else
    skip "what it opens" "there is no strace"
fi

# --- the end ---

"$tool" top -t 1 -n 100 run >said 2>&1 &
watcher=$!
sleep 1.5
: >stop
wait $job
same "the job ends as without" "0 over" "$? $(cat out err)"
wait $watcher
same "it ends with the job" "0 The job has ended" "$? $(tail -n 1 said)"
"$tool" top -t 1 run >said 2>&1
same "of a job that has ended: exit code" 1 $?
has "of a job that has ended: it says so" "the job has ended" said

# --- wrong usage ---

"$tool" top -t 1 nowhere >said 2>&1
same "no folder: exit code" 1 $?
has "no folder: it says so" "efgtrace top: nowhere shows nothing: there is no such folder" said
"$tool" top -t 0 run >said 2>&1
same "no time between two looks" 2 $?
"$tool" top >said 2>&1
same "of nothing" 2 $?
finish
