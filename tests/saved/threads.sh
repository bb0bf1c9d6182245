# SPDX-License-Identifier: BSD-3-Clause
# A job with threads that still runs.

begin threads "$(echo pieces/{0,1,2,3}.{1,2,3,4}.efg)" -m graph -- "$programs/threads" 3000
snapshot threads
finished
same "threads: the job ends well" "ok threads: 3000 steps on each of 4 threads" "$(cat out)"
"$tool" trace threads.then >said 2>err
same "threads: of a snapshot" "0 threads.then/run.efg" "$? $(cat said)"
sums "threads" threads.then
for thread in 1 2 3 4; do
    is_beginning threads threads.then threads 2 $thread
done
