#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Targets of fuzzing (tests/fuzz/fuzz_TARGET.c). By themselves, as `make check` does it, each is
# given the files of fuzz/corpus/TARGET: real ones, and all that ever was wrong with it. With
# --time, as `make fuzz` does it, each is fuzzed for so many SECONDS, one after the other, beginning
# with these and what short runs write (seeds.sh); what is found is left in $BUILD/found/TARGET, to
# be mended and then added to the corpus.
#
#   tests/fuzz.sh [--time SECONDS] [TARGET...]
#
# environment: that of frame.sh, whose efgtrace writes what to begin with
#              FUZZ_BUILD  where the targets are; default: the sanitized build of `make check`;
#                          with --time: build/fuzz, built by clang for libFuzzer

. "$(dirname "$0")/frame.sh"
seconds=0
[ "${1:-}" = --time ] && seconds=$2 && shift 2
[ "$seconds" -gt 0 ] && targets=$build/fuzz || targets=$build/sanitized
targets=$(cd "${FUZZ_BUILD:-$targets}/fuzz" 2>/dev/null && pwd) ||
    { skip "fuzzing" "its targets are not built" && finish; }
corpus=$root/tests/fuzz/corpus
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
[ $# -gt 0 ] || set -- $(ls "$targets")

# replay TARGET: the corpus, file by file; what it says last is about the last one that it names
replay() {
    timeout 300 "$targets/$1" "$corpus/$1" >"$work/said" 2>"$work/why"
    verdict "fuzz $1: $(find "$corpus/$1" -type f | wc -l) files" \
        "$([ $? -eq 0 ] || { tail -n 1 "$work/said"; grep -a -m 1 -e ERROR: -e 'runtime error:' "$work/why"; })"
}

# statistic NAME: as libFuzzer prints it at its end
statistic() {
    sed -n "s/^stat::$1: *//p" "$found.log"
}

# fuzz TARGET: 16 kB, as files that take a target long are not better ones; 10 s, where a file takes
# it some milliseconds, are for ever
fuzz() {
    found=$build/found/$1
    mkdir -p "$found" "$work/$1"
    local started=$SECONDS code before
    before=$(ls "$found" | wc -l)
    (cd "$work" && "$targets/$1" -max_total_time="$seconds" -timeout=10 -max_len=16384 -rss_limit_mb=2000 \
        -close_fd_mask=2 -print_final_stats=1 -artifact_prefix="$found/" \
        "$1" "$corpus/$1" "$work/seeds/$1") >/dev/null 2>"$found.log"
    code=$?
    printf '%-10s %8s executions %5d s %6s edges %3d findings\n' "$1" "$(statistic number_of_executed_units)" \
        $((SECONDS - started)) "$(grep -a -o 'cov: [0-9]*' "$found.log" | tail -n 1 | cut -c 6-)" \
        $(($(ls "$found" | wc -l) - before))
    verdict "fuzz $1" "$([ $code -eq 0 ] || { echo "exit code $code:"
        grep -a -m 1 -e ERROR: -e 'runtime error:' "$found.log" || tail -n 1 "$found.log"
        ls -t "$found" | head -n 1; })"
}

[ "$seconds" -eq 0 ] || "$root/tests/seeds.sh" "$work/seeds" || exit 2
for target; do
    if [ "$seconds" -gt 0 ]; then fuzz "$target"; else replay "$target"; fi
done
finish
