# SPDX-License-Identifier: BSD-3-Clause
# Threads that come and go: what one has left is used again.

both one_by_one "-m full" $bin/threads one_by_one 1000
matched one_by_one
same "one_by_one: locations" 4 "$(locations one_by_one)"
same "one_by_one: no call is lost" "5000 MPI_Irecv 5000 MPI_Isend 5000 MPI_Waitall" "$(calls one_by_one 1 1)"
both few "-m full" $bin/threads one_by_one 10
memory() { # kB
    sed -n 's/^ *up to \(.*\) of memory a rank$/\1/p' "$1/summary.txt" |
        awk '{print int($1 * ($2 == "MB" ? 1000 : 1))}'
}
few=$(memory few) many=$(memory one_by_one)
verdict "one_by_one: memory of 1000 threads is that of 10: $few and $many kB" \
    "$([ "${few:-0}" -gt 0 ] && [ "${many:-9999}" -lt $((few + 200)) ] || echo "it is not")"
