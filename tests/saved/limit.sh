# SPDX-License-Identifier: BSD-3-Clause
# A limit of the size of files, on some ranks.

# A save that took long puts the next one off (1% of the time), at times beyond the end of the job: once more then.
for i in 1 2 3; do
    rm -rf limited
    begin limited "$pieces" -m graph -- "${stencil[@]}"
    find_ranks
    for child in "${children[@]:1}"; do # rank 0 writes the run file
        prlimit --fsize=1000 --pid "$child"
    done
    finished
    [ "$(grep -c 'cannot be saved, .*: File too large' err)" -ge 3 ] && break
done
same "a limit of files: the job ends well" "ok stencil2d: 4000 steps" "$(cat out)"
same "a limit of files: it is said once a rank" 3 "$(grep -c 'cannot be saved, .*: File too large' err)"
verdict "a limit of files: the run file" "$("$tool" expand limited 2>&1 | diff - <("$tool" expand "$work/whole") | head -n 2)"
