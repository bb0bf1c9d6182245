#!/bin/sh
# How much smaller the reduced trace is than the full one of the same program, and run.efg, which
# has the order of all calls.
#
# usage: bench/reduction.sh [APP...]      default: all of bench/apps.sh list
# environment: BUILD  where the build is (default build)
#
# Each application runs on 4 ranks three times: bare, adaptive (10 iterations), full. The table has
# the OTF2 events and bytes of both traces, their ratios, and the wall time of each run; then the
# bytes of run.efg of the full run, those of the sequences in it, and how many times the full trace is
# as large as run.efg. Times on a shared machine are a hint only.
set -eu
cd "$(dirname "$0")/.."

build=$(cd "${BUILD:-build}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/efgtrace-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
limit=${EFGTRACE_LOG_LIMIT:-8G} # a full trace is large

# timed NAME COMMAND...: wall seconds to $work/NAME.seconds
timed() {
    name=$1
    shift
    begin=$(date +%s.%N)
    "$@" >"$work/$name.out" 2>&1 || echo "bench: $name: exit code $?" >&2
    end=$(date +%s.%N)
    awk "BEGIN { printf \"%.1f\", $end - $begin }" >"$work/$name.seconds"
}

bytes() {
    [ -e "$1/traces.otf2" ] || { echo 0; return; }
    cat "$1"/traces.otf2 "$1"/traces.def "$1"/traces/* | wc -c
}

events() { # of all locations, as the definitions have them
    [ -e "$1/traces.otf2" ] || { echo 0; return; }
    otf2-print -G "$1/traces.otf2" | sed -n 's/.*LOCATION .*# Events: *\([0-9]*\).*/\1/p' |
        awk '{ sum += $1 } END { print sum + 0 }'
}

sequences() { # bytes of these sections, see efgtrace-run(5)
    python3 -c '
import struct, sys
data, at, sum = open(sys.argv[1], "rb").read(), 24, 0
while at < len(data):
    kind, _, size = struct.unpack_from("<IIQ", data, at)
    sum += size if kind == 7 else 0
    at += 20 + size
print(sum)' "$1/run.efg"
}

printf '%-10s %12s %12s %8s %12s %12s %8s %22s %9s %9s %6s\n' application 'full events' reduced ratio 'full bytes' reduced ratio \
    'seconds bare/red/full' run.efg sequences ratio
for app in ${*:-$(bench/apps.sh list)}; do
    rm -rf "$work/run" "$work/reduced" "$work/full"
    timed bare bench/apps.sh run "$app" "$work/run"
    rm -rf "$work/run"
    timed reduced bench/apps.sh run "$app" "$work/run" "$build/efgtrace" run -o "$work/reduced" --summary off
    rm -rf "$work/run"
    timed full bench/apps.sh run "$app" "$work/run" "$build/efgtrace" run -o "$work/full" --mode full \
        --log-limit "$limit" --summary off
    printf '%s %s %s %s %s %s %s %s %s %s\n' "$app" "$(events "$work/full")" "$(events "$work/reduced")" \
        "$(bytes "$work/full")" "$(bytes "$work/reduced")" \
        "$(cat "$work/bare.seconds")" "$(cat "$work/reduced.seconds")" "$(cat "$work/full.seconds")" \
        "$(stat -c %s "$work/full/run.efg")" "$(sequences "$work/full")" |
        awk '{ printf "%-10s %12d %12d %8s %12d %12d %8s %22s %9d %9d %6.0f\n", $1, $2, $3,
               $3 ? sprintf("%.0f", $2 / $3) : "-", $4, $5, $5 ? sprintf("%.0f", $4 / $5) : "-",
               $6 "/" $7 "/" $8, $9, $10, $4 / $9 }'
done
