#!/bin/sh
# That the laboratory of the rule for the main loop (bench/loops) measures what it says: recordings are what
# ran; noise is the same for the same seed; verdicts are those of the truth. What the rule makes of
# it is not tested here.

. "$(dirname "$0")/frame.sh"
make -s BUILD="$build" "$build/bench/replay" "$build/bench/record" >"$work/out" 2>&1 || { cat "$work/out"; exit 2; }
replay=$build/bench/replay

# record PROGRAM ARGUMENTS...: to $work/PROGRAM.recording
record() {
    program=$1
    compile "$program" || exit 2
    (cd "$work" && ranks 4 "$tool" run --mode full --keep-logs on --symbols off --summary off -o "$program.trace" \
        "$programs/$@" >"$program.out" 2>&1) || cat "$work/$program.out"
    "$build/bench/record" "$work/$program.trace/logs" "$work/$program.recording" >>"$work/$program.out" || cat "$work/$program.out"
}

# Calls, depths and flags of the nodes of a rank: of the recording, and of the graph.
recorded_nodes() {
    "$python" - "$work/$1.recording/r.$2" <<'END'
import struct, sys
from collections import defaultdict
depth, hashes = {}, {}
for line in open(sys.argv[1] + ".pt"):
    words = line.split()
    assert len(words) == 3 + int(words[2])
    depth[int(words[0])] = int(words[2])
nodes, last = defaultdict(lambda: [0, 0, True, False]), 0
for path, call, flags, zero, enter, leave in struct.iter_unpack("<IHBBQQ", open(sys.argv[1] + ".ev", "rb").read()):
    assert last <= enter <= leave and not zero
    node, last = nodes[call, path], leave
    if flags & 128:
        node[1] += 1
    else:
        node[0] += 1
        node[2] &= flags & 1
        node[3] |= flags & 2
for key in sorted((n, n > 0 and bool(world), n > 0 and bool(unordered), polls > 0, depth[path])
                  for (call, path), (n, polls, world, unordered) in nodes.items()):
    print(*key)
END
}
graph_nodes() {
    "$tool" graph -r "$2" -f json "$work/$1.trace" | "$python" -c '
import json, sys
for key in sorted((n["count"], n["count"] > 0 and n["world"], n["count"] > 0 and n["unordered"],
                   n["polls"] > 0, len(n["path"])) for n in json.load(sys.stdin)["nodes"]):
    print(*key)'
}

for case in "polling 100" "collectives 10" "comms 10" "driver 10" "waitany 50"; do
    # shellcheck disable=SC2086 # into words on purpose
    record $case
    program=${case% *}
    recorded_nodes "$program" 2 >"$work/recorded"
    graph_nodes "$program" 2 >"$work/graph"
    verdict "$program: the recording has the calls of the graph" "$(diff "$work/recorded" "$work/graph" | head -n 5)"
    [ "$program" = driver ] && has "there are collectives of the world" "True False False" "$work/recorded"
done

# answers ARGUMENTS...: of replay
answers() {
    "$replay" --seeds 3 "$@" 2>"$work/errors"
}

answers >"$work/once" --json "$work/once.json"
answers >"$work/again" --json "$work/again.json"
same "as many programs as there are" "$("$replay" --list | wc -l)" "$(grep -c '^s[0-9]' "$work/once")"
verdict "the same answers with the same seeds" "$(diff "$work/once" "$work/again" | head -n 5; cmp "$work/once.json" "$work/again.json")"
verdict "other times with other noise" "$(answers --sigma 0.5 s20_one_call --json "$work/other.json" >"$work/out"
    cmp -s "$work/other.json" "$work/once.json" && echo "the same")"
verdict "compared with itself, nothing differs" "$(bench/loops/loops.py compare "$work/once.json" "$work/again.json" | grep -E '^[a-z0-9_]+ +[AB] ' | head -n 3)"

# The verdict follows from the truth. A call that comes 40 times, 0.1 s apart, is a loop by any rule.
mkdir "$work/forty"
"$python" - "$work/forty/r.0" <<'END'
import struct, sys
with open(sys.argv[1] + ".ev", "wb") as file:
    for i in range(40):
        file.write(struct.pack("<IHBBQQ", 1, 1, 1, 0, i * 10**8, i * 10**8 + 10**6))
open(sys.argv[1] + ".pt", "w").write("1 abc 2 0:10 0:1\n")
END
for truth in "40:right" "20 40:coarser" "4:finer" "400:wrong" "0:nothing"; do
    echo "${truth%:*}" >"$work/forty/truth"
    wanted=${truth#*:}
    [ "$wanted" = nothing ] || wanted="3 of $wanted"
    answers --json "$work/forty.json" "$work/forty" >"$work/out"
    same "the answer 40 where ${truth%:*} is true" "$wanted" "$("$python" -c '
import json, sys
r = json.load(open(sys.argv[1]))["recordings"][0]
judged = {v: r[v] for v in ("right", "coarser", "finer", "wrong", "none") if r[v]}
print(*(f"{n} of {v}" for v, n in judged.items()) if judged else ["nothing"])' "$work/forty.json")"
done

# refused WHAT WORD
refused() {
    answers "$work/forty" >"$work/out"
    same "$1: exit code" 2 $?
    has "$1: says so" "$2" "$work/errors"
}
echo "40 forty" >"$work/forty/truth"
refused "a truth that is none" "not a truth"
rm "$work/forty/truth"
echo "2 abc 2 0:10 0:1" >"$work/forty/r.0.pt"
refused "a path that is not there" "cannot read"

finish
