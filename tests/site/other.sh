# SPDX-License-Identifier: BSD-3-Clause
# What is no MPI program: shells, pipelines, scripts, what does not exist.

make_spool spool
as_bare "a program" 0 ls /
as_bare "one that fails" 0 ls /missing
as_bare "a shell" 0 sh -c 'echo one; echo two >&2; exit 3'
as_bare "a pipeline" 0 bash -c 'set -o pipefail; seq 1000 | sort -n | tail -n 1; seq 9 | grep -q x'
as_bare "a script of Python" 0 "$python" -c 'import sys; print(sum(range(10))); sys.exit(4)'
as_bare "none at all" 0 bash -c ./missing
as_bare "a signal" 0 bash -c 'kill -TERM $$'
as_bare "a launcher of shells" 0 $MPIRUN -np 3 sh -c 'echo "$((1 + 1))"'
