#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# efgtrace report --html and --json: pages of a stencil, of a master and its workers, of ten thousand
# ranks, of thousands of call paths, and of a run whose names are hostile, in a browser that is driven
# (page.py); their figures are those of the text, and those that another reader of run.efg counts
# (figures.py).
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/page.sh
#   tests/page.sh large     LAMMPS and Quantum ESPRESSO on 4 ranks, a master and 7 workers, a stencil of
#                           64 ranks, ten thousand ranks instead: a minute or two
#
# environment: that of frame.sh, and
#   PAGE_BROWSER=firefox    in Firefox (the package firefox-esr), not in Chromium
#   PAGES=DIR               the pages stay there, to be looked at

. "$(dirname "$0")/frame.sh"
compile stencil2d master_worker slow || exit 2
cd "$work" || exit 2

# verdicts: of lines "NAME<tab>WHY NOT"; what else a program says is one more
verdicts() {
    local name why
    while IFS=$'\t' read -r name why; do
        case $name in
        note*) echo "$name" ;;
        *) verdict "$name" "$why" ;;
        esac
    done
}

# shown RUN...: text, JSON and page of each; the figures of all three
shown() {
    local run
    for run; do
        "$tool" report $run >$run/text && "$tool" report $run -f json -o $run/json && "$tool" report $run --html >$run/said &&
            "$tool" export -f folded $run >$run/folded
        same "$run: all three forms" 0 $?
        same "$run: where the page is" $run/report.html "$(cat $run/said)"
        [ -z "${PAGES-}" ] || cp $run/report.html "$PAGES/$run.html"
        verdicts < <("$python" "$root/tests/figures.py" $run 2>&1 || printf 'figures.py\tit failed\n')
    done
}

# looked_at RUN...: their pages in a browser
looked_at() {
    local needed=chromedriver
    [ "${PAGE_BROWSER-}" != firefox ] || needed=firefox-esr
    if command -v $needed >/dev/null && "$python" -c 'import selenium' 2>/dev/null; then
        verdicts < <(timeout $patience "$python" "$root/tests/page.py" "$@" 2>&1 || printf 'page.py\tit failed\n')
    else
        skip "pages in a browser" "no $needed or python3-selenium"
    fi
}

# application NAME DIR: one of bench/apps.sh
application() {
    "$root/bench/apps.sh" run $1 "$work/case.$1" "$tool" run -o "$work/$2" --summary off >out 2>err ||
        verdict "$2 runs" "exit code $?: $(tail -n 3 err)"
}

if [ "${1-}" = large ]; then
    mkdir many && sample --write-many many/run.efg || exit 1
    application lammps lammps
    PW_STEPS=${PW_STEPS-20} application pw espresso
    ranks 8 "$tool" run -o workers --summary off "$programs/master_worker" 20000 >out 2>err ||
        verdict "workers run" "exit code $?: $(tail -n 3 err)"
    ranks 64 "$tool" run -o stencil64 --summary off "$programs/stencil2d" >out 2>err ||
        verdict "stencil64 runs" "exit code $?: $(tail -n 3 err)"
    shown lammps espresso workers stencil64 many
    looked_at lammps espresso workers stencil64 many
    finish
fi

mkdir many hostile paths
sample --write-many many/run.efg && sample --write-hostile hostile/run.efg &&
    sample --write-paths paths/run.efg || exit 1
windowed stencil --interval 5ms -- "$programs/stencil2d" 400 100
ranks 5 "$tool" run -o master --summary off --interval 5ms "$programs/master_worker" 400 200 >out 2>err ||
    verdict "master and workers run" "exit code $?: $(tail -n 3 err)"
in_full && windowed slow --select first,slow --interval 5ms -- "$programs/slow" 600 100 500 1 3000
if in_full; then
    printf '#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n' >idle.c
    $MPICC -o idle.bin idle.c && ranks 2 "$tool" run -o idle --summary off ./idle.bin >out 2>err ||
        verdict "a program that makes no calls runs" "exit code $?: $(tail -n 3 err)"
fi

some="stencil master hostile"
in_full && some="stencil master slow many paths hostile idle"
shown $some
# A program says that its source is what no source is: a file of other words, a pipe.
printf 'other words\n' >secret
mkfifo pipe.c
for file in secret pipe.c; do
    printf '#include <mpi.h>\n#line 1 "%s"\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }\n' \
        "$work/$file" >says.c
    $MPICC -g -o says.bin says.c && ranks 1 "$tool" run -o says.$file --summary off ./says.bin >out 2>err
    timeout 20 "$tool" report -f json says.$file >said
    same "source that is $file is named, not read" "0 named" "$? $(grep -q "$work/$file" said && ! grep -q 'other words' said && echo named)"
done

verdict "stencil: lines of source are there" "$(grep -q '"code":[[:space:]]*"MPI_Bcast(' stencil/json || echo none)"

# The page as it is built without its libraries.
mkdir bare && cp stencil/json bare
D3='' DAGRE='' "$root/efgtrace/page/assemble.sh" bare/head bare/tail
{ cat bare/head; sed 's/</\\u003c/g' bare/json; cat bare/tail; } >bare/report.html

mkdir compared
for format in json html; do "$tool" compare -f $format stencil master >compared/report.$format; done
mv compared/report.json compared/json

# Three series, one of which has changed (bench/history.py).
mkdir history
"$python" - "$root/bench" "$tool" <<'END' && for format in json html; do "$tool" history -i history/runs.db -f $format >history/report.$format; done
import random
import sys
sys.path.insert(0, sys.argv[1])
import history
history.make(sys.argv[2], "history/runs.db", lambda database: [
    history.add_series(database, n, 60, 0.01, 0.03, (1, 1.05, 1)[n], random.Random(n)) for n in range(3)])
END
mv history/report.json history/json

! in_full || size=$(wc -c <many/report.html)
! in_full || verdict "many: ten thousand ranks in less than 3 MB" "$([ "$size" -lt 3000000 ] || echo "$size bytes")"
"$tool" report stencil -o elsewhere.html >said
same "a page goes where it is told to" "$(cat stencil/report.html | wc -c) " "$(wc -c <elsewhere.html) $(cat said)"
"$tool" report stencil --json >again
same "JSON goes to standard output" "" "$(cmp again stencil/json)"
"$tool" report --html stencil --output=none/x.html 2>said
same "no such folder" "1 efgtrace report: cannot write none/x.html: No such file or directory" "$? $(cat said)"

in_full && some="$some bare" || some="stencil hostile"
looked_at $some compared history

finish
