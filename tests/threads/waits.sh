# SPDX-License-Identifier: BSD-3-Clause
# The main thread does little, but slowly, so that it is recorded before anything is agreed on; then it waits for
# another one. That one's loop is the main loop.

both waits "-n 3" $bin/threads waits 1000
has "waits: the loop of the other thread" "Main loop    in work_slowly, 1000 iterations" waits/summary.txt
has "waits: its iterations are recorded" "Traced       3 iterations" waits/summary.txt
