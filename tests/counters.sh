#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Counters: they count what the program does, where it does it; threads and children apart; what cannot be counted is
# said, with what to do about it; and whatever the kernel does or the program closes, the program does as it would.
# What PAPI counts by its names is what the kernel counts by its own; where there is no libpapi, that is left out.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/counters.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

sources=$root/tests/counters
cd "$work" || exit 2
$MPICC -g -O1 "$sources/counted.c" -o counted -lpthread || exit 2
cc -g -O1 -shared -fPIC "$sources/kernel.c" -o kernel.so -ldl || exit 2
cc -g -O1 -shared -fPIC -Wl,-soname,libpapi.so.7.2 "$sources/papi.c" -o libpapi.so.7.2 || exit 2
clocks="task-clock, context-switches, page-faults"

# counted NAME RANKS OPTION...: such a run is as the program is
counted() {
    local name=$1 number=$2
    shift 2
    traced_by "$number" "$name" --counters "$clocks" -- ./counted 150 "$@"
    same "$name: the program ends" done "$(tail -n 1 traced.out)"
    "$tool" report -o "$name.json" "$name"
    verdict "$name: what was counted$(for one; do printf ' %s' "$one"; done)" \
        "$("$python" "$root/tests/counted.py" "$name/run.efg" "$name.json" traced.err 150 "$@" 2>&1 >said | tail -n 1)"
}

if EFGTRACE_COUNTERS=$clocks "$tool" check | grep -q "here: $clocks"; then
    counted plain 2
    has "the summary has them" "Counters     " plain/summary.txt
    has "of each iteration" "page-faults 8" plain/summary.txt
    "$tool" report plain >report
    has "the report has what is between calls" "MPI_Barrier to MPI_Allreduce  counted.c:" report
    verdict "nothing is cut" "$(awk '/\.\.\.$/' report)"
    traced_by 1 asked --counters "" -- ./counted 20
    hasnt "nothing asked for, nothing said" Counters asked/summary.txt
    same "nor in the trace" 0 "$(print_trace -G asked/traces.otf2 | grep -c METRIC)"
    hasnt "nor kept" "counters task" asked/run.efg
    "$tool" report -o asked.json asked
    hasnt "nor in the report" '"counters"' asked.json
    counted_in() { # DIR [full]: the trace has what the report has
        "$tool" report -o "$1.json" "$1"
        verdict "$1: the trace has as much as the report" "$(
            "$python" "$root/tests/counted_trace.py" "$1/traces.otf2" "$1.json" ${2-} 2>&1 >said | tail -n 1)"
    }
    counted_in plain
    verdict "plain: the checker accepts the trace" "$(faults plain/traces.otf2 --iterations 10 | head -n 2)"
    traced_by 2 full --mode full --counters "$clocks" -- ./counted 20
    counted_in full full
    same "the trace says what they are" "context-switches page-faults task-clock" "$(
        print_trace -G plain/traces.otf2 | sed -n 's/^METRIC_MEMBER .*Name: "\([^"]*\)".*/\1/p' | sort | xargs)"
    if in_full; then
        traced_by 2 spread --counters "$clocks" --select first,spread -- ./counted 300
        print_trace spread/traces.otf2 | grep -o '"kept" .*' | grep -o 'spread\|first' | sort | uniq -c >kept
        has "spread: there are first ones, too" first kept
        same "spread: of those that are recorded only these count" "$(awk '/spread/ { print $1 }' kept)" "$(
        grep -a '^recorded [0-9]' spread/run.efg | awk '{ all += $2 } END { print all + 0 }')"
        traced_by 2 nested --counters "$clocks" -- ./counted 150 nested
        "$tool" report -o nested.json nested
        verdict "each loop has what was counted in an iteration of it" "$("$python" -c '
import json
loops = {loop["name"].split()[0] + str(loop["depth"]): loop for loop in json.load(open("nested.json"))["loops"]}
said = {name: loop["counters"]["page-faults"] for name, loop in loops.items() if "counters" in loop}
[main] = [said[name] for name, loop in loops.items() if loop["is_main"]]
[inner] = [said[name] for name, loop in loops.items() if loop["depth"] == 1]
assert 13.9 < main < 15.4 and 1.9 < inner < 2.2, said' 2>&1 | tail -n 1)"
        # Whichever loop is the main one, its iterations are those that are counted.
        traced_by 2 earlier --counters "$clocks" -- ./counted 500 earlier
        "$tool" report -o earlier.json earlier
        verdict "earlier: iterations are those of the main loop" "$("$python" -c '
import json
report = json.load(open("earlier.json"))
[main] = [loop for loop in report["loops"] if loop["is_main"]]
[total] = [one for one in report["counters"]["totals"] if one["name"] == "page-faults"]
wanted = 8 if " main:" in main["name"] else 1
assert total["iterations"], total
for what in "iterations", "recorded":
    counted, count = total["in_" + what], total[what]
    assert 0.9 * wanted * count <= counted <= 1.4 * wanted * count, (what, wanted, total)' 2>&1 | tail -n 1)"
        "$tool" report nested >report
        has "the report has them" "Counters in an iteration of each loop" report
    fi
    EFGTRACE_COUNTERS=perf::PAGE-FAULTS "$tool" check >checked
    if grep -q 'here: perf::PAGE-FAULTS' checked; then
        clocks="$clocks, perf::PAGE-FAULTS"
    else
        skip "what PAPI counts" "$(grep '^ *perf::' checked | xargs)"
    fi
    counted fork 1 fork
    cp traced.out listed
    hasnt "a program that is executed has none of the files" "perf_event" listed
    has "but it has some" "/proc" listed
    counted threads 1 threads
    case $clocks in *perf::*)
        verdict "PAPI counts what the kernel counts, in each thread, and between each two calls" "$("$python" -c '
import json
counters = json.load(open("threads.json"))["counters"]
kernel, papi = (counters["names"].index(name) for name in ("page-faults", "perf::PAGE-FAULTS"))
items = counters["between"] + counters["in_calls"]
assert sum(item["values"][papi] for item in counters["between"]) >= 11 * 140, counters
for item in items:
    assert abs(item["values"][kernel] - item["values"][papi]) <= 2, item' 2>&1 | tail -n 1)" ;;
    esac
    traced_by 1 close --counters "$clocks" -- ./counted 150 close
    same "a program that closes the files: it ends" done "$(tail -n 1 traced.out)"
    has "that is said" "counters cannot be read any more" traced.err
else
    skip "what is counted" "perf_event_open is not allowed here"
fi

# --- what is asked for is not there ---

ranks 1 "$tool" run --counters task-clock,instrutions ./counted 1 >out 2>err
verdict "an unknown one stops the job" "$([ $? -ne 0 ] || echo 'exit code 0')"
has "and the nearest one is named" "did you mean instructions" err
for wrong in $(in_full && echo a,b,c) task-clock,task-clock; do
    EFGTRACE_COUNTERS=$wrong "$tool" check >out 2>&1
    same "check: $wrong is wrong" 1 $?
done

# on KERNEL COUNTERS: a run on such a kernel; what is said is in said
on() {
    ranks 1 env LD_PRELOAD="$work/kernel.so" KERNEL="$1" "$tool" run -o "on $1" --counters "$2" ./counted 30 \
        >out 2>said
    same "kernel $1: the program ends" done "$(cat out)"
    env LD_PRELOAD="$work/kernel.so" KERNEL="$1" EFGTRACE_COUNTERS="$2" "$tool" check >checked
}

on forbid "task-clock,cycles"
has "forbidden: that is said, of all in one line" "counters task-clock, cycles: perf_event_open is forbidden" said
has "check says it" "here: none of them" checked
if in_full; then
    on files "task-clock"
    has "no file is left: that is said" "see ulimit -n" said
    on none "task-clock"
    has "no perf_event_open: that is said" "this kernel has no perf_event_open" said
fi
on user "context-switches,page-faults"
has "without the kernel: what only happens there is refused" "counters context-switches: " said
has "the rest counts" "page-faults" "on user/summary.txt"
has "and it is said what" "what the kernel does" said
on pmu=2 "instructions,cycles,branches"
has "3 where 2 fit: that is said" "branches: the processor cannot count it besides the others" said
has "check says it, too" "here: instructions, cycles" checked
has "instructions and cycles: their ratio" "IPC 1.0" "on pmu=2/summary.txt"
same "of each loop, too" 1.0 "$("$tool" report --json "on pmu=2" | "$python" -c '
import json, sys
print(*{round(loop["counters"]["ipc"], 1) for loop in json.load(sys.stdin)["loops"] if "counters" in loop})')"

# --- PAPI ---

# by_papi COUNTERS [VARIABLE...]: what `check` says of them, with the libpapi that is made here, to checked
by_papi() {
    local counters=$1
    shift
    env LD_LIBRARY_PATH="$work" "$@" EFGTRACE_COUNTERS="$counters" "$tool" check >checked 2>&1
}

LD_LIBRARY_PATH=$work ranks 1 "$tool" run -o papi --counters PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_BR_INS,PAPI_L3_TCM,PAPI_TOT_IN \
    ./counted 30 threads >out 2>said
same "PAPI: the program ends" done "$(cat out)"
has "PAPI, 3 where 2 fit: that is said" "PAPI_BR_INS: the processor cannot count it besides the others" said
has "PAPI, an event that is not there: that is said" "counters PAPI_L3_TCM: " said
has "PAPI, an unknown one: the nearest one is named" "PAPI_TOT_IN: PAPI has no event of this name: did you mean PAPI_TOT_INS" said
has "PAPI: the ratio of instructions and cycles" "IPC 2.0" papi/summary.txt
by_papi some::NATIVE_EVEN,other:::THINGS,PAPI_BR_INS
has "PAPI, a native event: the nearest one is named" "did you mean some::NATIVE_EVENT" checked
has "PAPI, of two components: that is said" "PAPI_BR_INS: PAPI counts what one of its components has" checked
has "PAPI: the first component counts" "here: other:::THINGS" checked
by_papi PAPI_TOT_INS PAPI=old
has "PAPI that cannot begin: that is said" "PAPI_TOT_INS: libpapi cannot begin: Invalid argument" checked
by_papi PAPI_TOT_INS PAPI=user
has "PAPI, without the kernel: that is said" "here: PAPI_TOT_INS, without what the kernel does" checked
by_papi PAPI_TOT_INS PAPI=forbid
has "PAPI, forbidden: that is said" "PAPI_TOT_INS: perf_event_open is forbidden" checked
by_papi PAPI_TOT_INS LD_PRELOAD="$work/libpapi.so.7.2"
has "a program that uses PAPI itself: that is said" "PAPI_TOT_INS: the program uses PAPI itself" checked
mkdir none
for version in .7.2 .7.1 .7.0 .6.0 .5.7 ""; do
    echo "no library" >"none/libpapi.so$version"
done
by_papi PAPI_TOT_INS,task-clock LD_LIBRARY_PATH="$work/none"
has "no libpapi: that is said" "PAPI_TOT_INS: libpapi cannot be loaded (" checked
by_papi "PAPI_$(seq -s _ 30)"
has "a name that is too long" "a name is too long" checked
if [ -f /usr/include/papi.h ]; then
    {
        echo '#include <papi.h>'
        sed -n 's/^#define \(PAPI_[A-Z_]*\) \((\?-\?[0-9]*)\?\)$/_Static_assert(\1 == \2, "");/p
            /^#define FUNCTIONS/,/[^\\]$/p' "$root/libefgtrace/files/perf/papi.c"
        echo '#define X(type, name, arguments) type (*name##_of_papi) arguments = PAPI_##name;'
        echo 'FUNCTIONS(X)'
    } >same.c
    verdict "constants and functions are those of papi.h" "$(cc -Werror -c same.c -o same.o 2>&1 | head -n 3)"
    same "so many constants" 13 "$(grep -c _Static_assert same.c)"
else
    skip "constants and functions of papi.h" "it is not installed"
fi
(ulimit -n 40 && ranks 1 "$tool" run -o few --counters "$clocks, major-faults,minor-faults,cpu-migrations" \
    ./counted 30 threads >out 2>said)
same "few files: the program ends" done "$(cat out)"
has "few files: what is not counted is said" "ulimit -n" said
finish
