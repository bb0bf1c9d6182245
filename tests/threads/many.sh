# SPDX-License-Identifier: BSD-3-Clause
# More than a thousand threads in MPI at once.

ulimit -Sn "$(ulimit -Hn)" # each has a log
both many "-m full --memory 1G" $bin/threads many 1100
verdict "many: otf2-print accepts the trace" "$(unreadable many/traces.otf2)"
same "many: locations" 2202 "$(locations many)"
same "many: a call of each" 2200 "$("$tool" expand many | grep -c MPI_Sendrecv)"
has "many: all messages" "2200 of 2200 matched" many/summary.txt
same "many: no log is left" "" "$(ls many/logs 2>/dev/null | head -n 2)"
