# SPDX-License-Identifier: BSD-3-Clause
# All ranks are killed in the middle of the run: what was kept until then is in the trace of all of them, the first
# iterations, some that are spread over the run, and the one that took a second, although the ring is not full yet.

# find_slow DIR: of a copy of it, as the job may go on, the $number of the iteration; else there is none. Numbers
# begin at any call, and other iterations are slow, too, where the machine has no processor for them.
find_slow() {
    rm -rf then && cp -r "$1" then && "$tool" trace then >said 2>err
    number=$(/usr/bin/python3 "$root/tests/slow.py" then/traces.otf2 0.9 2>lacks |
        tr ' ' '\n' | awk '$1 >= 1499 && $1 <= 1501 { print; exit }')
}

# lacking: what some rank has not, of that one and those around it
lacking() {
    grep -E "lacks iteration ($((number - 1))|$number|$((number + 1)))$" lacks
}

compile slow || exit 2
begin kept "$pieces" --select first,spread,slow -n 3 --ring 64M -- "$programs/slow" 100000000 20 1500 2 50000
for ((i = 0; i < 300; i++)); do
    find_slow kept
    [ -z "$number" ] || [ -d early ] || cp -r then early
    [ -n "$number" ] && ! lacking >/dev/null && break # all ranks have saved it
    sleep 0.2
done
find_ranks
kill -KILL "${children[@]}" "$job"
finished
find_slow kept
verdict "killed with slow iterations: it is there" "$([ -n "$number" ] || cat err lacks)"
verdict "... on all ranks, with those around it" "$(lacking)"
"$tool" report then >said 2>err
same "... report" 0 $?
has "... the first ones, too" "Traced       3 iterations" said
has "... and some that are spread" ", spread over the run" said
verdict "... what is single has one number" "$(grep -E '\b([0-9]+) to \1\b' said)"
verdict "... and what made it slow" "$(
    "$tool" compare --iterations "$number,$((number - 1))" then | xargs -d '\n' >said
    grep -q "rank 2, [0-9.]* m*s more of computation before MPI_Allreduce" said || cut -c 1-300 said)"
rm -rf mixed && cp -r kept mixed && cp early/logs/*3.0.log mixed/logs # rank 3 has not come as far
find_slow mixed
verdict "... what one rank lacks is in no other" "$(grep -v "says of iterations" lacks || grep lacks err)"
