# SPDX-License-Identifier: BSD-3-Clause
# Threads with small stacks: they need hardly more than without efgtrace, also where MPI begins and ends in one.

# most COMMAND...: bytes of the stack that were used, on the rank with most of them
most() {
    ranks 2 "$@" 2>/dev/null | sort -n | tail -n 1
}

both small_all "" $bin/small all 65536
same "small_all: no call is lost" 400 "$("$tool" expand small_all | grep -c MPI_Allreduce)"
both small_thread "" $bin/small thread 16384
same "small_thread: no call is lost" 800 "$("$tool" expand small_thread | grep -c MPI_Sendrecv)"
for kind in all thread; do
    bare=$(most $bin/small $kind 65536 say)
    used=$(most "$tool" run --summary off -o small_$kind.used $bin/small $kind 65536 say)
    verdict "small_$kind: $used bytes of the stack, $bare without" \
        "$([ "${used:-65536}" -le $((bare + 8192)) ] || echo "more than 8 kB more")"
done

# The stack of the process.
got=$(ranks 2 sh -c "ulimit -s 128; exec '$tool' run --summary off -o small_process '$bin/small' thread 32768" 2>&1
    echo "exit $?")
same "small_process: as without" "done
done
exit 0" "$got"
