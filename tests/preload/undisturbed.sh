# SPDX-License-Identifier: BSD-3-Clause
# Programs that have nothing to do with MPI.

# undisturbed NAME COMMAND...
undisturbed() {
    local name=$1 bare code with
    shift
    bare=$("$@" 2>&1; echo "exit $?")
    with=$(LD_PRELOAD=$library "$@" 2>&1; echo "exit $?")
    same "not disturbed: $name" "$bare" "$with"
}
undisturbed true /bin/true
undisturbed false /bin/false
undisturbed bash bash -c 'echo $((6 * 7)); ls /; exit 5'
undisturbed python /usr/bin/python3 -c 'import json, subprocess; print(json.dumps([1])); subprocess.run(["echo", "child"]); raise SystemExit(6)'
undisturbed perl perl -e 'print "hello\n"; exit 7'
undisturbed signal bash -c 'kill -TERM $$'
same "not disturbed: env" "$({ env; echo "LD_PRELOAD=$library"; } | sort)" \
    "$(LD_PRELOAD=$library env | sort)"
