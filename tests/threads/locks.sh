# SPDX-License-Identifier: BSD-3-Clause
# No lock and no atomic instruction is on the way of a call.

# In between are samples and saves, which are switched off.
ranks 1 env LD_PRELOAD="$bin/locks.so $library" EFGTRACE_OUTPUT=locks EFGTRACE_SUMMARY=off \
    EFGTRACE_INTERVAL=1h EFGTRACE_SAVE=1h $bin/threads locks 5000 >out 2>&1
# A table that grows may allocate once; a lock for each call would be 80000 of them.
verdict "locks: none for a call that is known" "$(grep -q '^[0-9] locks in round 1$' out || cat out)"
verdict "locks: they are counted" "$(grep -q '^[1-9][0-9]* locks in round 0$' out || cat out)"
same "locks: no call is lost" 40000 "$("$tool" expand locks | grep -c MPI_Sendrecv)"
if in_full; then
    for file in "$build"/obj/{,"$kind"/}libefgtrace/{base,{core,runtime}/*}/*.o; do
        objdump -d --no-show-raw-insn -j .text.hot "$file" 2>/dev/null
    done | awk '/>:$/ {name = $2} /\tlock |xchg .*\(/ {print name} END {if (NR < 1000) print "no code"}' |
        sort -u >locked
    same "locks: no atomic instruction" "" "$(cat locked)"
fi
