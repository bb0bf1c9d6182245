#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Ten seconds of what `make soak` does for an hour: no call is lost, no file left open, and memory
# stays within its limit. No times.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

"$root/bench/soak.py" --short --seconds 8 --samples 8 --build "$build" --out "$work/soak.json" >"$work/out" 2>&1
code=$?
cat "$work/out"
has "samples are kept" '"own_kb"' "$work/soak.json"
passed=$((passed + $(grep -c '^ok ' "$work/out")))
failed=$((failed + $(grep -c '^FAIL ' "$work/out")))
[ $code -eq 0 ] || [ $failed -gt 0 ] || verdict "soak" "exit code $code"
finish
