# SPDX-License-Identifier: BSD-3-Clause
# A job that still runs, and has written out the beginning of its order.

# What was saved after segments were written out: of a job that lasts long enough for that.
for calls in 1500000 6000000 24000000; do
    rm -rf shuffled shuffled.then
    begin shuffled "logs/0.0.order logs/3.0.order" -m graph -- "$programs/many" shuffled $calls
    rm -f shuffled/pieces/*
    while kill -0 "$job" 2>/dev/null && ! ls shuffled/pieces/{0,1,2,3}.0.efg >found 2>&1; do
        sleep 0.1
    done
    snapshot shuffled 2>err
    finished
    [ -e shuffled.then/pieces/3.0.efg ] && break
done
"$tool" trace shuffled.then >said 2>err
same "segments that were written out" "0 shuffled.then/run.efg" "$? $(cat said)"
is_beginning "segments that were written out" shuffled.then shuffled 0
is_beginning "segments that were written out" shuffled.then shuffled 3
rm shuffled.then/logs/0.0.order
"$tool" trace shuffled.then >said 2>err
"$tool" expand -r 0 shuffled.then >lines 2>said
same "segments that are lost: no calls, and no error" "0 0" "$? $(wc -l <lines)"
is_beginning "segments that are lost of another rank" shuffled.then shuffled 3
mkfifo shuffled.then/logs/0.0.order
timeout 20 "$tool" trace shuffled.then >said 2>err
same "a pipe in place of segments: as if they were lost" "0 shuffled.then/run.efg" "$? $(cat said)"
