#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# efgtrace profile: programs whose source is known come out as that source has them; the sums of a
# profile are those of the run; LAMMPS has its time steps.
# Of two levels: in_full is what only `make check-all` has.
#
# environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2

# program DIR [OPTION...]: the terse program of it, on one line
program() {
    local dir=$1
    shift
    "$tool" profile --terse "$@" "$dir" 2>&1 | awk 'NR > 2 && NF == 0 { exit } NR > 2' | tr -s ' \n' ' ' |
        sed 's/ $//'
}

# code DIR: the pseudo-code of it, without times and computation, each call on a line; on one line
code() {
    "$tool" profile --all "$1" | tail -n +3 | cut -c 18- | sed 's/^ *//; s/^main: //; s/  [*] main loop$//; s/, /;/g' |
        grep -v '^compute' | tr '\n' ';' | sed 's/;$//'
}

compile stencil2d nested_solver driver master_worker alternating threads || exit 2

graphed stencil 4 "$programs/stencil2d" 50 10
same "stencil2d" "Cart_create1 + Bcast1 + ( Irecv1 + Irecv2 + Irecv3 + Irecv4 + Isend1 + Isend2 + \
Isend3 + Isend4 + Waitall1 + Allreduce1 )[50] + Comm_free1" "$(program stencil)"
graphed nested 2 "$programs/nested_solver" 100 10
same "nested_solver" "( Bcast1 + ( Sendrecv1 + Allreduce1 )[1-7, mean N] + Barrier1 )[100]" \
    "$(program nested | sed 's/mean [0-9.]*/mean N/')"
contains "names instead of numbers" "$(program nested --names)" \
    "Barrier(nested_solver.c:$(grep -n MPI_Barrier "$root/tests/programs/nested_solver.c" | cut -d: -f1) main)"
graphed alternating 2 "$programs/alternating" 60 10
contains "alternating: P or Q, then C" "$(program alternating)" \
    "( 29 x { Sendrecv2 + Sendrecv1 } | 29 x { Sendrecv2 + Sendrecv3 } | "
contains "alternating: 60 iterations" "$(program alternating)" ")[60]"
graphed master 4 "$programs/master_worker" 100 10
same "master_worker: the master" 1 "$(program master -r 0 | grep -cE '^\( Recv1 \+ Send1 \)\[[0-9]+\]$')"
same "master_worker: the workers are one group" "Profile of ranks 1-3, thread 0" \
    "$("$tool" profile --terse master | head -n 1 | cut -d: -f1)"
graphed threads 2 "$programs/threads" 20 10
same "threads: one for each" "$("$tool" graph -f json -r 0 threads >/dev/null && "$tool" expand -r 0 threads |
    awk '{ print $2 ~ /^[0-9]+\.[0-9]+$/ ? $2 : "0" }' | sort -u | wc -l)" \
    "$("$tool" profile -r 0 threads | grep -c '^Ranks\? ')"

# The inner loop is left too soon to be one of the loop tree.
cat >twice.c <<'END'
#include <mpi.h>
static volatile int twice = 2; /* no constant: its first round has no call paths of its own */
int main(int c, char **v)
{
    int n = 0;
    MPI_Init(&c, &v);
    for (int i = 0; i < 30; i++) {
        MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int k = 0; k < twice; k++) {
            MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    return MPI_Finalize();
}
END
$MPICC -O0 -g -o twice.bin twice.c && graphed twice 2 ./twice.bin
same "two iterations are a loop" "( Allreduce1 + ( Bcast1 + Barrier1 )[2] )[30]" "$(program twice)"
"$tool" profile -f text twice >twice/text && verdict "a loop takes what is in it" "$("$python" - <<'END' 2>&1
import re
*_, last = (line for line in open("twice/text") if ")[2]" in line)
body = open("twice/text").read().split(")[2]")[0].rsplit("(", 1)[1]
parts, whole = map(float, re.findall(r": ([0-9.]+)", body)), float(re.search(r"\)\[2\] : ([0-9.]+)", last)[1])
assert abs(2 * sum(parts) - whole) < 0.05, whole
END
)"

# The first round of each inner loop has call paths of its own; in the source it is one of the others.
cat >short.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int c, char **v)
{
    int n = 0;
    MPI_Init(&c, &v);
    for (int i = 0; i < 60; i++) {
        MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int k = 0; k < 2; k++) {
            MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
            usleep(100);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        for (int k = 0; k < 6; k++) {
            MPI_Scan(&n, &c, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            usleep(100);
            MPI_Exscan(&n, &c, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        for (int k = 0; k < 4; k++)
            MPI_Reduce(&n, &c, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
END
$MPICC -O0 -g -o short.bin short.c && graphed short 2 ./short.bin
contains "rows of loops say that the first round is not in them" "$("$tool" report --all short)" \
    " main, from round 2 on: "
contains "it has such call paths" "$("$tool" graph -f json short)" '"first_round_of"'
same "rounds of short loops are one again" \
    "( Allreduce1 + ( Bcast1 + Barrier1 )[2] + ( Scan1 + Exscan1 )[6] + Reduce1[4] )[60]" "$(program short)"
same "and so they are in pseudo-code" \
    "for 60 times in main {;Allreduce;for 2 times {;Bcast;Barrier;};for 6 times in main {;Scan;Exscan;};Reduce x 4;}" \
    "$(code short)"

# --- all formats ---

for dir in stencil nested master twice short; do
    same "$dir: at most 100 columns" "" "$("$tool" profile -f text --all $dir | awk 'length > 100')"
    "$tool" profile -f json $dir >$dir.json 2>log || cat log
    "$tool" expand $dir | wc -l >calls
    verdict "$dir: sums are those of the run" "$("$python" - $dir.json "$(cat calls)" <<'END' 2>&1
import json, sys
document = json.load(open(sys.argv[1]))
assert document["format"] == "efgtrace-profile" and document["complete"]
total = 0
for profile in document["profiles"]:
    ranks, calls, time, iterations = profile["rank_count"], 0, 0, {}
    for forms in [profile["forms"]] + [loop["forms"] for loop in profile["loops"]]:
        for form in forms:
            for item in form["items"]:
                times = form["count"] * item["repetitions"]["mean"]
                assert item["repetitions"]["min"] <= item["repetitions"]["mean"] <= item["repetitions"]["max"]
                if "loop" in item:
                    iterations[item["loop"]] = iterations.get(item["loop"], 0) + times
                else:
                    calls += times
                    time += times * profile["sites"][item["site"]]["time"] + form["count"] * item["before"]
    assert sum(form["count"] for form in profile["forms"]) == ranks
    assert all(abs(loop["iterations"] - iterations.get(i, 0)) < 1e-6 for i, loop in enumerate(profile["loops"]))
    assert abs(calls - ranks * profile["calls"]) < 1e-6 * calls, (calls, profile["calls"])
    assert abs(time - ranks * profile["time"]) < 1e-6 * time, (time, profile["time"])
    assert sum(site["count"] for site in profile["sites"]) == profile["calls"]
    total += round(calls)
assert total == int(sys.argv[2]), (total, sys.argv[2])
END
)"
done

# --- code ---


# It goes round a loop twice, once, or not at all: too seldom for it to be one of the loop tree.
cat >now_and_then.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int c, char **v)
{
    int n = 0;
    MPI_Init(&c, &v);
    for (int i = 0; i < 60; i++) {
        MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        for (int k = 0; k < i % 3; k++) {
            MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_SELF);
            usleep(100);
            MPI_Barrier(MPI_COMM_SELF);
        }
        MPI_Scan(&n, &c, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    }
    return MPI_Finalize();
}
END
$MPICC -O0 -g -o now_and_then.bin now_and_then.c && graphed now_and_then 1 ./now_and_then.bin
same "rounds that only some iterations make" \
    "for 60 times in main {;Allreduce;for 0 to 2 (mean 1) times {;Bcast;Barrier;};Scan;}" "$(code now_and_then)"

# In every fourth iteration it sleeps, then makes two calls, of which the second one takes next to no time.
cat >seldom.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int c, char **v)
{
    int n = 0;
    MPI_Init(&c, &v);
    for (int i = 0; i < 40; i++) {
        MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        if (i % 4 == 3) {
            usleep(50000);
            MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_SELF);
            MPI_Barrier(MPI_COMM_SELF);
        }
    }
    return MPI_Finalize();
}
END
$MPICC -O0 -g -o seldom.bin seldom.c && graphed seldom 1 ./seldom.bin

# adds_up: the loop in the example that it reads takes as long as what is in it
adds_up() {
    "$python" -c '
import re, sys
inside, times, total = re.search(r"Bcast1 : [^(]*\(\n(.*?)\n *\)\[(\d+)\] : ([0-9.]+)", sys.stdin.read(), re.S).groups()
parts = sum(int(n or 1) * float(us) for n, us in re.findall(r"\w+(?:\[(\d+)\])? : ([0-9.]+)", inside))
assert abs(parts * int(times) - float(total)) < 1, (parts, times, total)' 2>&1 | tail -n 1
}
verdict "the example of --help adds up" "$("$tool" profile --help | adds_up)"
verdict "that of the manual adds up" "$(adds_up <"$root/man/efgtrace.1")"

# words DIR [OPTION...]: the pseudo-code of it: calls, in the order of the program, and loops around them
words() {
    local dir=$1
    shift
    "$tool" profile --all "$@" "$dir" | "$python" -c '
import re, sys
words = []
for line in sys.stdin:
    text = line[19:].split("  * ")[0].strip()
    if not line.strip() or line.startswith("Rank") or text == "compute":
        continue
    loop = re.match(r"(for .*? times|if .* of .*?)( in .*)? {$", text)
    for word in [loop[1] + " {"] if loop else re.split(", ", re.sub(r"^[^ ]*: ", "", text)):
        word = re.sub(r" x [0-9.]+$|mean [0-9.]+", "", word)
        if words[-1:] != [word] or "}" in word:
            words.append(word)
print(*words)'
}
same "stencil2d as code" "Cart_create Bcast for 50 times { Irecv Isend Waitall Allreduce } Comm_free" "$(words stencil)"
same "nested_solver as code" "for 100 times { Bcast for 1 to 7 () times { Sendrecv Allreduce } Barrier }" "$(words nested)"
contains "alternating as code: branches" "$(words alternating | grep -o "if 30 of 60 { Sendrecv }" | wc -l)" 2
same "what is small at the end of a branch is in it" "Bcast Barrier" \
    "$("$tool" profile seldom | sed -n '/ if 10 of 40 {/,/}/s/.* main: //p' | paste -sd ' ')"
for dir in nested master seldom $(in_full && echo stencil alternating threads twice); do
    for option in --all -r0; do
        "$tool" profile $option $dir >code
        verdict "$dir $option: lines add up" "$("$python" - code <<'END' 2>&1
import re, sys
unit = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 6e10}
open_lines, checked = [], 0
def close():
    text, time, inner, texts = open_lines.pop()
    assert abs(time - sum(inner)) <= 0.006 * (time + sum(inner)) + 2, (text, time, inner)
    assert "main loop" in text or len(texts) != 1 or not texts[0].startswith("rest: "), (text, texts)
for line in open(sys.argv[1]):
    if re.match(r"Ranks? ", line):
        assert not open_lines[1:]
        if open_lines:
            close()
        time = re.search(r" in ([0-9.]+) (\w+)", line)
        open_lines.append((line, float(time[1]) * unit[time[2]], [], []))
        checked += 1
    elif line.strip() == "}":
        close()
    elif line.strip():
        time = re.match(r" *([0-9.]+) (\w+) +[0-9.]+%  ", line)
        ns = float(time[1]) * unit[time[2]]
        open_lines[-1][2].append(ns)
        open_lines[-1][3].append(line[19:].strip())
        if line.split("  * ")[0].rstrip().endswith("{"):
            open_lines.append((line, ns, [], []))
close()
assert checked and not open_lines
END
)"
    done
done
"$tool" profile -f latex nested >tex
same "LaTeX: dollars and braces come in pairs" "0 0" "$("$python" -c '
text = open("tex").read().replace("\\{", "").replace("\\}", "")
print(text.count("$") % 2, text.count("{") - text.count("}"))')"
has "LaTeX: call sites" '\mathrm{Allreduce}_{1}' tex
"$tool" profile -o file stencil && same "--output" "$("$tool" profile stencil)" "$(cat file)"

# --- what is wrong ---

# fails NAME WORDS ARGUMENT...
fails() {
    local name=$1 words=$2
    shift 2
    "$tool" profile "$@" >out 2>err && code=0 || code=$?
    verdict "$name" "$([ "$code" -gt 0 ] && [ ! -s out ] && grep -qF -- "$words" err || cat out err)"
}
fails "a rank that is not there" 'there is no rank "9": ranks are 0 to 3' -r 9 stencil
fails "a format that is not there" "--format wants code, text, latex or json" -f xml stencil
fails "no folder" "DIR is missing"
fails "an output that cannot be written" "cannot write /nowhere/x" -o /nowhere/x stencil
graphed without 2 --sequence off "$programs/stencil2d" 5 10
fails "no order was kept" "the key \`sequence\` was off" without

# --- LAMMPS ---

if ! in_full; then
    :
elif has_lammps; then
    LAMMPS_STEPS=200 "$root/bench/apps.sh" run lammps "$work/case" \
        "$tool" run --mode graph --summary off -o "$work/lammps" >log 2>&1 || cat log
    "$tool" profile -f json lammps >lammps.json
    same "LAMMPS: 200 time steps of 4 ranks" 800 "$("$python" -c '
import json
profile, = json.load(open("lammps.json"))["profiles"]
loops = profile["loops"]
# Each time step exchanges forces once, in a loop of its own.
print(sum(form["count"] for loop in loops if loop["function"] == "Verlet::run"
          for form in loop["forms"] for item in form["items"]
          if "loop" in item and loops[item["loop"]]["function"] == "CommBrick::reverse_comm"))')"
    contains "LAMMPS: as often as the summary says" "$(program lammps)" ")[200] + Barrier"
    contains "LAMMPS: atoms move between ranks in y and z" "$(program lammps)" \
        "( Sendrecv3 + Irecv6 + Send6 + Wait6 )[2]"
else
    skip "LAMMPS" "there is none for $mpi"
fi

finish
