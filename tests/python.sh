#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs in Python: functions and lines are those that Python says itself; iterations are those of the source; a
# version that is not known, or is not what it says, is told and traced as before; the program ends as without.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/python.sh
# environment: that of frame.sh
#              PYTHONS  more interpreters, of 3.9 to 3.13, to be tried with ctypes: files
. "$(dirname "$0")/frame.sh"

sources=$root/tests/python
cd "$work" || exit 2
echo '#include <mpi.h>
int main(void) { return MPI_Finalize(); }' >linked.c
$MPICC linked.c -o linked || exit 2
library=$(ldd linked | sed -n 's/^\s*\(libmpi\(ch\)\?\.so[^ ]*\).*/\1/p')

# calls NAME BINDING PYTHON: all that calls.py does is where Python says it is
calls() {
    traced_by 1 "$1" -m full -- "$3" "$sources/calls.py" "$2" log
    verdict "$1: the program ends" "$(grep -q '^done 1360$' traced.out || cat traced.out traced.err)"
    "$tool" graph -f json "$1" | "$python" "$root/tests/python.py" calls.py log >right 2>differs
    same "$1: lines that are right" "1360 of 1360" "$(cat right)"
}

# loop NAME: the main loop of the run
loop() {
    sed -n 's/^Main loop *\(in [^,]*, [0-9]* iterations\).*/\1/p' "$1/summary.txt"
}

# steps NAME PYTHON: what is done now and then is no iteration
steps() {
    traced_by 1 "$1.steps" -- "$2" "$sources/now_and_then.py" "$library" 2000
    contains "$1: iterations" "$(loop "$1.steps")" ", 2000 iterations"
}

# parts NAME PYTHON KIND..: steps that do nothing but go through a few parts are found by the first of these, but for
# those of some kinds, of which nothing tells; the program ends as without
parts() {
    name=$1
    interpreter=$2
    shift 2
    for kind; do
        traced_by 1 "$name.$kind" -- "$interpreter" "$sources/rounds.py" "$library" 1000 "$kind"
        same "$name, $kind: it ends" done "$(cat traced.out)"
        case $kind in generator | within | once) continue ;; esac
        contains "$name, $kind: iterations" "$(loop "$name.$kind")" ", 1000 iterations"
    done
}

if [ -x "$(command -v "$python")" ] && [ -n "$library" ]; then
    calls ctypes "$library" "$python"
    steps ctypes "$python"
    parts ctypes "$python" tuple range $(in_full && echo list enumerate zip generator within once)
    for one in ${PYTHONS:-}; do
        calls "$("$one" -V | tr ' ' -)" "$library" "$one"
        steps "$("$one" -V | tr ' ' -)" "$one"
        parts "$("$one" -V | tr ' ' -)" "$one" tuple list range enumerate zip generator within once
    done
fi
if ! has_mpi4py; then
    skip "programs of mpi4py" "there is none for this MPI"
    finish
fi
calls mpi4py mpi4py "$python"
print_trace mpi4py/traces.otf2 >printed
has "the trace has functions by their names" 'Solver.two' printed
has "and files" "$sources/calls.py" printed
accepted mpi4py mpi4py/traces.otf2 --full --iterations 0

"$python" -c 'import numpy' 2>/dev/null && {
    traced_by 2 halo -n 5 -- "$python" "$sources/halo.py" 2000
    ranks 2 "$python" "$sources/halo.py" 2000 >bare
    same "halo: it prints the same" "$(cat bare)" "$(cat traced.out)"
    contains "halo: iterations" "$(loop halo)" ", 2000 iterations"
    has "it is called after its script" "halo.py, 2 ranks" halo/summary.txt
    same "two lines are two nodes" "2000 halo.py:17 2000 halo.py:18" \
        "$("$tool" graph -f json -r 0 halo | "$python" -c '
import json, sys
for node in sorted(json.load(sys.stdin)["nodes"], key=lambda node: node["path"][0]["line"]):
    if node["call"] == "MPI_Sendrecv":
        print(node["count"], "halo.py:%d" % node["path"][0]["line"])' | xargs)"
    "$tool" report -o halo.html halo
    has "the page has them" "halo.py:17" halo.html
}
traced_by 2 solver -n 5 -- "$python" -u -X utf8 "$sources/solver.py" 2000
contains "solver: iterations" "$(loop solver)" "in <module>, 2000 iterations"
traced_by 2 residual -n 5 -- "$python" "$sources/residual.py" 3000
contains "what is done now and then is no iteration" "$(loop residual)" ", 3000 iterations"
has "its script is behind options" "solver.py, 2 ranks" solver/summary.txt
if in_full; then
    traced_by 1 module -m graph -- "$python" -m mpi4py "$sources/solver.py" 20
    has "or behind mpi4py" "solver.py, 1 rank" module/summary.txt
    traced_by 1 text -m graph -- "$python" -c 'from mpi4py import MPI'
    has "no script" "$(basename "$(readlink -f "$(command -v "$python")")" | sed 's/\..*//')" text/summary.txt
fi

# --- what is not known ---

traced_by 1 off --python off -m graph -- "$python" "$sources/solver.py" 20
"$tool" graph -f json off >off.json
hasnt "switched off: no lines" solver.py:14 off.json

# disguised VERSION FILE: a copy of the interpreter that says it is of that version
disguised() {
    "$python" - "$1" "$2" <<'END'
import os, platform, sys
version = platform.python_version().encode()
with open(os.path.realpath(sys.executable), 'rb') as file:
    program = file.read()
if version + b'\0' not in program:
    sys.exit('its version is in a library')
with open(sys.argv[2], 'wb') as file:
    file.write(program.replace(version + b'\0', sys.argv[1].encode().ljust(len(version), b'1') + b'\0'))
os.chmod(sys.argv[2], 0o755)
END
}

own=$("$python" -c 'import sys; print("%d.%d." % sys.version_info[:2])')
for version in 3.8. $(in_full && echo 3.9. 3.10. 3.11. 3.12. 3.13. 3.14. 4.0. text); do
    [ $version = "$own" ] && continue
    disguised $version "python $version" 2>why || { skip "as $version" "$(cat why)"; continue; }
    ranks 2 "$tool" run -o "as $version" -m graph "./python $version" "$sources/solver.py" 20 >out 2>err
    same "as $version: the program ends" "0 value 1.0" "$? $(cat out)"
    same "that is said, once" 1 "$(grep -c "functions of Python $version.* are not known" err)"
    same "calls are counted" 440 "$("$tool" graph -f json -r 0 "as $version" | "$python" -c '
import json, sys
print(2 * sum(node["count"] for node in json.load(sys.stdin)["nodes"] if node["call"] == "MPI_Allreduce"))')"
done
finish
