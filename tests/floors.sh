#!/bin/bash
# The rooms of the house: which may use which. A room is a folder with sources; below libefgtrace, base, core, files and
# runtime are floors, each of which uses only itself and those below. The tool (efgtrace, the room of its small
# commands, and those beside it) uses base, core and files, never the runtime. An arrow between rooms is an
# #include or a call (a name that the objects of one room lack and those of another have); each is in the table
# below, with a reason. There is no circle: of rooms, of headers, of the files of a room.
#
# usage: tests/floors.sh            environment: BUILD, where it was built before (make all)

. "$(dirname "$0")/frame.sh"

arrows() {
    cat <<'END'
*               base            what any C program needs
runtime/*       runtime/base    clock, memory, locks, signals
batch           files/conf      what srun is told are keys
core/graph      core/flow       a call site knows its place among the loops of the code
core/loop       core/flow       the loops of a function are strongly connected parts of it
core/loop       core/graph      loops are found in the graph and its call tree
core/order      core/graph      times of a program are those of the graph
core/order      core/loop       what is one iteration in a program is a loop of the loop tree
core/window     core/graph      votes have the class of a pivot, and what detail was dropped
files/conf      core/graph      keys name what is told apart
files/conf      core/loop       keys name the loop that is wanted
files/log       files/disk      logs are made and opened without following links
files/match     core/graph      what is sent is counted
files/match     files/log       sends and receives come from logs
files/match     files/run       what is found is counted in the run file
files/order     core/order      its segments are what is written
files/otf2      files/disk      archives are made without following links
files/otf2      files/log       events come from logs
files/otf2      files/match     which ends of messages are left out
files/otf2      files/run       traces are made of run files, too
files/otf2      files/symbols   names of functions
files/run       core/flow       where calls are in the loops of their functions
files/run       core/graph      holds graphs and series
files/run       files/conf      why a window was recorded
files/run       core/loop       holds what was asked of the finder
files/run       core/order      the calls of a thread, one after the other
files/run       files/disk      is made and opened without following links
files/run       files/log       names the kinds of calls as records do
files/run       files/order     holds orders, coded
files/run       files/symbols   names of functions
files/summary   core/flow       which function has a loop: where its calls are in the code
files/summary   core/graph      what partners and dimensions of nodes mean
files/summary   core/loop       the loops of a rank
files/summary   files/conf      which key changes what
files/summary   files/run       says what is in it
files/summary   files/symbols   where the arguments begin in a name
runtime/calls   files/log       kinds of calls are those of records
runtime/count   core/graph      what is counted at its nodes and edges
runtime/count   files/conf      which counters conditions need
runtime/count   files/perf      opens and reads counters
runtime/count   runtime/calls   before and after each call
runtime/count   runtime/record  what was counted goes to the log
runtime/count   runtime/process which counters; notes about them
runtime/count   runtime/watch   stands in front of the tracer
runtime/job     core/loop       phases of the trace are called after their loops
runtime/job     files/conf      loads it
runtime/job     files/disk      makes the folder of the output
runtime/job     files/log       clocks of logs are corrected at the end
runtime/job     files/match     messages of all ranks are matched
runtime/job     files/otf2      makes the trace
runtime/job     files/run       makes the run file
runtime/job     files/summary   writes it
files/symbols   files/log       what the offset of a frame says
runtime/job     files/symbols   resolves names for all ranks
runtime/job     runtime/calls   whether MPI has sessions
runtime/job     runtime/census  learns which ranks are traced
runtime/job     runtime/count   lets counters begin and end
runtime/hybrid  files/run       what regions did, as the run file has it
runtime/hybrid  runtime/calls   they are events like calls
runtime/hybrid  runtime/process whether the key is on; notes about it
runtime/hybrid  runtime/watch   adds them to what is watched
runtime/job     runtime/hybrid  what it is told of OpenMP
runtime/job     runtime/mpi     begins to know handles; what is expected
runtime/job     runtime/node    compares clocks, finds where ranks run
runtime/job     runtime/plugin  lets plug-ins begin and end
runtime/job     runtime/process fills it in; notes
runtime/job     runtime/record  closes recorders
runtime/job     runtime/stack   begins to know call paths
runtime/job     runtime/watch   begins and ends it
runtime/mpi     core/graph      signatures: what partners are
runtime/mpi     files/log       a communicator is defined in logs as it is kept
runtime/mpi     runtime/calls   the call that handles are of
runtime/mpi     runtime/census  which members of a communicator are traced
runtime/node    files/log       a moment of two clocks, as logs have it
runtime/node    files/run       where a rank runs, as the run file has it
runtime/openmp  runtime/calls   how it tells of regions
runtime/plugin  files/run       what they say is kept as in the run file
runtime/plugin  runtime/calls   tells of each call
runtime/plugin  runtime/mpi     what its arguments mean
runtime/plugin  runtime/process which plug-ins; notes about them
runtime/plugin  runtime/stack   its call path
runtime/plugin  runtime/watch   stands in front of the tracer; what steers it
runtime/plugin  user            what a plug-in is
runtime/preload runtime/calls   wraps the calls of the table
runtime/preload user            hears what programs say
runtime/process files/conf      its configuration
runtime/process files/disk      names of its files
runtime/process files/run       where it runs, as the run file has it
runtime/process runtime/census  the ranks of the job
runtime/process runtime/node    its node and clocks
runtime/record  core/graph      what was sent is counted
runtime/record  files/log       writes records
runtime/record  files/match     names what is under way as the matching has it
runtime/record  runtime/calls   records calls
runtime/record  runtime/mpi     what the handles of a call mean
runtime/record  runtime/stack   defines call paths in logs
runtime/stack   core/flow       the loops in the machine code
runtime/stack   core/graph      how many frames a path loses at a time
runtime/stack   files/log       a frame, as logs have it
runtime/stack   files/symbols   what a function of a script is called
runtime/watch   core/graph      adds events to it
runtime/watch   core/loop       finds the main loop
runtime/watch   core/order      keeps the order of calls
runtime/watch   core/window     agrees on windows
runtime/watch   files/conf      the wishes of the user
runtime/watch   files/disk      the order and what is saved are files, which are moved at the end
runtime/watch   files/live      shows what it is doing
runtime/watch   files/log       cuts logs to windows
runtime/watch   files/order     writes the order
runtime/watch   files/run       saves pieces, which are run files
runtime/watch   files/symbols   the loop that is asked for by name
runtime/watch   runtime/calls   names and classes of calls
runtime/watch   runtime/mpi     what the graph wants to know of a call
runtime/watch   runtime/node    the ranks of a node share a live file
runtime/watch   runtime/process which rank it is, how it is configured; notes
runtime/watch   runtime/record  tells it what to record
runtime/watch   runtime/stack   the call path of each event
beside          files/conf      which windows are around slow iterations
beside          files/otf2      why an iteration was kept, as the trace says it
beside          files/run       reads runs
beside          files/summary   names of nodes, numbers as text
beside          cli             texts and JSON
beside          recorded        sums over what was recorded
cli             files/disk      tells folders of killed jobs from others
cli             files/run       opens it
cli             files/summary   lines of text are cut as there
compare         beside          two recorded iterations of a run
compare         files/run       reads runs
compare         files/summary   names of nodes, numbers as text
compare         cli             how commands talk: options, complaints, folders, output
compare         model           what is known of all ranks
compare         page            draws it
compare         recorded        reads them; which there are
efgtrace        files/conf      check says what it means
efgtrace        files/perf      check says which counters can be read
efgtrace        files/disk      expand makes the folder of a trace
efgtrace        files/otf2      expand writes a trace of all calls
efgtrace        files/run       expand reads it
efgtrace        files/summary   names of nodes, numbers as text
efgtrace        recorded        expand has the calls of an iteration from the trace
efgtrace        cli             how commands talk: options, complaints, folders, output
efgtrace        compare         a command
efgtrace        export          a command
efgtrace        files/symbols   names from debug files, for a run that exists
efgtrace        graph           a command
efgtrace        history         two commands
efgtrace        live            two commands
efgtrace        profile         a command
efgtrace        report          a command
efgtrace        run             a command
efgtrace        trace           a command
export          files/disk      makes the folder of a trace
export          files/otf2      why an iteration was kept, as the trace says it
export          files/run       reads runs
export          cli             how commands talk: options, complaints, folders, output
export          files/summary   names of functions, as in the report
export          judge           JSON has what it says
export          model           what is known of those that recorded
export          recorded        exports what was recorded
export          replay          the whole run, for simulators
export          waits           why calls wait
graph           core/loop       boxes of loops
graph           files/conf      dimensions are named as its keys
graph           files/run       reads runs
graph           files/summary   names of nodes, numbers as text
graph           cli             how commands talk: options, complaints, folders, output
graph           model           what is known of all ranks
history         base            arrays, maps
history         files/summary   names of nodes, numbers as text
history         cli             how commands talk: options, complaints, output
history         model           what is known of all ranks
history         page            draws it
history         report          findings of each run
judge           core/loop       loops are compared
judge           files/conf      what was recorded by which settings
judge           files/run       reads runs
judge           files/summary   names of nodes, numbers as text
judge           cli             how commands talk: options, complaints, folders, output
judge           model           sums over the whole run
judge           recorded        sums over what was recorded
live            core/flow       those who wait for one another
live            files/disk      opens live files without following links
live            files/live      reads them
live            files/log       kinds of communicators
live            files/summary   numbers and lines as text
live            files/symbols   names of functions
live            cli             how commands talk: options, complaints, folders, output
model           core/graph      graphs of ranks are made one
model           core/loop       the loops of the merged graph
model           files/run       reads runs
model           files/summary   names of nodes, numbers as text
model           cli             how commands talk: options, complaints, folders, output
page            cli             prints JSON
profile         core/graph      times of calls are united
profile         core/loop       loops are given back
profile         core/order      the order as a program
profile         files/run       reads runs
profile         files/summary   names of nodes, numbers as text
profile         cli             how commands talk: options, complaints, folders, output
profile         model           what is known of all ranks
recorded        core/graph      bins of sizes, names of signatures
recorded        files/disk      traces are opened without following links
recorded        files/otf2      reads what the writer wrote
recorded        files/run       reads runs
recorded        files/summary   names of nodes, numbers as text
recorded        cli             texts in JSON
replay          files/conf      whether all was recorded
replay          files/otf2      channels are numbered as there
replay          files/run       the order of all calls, and their times
replay          cli             how commands talk: options, complaints, folders, output
replay          recorded        what each recorded call did
report          beside          slow iterations beside typical ones
report          core/graph      united graphs and series
report          core/loop       goes through loops
report          files/conf      dimensions are named as its keys
report          files/run       reads runs
report          files/summary   names of nodes, numbers as text
report          cli             how commands talk: options, complaints, folders, output
report          graph           nodes, edges and loops of the page
report          judge           can the trace be trusted
report          model           what is known of all ranks
report          page            draws it
report          recorded        the timeline of the page
report          waits           why ranks wait
run             files/conf      its options are the keys
run             cli             how commands talk: options, complaints, folders, output
trace           core/order      orders of pieces
trace           files/disk      looks for logs and pieces
trace           files/order     orders of pieces are joined
trace           files/otf2      makes the trace of logs
trace           files/run       makes the run file of pieces
trace           files/summary   says what was made
trace           files/symbols   names of functions
waits           cli             prints JSON
waits           recorded        calls, messages, collectives of the trace
trace           cli             how commands talk: options, complaints, folders, output
END
}

# rooms: files in the input become their rooms: "core/loop", "cli"; "efgtrace" is the folder of the tool itself
rooms() {
    sed -E 's:^(libefgtrace/|efgtrace/([^ ]*/)):\2:; s:^([^ ]*)/[^/ ]*:\1:'
}

# "file header" of all that is included by quotes
includes() {
    grep -rE '^ *# *include "' libefgtrace efgtrace --include='*.[chS]' --include='*.def' |
        sed -E 's/^([^:]*): *# *include "([^"]*)".*/\1 \2/'
}

# "object letter name" of all names in objects, as nm has them
names() {
    (cd "$build/obj" && nm -A $(cd "$root" && find libefgtrace efgtrace -name '*.[cS]' |
        { [ -d "$build/obj/libefgtrace/batch" ] && cat || grep -v /batch/; } | # where there is Slurm
        sed "s/[cS]\$/o/; /runtime\/\(preload\|openmp\)/!s/^libefgtrace\/runtime/$kind\/&/")) |
        sed -E "s/:([0-9a-f]+| +)? / /; s/^$kind\///"
}

includes | sort >"$work/includes"
names >"$work/objects" 2>"$work/unread"
rooms <"$work/objects" >"$work/names"
arrows >"$work/table"

# What it takes: "room room why".
{
    paste -d' ' <(rooms <"$work/includes") "$work/includes" |
        awk '$2 ~ /\// {to = $2; sub(/\/[^\/]*$/, "", to); print $1, to, $3, "includes", $4}'
    awk '$3 !~ /^efg_/ {next}
         $2 == "U" {wants[$1 " " $3]}
         $2 ~ /^[A-TV-Z]$/ {room[$3] = $1}
         END {for (w in wants) {split(w, a, " "); b = room[a[2]]
              if (b != "" && b != a[1]) print a[1], b, a[1], "calls", a[2]}}' "$work/names"
} | sort >"$work/used"
cut -d' ' -f1,2 "$work/used" | sort -u >"$work/pairs"

verdict "all is built" "$(head -n 3 "$work/unread")"

# --- one way to name a header ---

wrong=$(while read -r file header; do
    folder=${file%/*}
    case $header in
    */*) [ -f "libefgtrace/$header" ] || [ -f "efgtrace/$header" ] &&
        case $folder in libefgtrace/"${header%/*}" | efgtrace/"${header%/*}") false ;; esac ;;
    *) [ -f "$folder/$header" ] ;;
    esac || echo "$file includes $header"
done <"$work/includes")
verdict "of the own room by its name, of another by its path" "$wrong"
verdict "private headers are included in their rooms only" "$(grep '/parts\.h$' "$work/includes")"

# --- arrows ---

# Which lines of the table allow what is used? "*" stands for any room, "runtime/*" for those of the floor.
awk 'function allows(line, from) {
         return from == line || line == "*" || (line ~ /\/\*$/ && index(from, substr(line, 1, length(line) - 1)) == 1)
     }
     FNR == NR {from[NR] = $1; to[NR] = $2; rows = NR
                if (NF < 3) print "no reason:", $0
                if (seen[$1 " " $2]++) print "twice:", $0
                next}
     {is_allowed = 0
      for (i = 1; i <= rows; i++)
          if (to[i] == $2 && allows(from[i], $1)) {is_allowed = 1; needed[i] = 1}
      pair = $1 " " $2
      if (!is_allowed && !said[pair]++) {$1 = $2 = ""; print "not in the table:", pair ":" $0}}
     END {for (i = 1; i <= rows; i++) if (!needed[i]) print "no longer needed:", from[i], to[i]}' \
    "$work/table" "$work/used" >"$work/wrong"
verdict "$(wc -l <"$work/pairs") arrows are in the table, and no others" "$(cat "$work/wrong")"

wrong=$(awk 'BEGIN {split("user base core files runtime", floors, " "); for (i in floors) level[floors[i]] = i}
             function floor(room) {sub(/\/.*/, "", room); return room in level ? level[room] : 9}
             floor($1) == 9 ? floor($2) == level["runtime"] : floor($2) > floor($1)' "$work/pairs")
verdict "arrows go down the floors, and not from the tool to the runtime" "$wrong"

# tsort says where a circle is.
verdict "no circle of rooms" "$(tsort "$work/pairs" 2>&1 >/dev/null)"
circle=$(grep '^[^ ]*\.h ' "$work/includes" | while read -r file header; do
    case $header in
    */*) [ -f "libefgtrace/$header" ] && echo "$file libefgtrace/$header" || echo "$file efgtrace/$header" ;;
    *) echo "$file ${file%/*}/$header" ;;
    esac
done | tsort 2>&1 >/dev/null)
verdict "no circle of headers" "$circle"

# A function and what it calls: files of one room, which could otherwise only be understood together.
circle=$(awk '$3 !~ /^efg_/ {next}
              $2 == "U" {wants[$1 " " $3]}
              $2 ~ /^[TW]$/ {object[$3] = $1}
              function folder(path) {sub(/\/[^\/]*$/, "", path); return path}
              END {for (w in wants) {split(w, a, " "); b = object[a[2]]
                   if (b != "" && b != a[1] && folder(a[1]) == folder(b)) print a[1], b}}' \
    "$work/objects" | tsort 2>&1 >/dev/null)
verdict "no circle of calls between the files of a room" "$circle"

# What no other file calls is static, unless a test asks for it. libefgtrace.so looks up efg_runtime.
unused=$(awk '$3 !~ /^efg_/ || $3 == "efg_runtime" {next}
              $2 == "U" {wanted[$3]}
              $2 ~ /^[TW]$/ {object[$3] = $1}
              END {for (name in object) if (!(name in wanted)) print name, object[name]}' "$work/objects" |
    while read -r name object; do
        grep -rqw "$name" tests bench --include='*.c' || echo "$name of $object"
    done)
verdict "what no other file calls is static" "$unused"

# The libraries that are preloaded have nothing of the rest in them.
verdict "preload calls nothing outside" "$(grep '^runtime/\(preload\|openmp\) .* calls ' "$work/used")"

verdict "core includes no MPI, no system calls" \
    "$(grep -nE '#include <(mpi|time|sys/|unistd|fcntl|stdio)' libefgtrace/core/*/*.[ch] | head -n 3)"
verdict "base and files include no MPI" \
    "$(grep -n '#include <mpi' libefgtrace/base/*.[ch] libefgtrace/files/*/*.[ch])"

finish
