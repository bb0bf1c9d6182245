# SPDX-License-Identifier: BSD-3-Clause
# All ranks are killed in the middle of the run: what was kept until then is in the trace of all of them, the first
# iterations, some that are spread over the run, and the one that took 0.4 s, although the ring is not full yet.

# slow_ones DIR: of a copy of it, as the job may go on
slow_ones() {
    rm -rf then && cp -r "$1" then && "$tool" trace then >said 2>err &&
        /usr/bin/python3 "$root/tests/slow.py" then/traces.otf2 0.3 2>lacks
}

compile slow || exit 2
begin kept "$pieces" --select first,spread,slow -n 3 --ring 64M -- "$programs/slow" 100000000 20 1500 2 20000
for ((i = 0; i < 300; i++)); do
    [ -d early ] || { slow_ones kept >said; [ -s said ] && cp -r then early; }
    [ "$(slow_ones kept)" ] && ! grep -q "lacks iteration" lacks && break # all ranks have saved it
    sleep 0.2
done
read -ra children <"/proc/$job/task/$job/children"
kill -KILL "${children[@]}" "$job"
finished
verdict "killed with slow iterations: one is there" "$([ "$(slow_ones kept)" ] || cat err)"
verdict "... on all ranks, with those around it" "$(grep -v "says of iterations" lacks)"
"$tool" report then >said 2>err
same "... report" 0 $?
has "... the first ones, too" "Traced       3 iterations" said
has "... and some that are spread" ", spread over the run" said
verdict "... what is single has one number" "$(grep -E '\b([0-9]+) to \1\b' said)"
rm -rf mixed && cp -r kept mixed && cp early/logs/*3.0.log mixed/logs # rank 3 has not come as far
slow_ones mixed >said
verdict "... what one rank lacks is in no other" "$(grep -v "says of iterations" lacks || grep lacks err)"
number=$(slow_ones kept | tr ' ' '\n' | awk '$1 > 1490 && $1 < 1510 {print; exit}') # numbers begin at any call
verdict "... and what made it slow" "$(
    "$tool" compare --iterations "$number,$((number - 1))" then | xargs -d '\n' >said
    grep -q "rank 2, [0-9.]* m*s more of computation before MPI_Allreduce" said || cut -c 1-300 said)"
