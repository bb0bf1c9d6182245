#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Real files for fuzzing to begin with: what short runs of the test programs write, by target.
#
# usage: tests/seeds.sh FOLDER      environment: BUILD (default build), and that of frame.sh

seeds=$(mkdir -p "$1" && cd "$1" && pwd) || exit 2
. "$(dirname "$0")/frame.sh"
options="--summary off --interval 2ms"

for program in stencil2d comms rma mpiio threads persistent waitany polling master_worker nested_solver; do
    compile $program || exit 2
done
for target in run commands rebuild traces log otf2 pieces sequence conf; do mkdir -p "$seeds/$target"; done
cd "$work" || exit 2

# pack DIR: its run file and its trace as one file, as fuzz/archive.h has it
pack() {
    "$python" - "$1" <<'END' || exit 2
import os
import sys
names = ["run.efg", "traces.otf2", "traces.def", "traces/0.def", "traces/0.evt", "traces/1.def", "traces/1.evt"]
for which, name in enumerate(names):
    path = os.path.join(sys.argv[1], name)
    if os.path.exists(path):
        with open(path, "rb") as file:
            data = file.read()
        sys.stdout.buffer.write(bytes([which]) + len(data).to_bytes(3, "little") + data)
END
}

# seed NAME RANKS OPTION... [--] PROGRAM ARGUMENT...
seed() {
    local name=$1 number=$2
    shift 2
    ranks "$number" "$tool" run -o "$name" $options --keep-logs on "$@" >out 2>&1 ||
        { cat out >&2 && exit 2; }
    cp "$name/run.efg" "$seeds/run/$name"
    cp "$name/run.efg" "$seeds/commands/$name"
    cp "$name/run.efg" "$seeds/rebuild/$name"
    pack "$name" >"$seeds/traces/$name"
    for log in "$name"/logs/*.log; do
        [ "$(wc -c <"$log")" -le 4096 ] || cp "$log" "$seeds/log/$name.$(basename "$log")"
    done
}

seed stencil 2 "$programs/stencil2d" 200 40
seed master 3 "$programs/master_worker" 100 40
seed nested 2 "$programs/nested_solver" 20
for program in comms rma mpiio threads persistent waitany polling; do
    seed $program 2 --mode full "$programs/$program" 3
done
cp "$seeds/log/"*.0.0.log "$seeds/otf2"

# A job that is killed when both of its ranks have saved something.
$MPIRUN -np 2 "$tool" run -o killed $options --save 20ms -m graph "$programs/stencil2d" 100000 300 \
    >out 2>&1 </dev/null &
for ((i = 0; i < 300; i++)); do
    [ -f killed/pieces/0.0.efg ] && [ -f killed/pieces/1.0.efg ] && break
    sleep 0.1
done
cp killed/pieces/[01].0.efg "$seeds/pieces"
kill $! && wait $! 2>/dev/null

# Of the first thread of a run file that has an order of calls: its segments. A piece has others
# before it.
for run in stencil nested master; do
    PYTHONPATH=$root/tests "$python" - "$run/run.efg" "$seeds/sequence/$run" <<'END' || exit 2
import sys
import read_run
with open(sys.argv[1], 'rb') as run, open(sys.argv[2], 'wb') as out:
    r = next(read_run.Reader(payload) for kind, _, payload in read_run.sections(run.read()) if kind == 7)
    r.numbers(2)
    r.list(lambda: r.list(r.n))
    out.write(r.take(r.n()))
END
done
cat killed/pieces/0.0.efg "$seeds/sequence/stencil" >"$seeds/pieces/order"

cp "$root/config/efgtrace.conf" "$seeds/conf/commented"
sed 's/^# *\([a-z-]* *= \)/\1/' "$root/config/efgtrace.conf" >"$seeds/conf/set"
printf 'EFGTRACE_MODE=full\nEFGTRACE_LOG_LIMIT=64M\nEFGTRACE_SIGNATURE=path,size\n' >"$seeds/conf/variables"
