#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The command line as a user meets it: what goes wrong, with which message and exit code,
# and that `efgtrace run` changes nothing but the environment of the application.
#
#   tests/tool.sh [CASE...]     the cases: tests/tool; environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
unset OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK SLURM_PROCID

# gives NAME CODE TEXT COMMAND...: COMMAND ends with CODE, and prints TEXT somewhere
gives() {
    local name=$1 code=$2 text=$3 output got
    shift 3
    output=$("$@" 2>&1 </dev/null)
    got=$?
    if [ "$got" != "$code" ]; then
        verdict "$name" "exit code $got instead of $code, and: $output"
    else
        contains "$name" "$output" "$text"
    fi
}

cases "$@"
finish
