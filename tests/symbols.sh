#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# efgtrace symbols: a stripped program gets its names from debug files that come later, in run file and trace;
# what was known stays, and a program that has changed since is not asked.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2

# regions TRACE: names of its functions, those of MPI and iterations apart
regions() {
    print_trace -G "$1" | sed -n 's/^REGION .*Name: "\([^"]*\)".*/\1/p' | grep -v -e '^MPI_' -e '^iteration$' | sort
}

$MPICC -g -O1 -fno-inline -Wl,--build-id "$root/tests/programs/stencil2d.c" -o stencil2d -lm || exit 2
id=$(readelf -n stencil2d | sed -n 's/.*Build ID: //p')
mkdir -p "debug/.build-id/${id:0:2}" linked
objcopy --only-keep-debug stencil2d "debug/.build-id/${id:0:2}/${id:2}.debug"
cp "debug/.build-id/${id:0:2}/${id:2}.debug" linked/stencil2d.debug
mkdir own
cp stencil2d own/stencil2d.debug
strip stencil2d
unset DEBUGINFOD_URLS

traced trace ./stencil2d 200 500
"$tool" report --all trace >before
hasnt "stripped: no names" "exchange" before
same "stripped: two functions are two regions, named by where they begin" "2 2" \
    "$(regions trace/traces.otf2 | grep -c '^stencil2d+0x') $(regions trace/traces.otf2 | uniq | wc -l)"
cp -r trace linked.trace
cp -r trace nothing
cp -r trace asked
cp -r trace asked.again
sha256sum trace/traces.def trace/traces/*.evt >sums

"$tool" symbols --debug debug trace >said 2>&1
same "by build id: exit code" 0 $?
contains "by build id: what was done" "$(cat said)" "places have names that had none"
hasnt "by build id: what was found is not missed" "stencil2d is stripped" said
"$tool" report --all trace >after
has "by build id: functions and lines in the report" "MPI_Waitall  stencil2d.c:32 exchange" after
has "by build id: nothing else has changed" "$(grep '^Graph ' before)" after
same "the trace stays as it is" "" "$(sha256sum -c --quiet sums 2>&1)"
same "its copy has the names" "exchange main" "$(regions trace/named/traces.otf2 | paste -sd ' ')"
accepted "the copy" trace/named/traces.otf2 --iterations 10
same "all events are in the copy" "$(print_trace trace/traces.otf2 | grep -c '^ENTER\|^LEAVE\|^MPI_')" \
    "$(print_trace trace/named/traces.otf2 | grep -c '^ENTER\|^LEAVE\|^MPI_')"
"$tool" symbols --debug debug trace >said 2>&1
has "again: nothing is new" ": 0 of " said
same "names stay where their files are gone" "" \
    "$(rm -rf debug && "$tool" symbols trace >said 2>&1; "$tool" report --all trace | diff after -)"

"$tool" symbols --debug no_such_folder trace >said 2>&1
same "a folder of debug files that is not there: exit code" 2 $?
has "... it is named" '--debug wants a folder, not "no_such_folder"' said

"$tool" symbols -d linked -o copy linked.trace >said 2>&1
same "by the file's name" "0 exchange main" "$? $(regions copy/traces.otf2 | paste -sd ' ')"
"$tool" symbols nothing >said 2>&1
same "without debug files: nothing happens" "0 0" "$? $(cmp trace/traces.def nothing/traces.def | wc -l)"
has "without debug files: it says so" "it stays as it is" said
has "without debug files: which file has no names" "$work/stencil2d is stripped: " said
has "... where its debug file was looked for" "    /usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" said
has "... that no server was asked, and why" "no server was asked, as DEBUGINFOD_URLS is not set" said
has "... how to ask Debian's" "DEBUGINFOD_URLS=https://debuginfod.debian.net efgtrace symbols nothing" said
has "... what says which package to install" "    find-dbgsym-packages $work/stencil2d" said
same "... each file once; not the C library" 1 "$(grep -c 'is stripped' said)"
same "... in lines that fit" "" "$(grep -v "$work" said | grep '.\{81\}')"
"$tool" symbols --debug linked.trace nothing >said 2>&1
has "a folder without it: that, too, is said" "    linked.trace/.build-id/${id:0:2}/${id:2}.debug" said
has "what to do if it is the user's own" "before it was stripped, as FOLDER/stencil2d.debug, and" said
cp -r nothing own.trace
"$tool" symbols --debug own own.trace >said 2>&1
same "that does it" "0 exchange main" "$? $(regions own.trace/named/traces.otf2 | paste -sd ' ')"
cp -r nothing gone
mv stencil2d away
"$tool" symbols gone >said 2>&1
has "a file that is gone: it says so" "$work/stencil2d cannot be read: " said
hasnt "... and nothing else is to be done" "find-dbgsym-packages" said
mv away stencil2d

# A server of debug files, as debuginfod is one: it is asked for /buildid/ID/debuginfo.
if "$python" -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>err; then
    mkdir -p "served/buildid/$id"
    cp linked/stencil2d.debug "served/buildid/$id/debuginfo"
    "$python" -c '
import functools, http.server
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="served")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()' >port 2>requests &
    server=$!
    until [ -s port ] || ! kill -0 $server 2>err; do sleep 0.1; done
    HOME=$work DEBUGINFOD_CACHE_PATH=$work/cache DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)" \
        "$tool" symbols asked >said 2>&1
    same "a server of debug files: exit code" 0 $?
    mv served/buildid served/no
    HOME=$work DEBUGINFOD_CACHE_PATH=$work/cache.none DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)" \
        "$tool" symbols nothing >said.none 2>&1
    HOME=$work DEBUGINFOD_CACHE_PATH=$work/cache.none DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)/debuginfod.debian.net" \
        "$tool" symbols nothing >said.debian 2>&1
    kill $server
    has "a server that does not have it" "the servers of DEBUGINFOD_URLS do not have it" said.none
    has "... Debian's may" "DEBUGINFOD_URLS=https://debuginfod.debian.net" said.none
    hasnt "Debian's need not be asked again" "DEBUGINFOD_URLS=https" said.debian
    wait $server
    HOME=$work DEBUGINFOD_CACHE_PATH=$work/cache.gone DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)" \
        "$tool" symbols nothing >said.gone 2>&1
    has "a server that does not answer" "the servers of DEBUGINFOD_URLS: Connection refused" said.gone
    "$tool" report --all asked >after.server
    has "a server of debug files: functions and lines" "MPI_Waitall  stencil2d.c:32 exchange" after.server
    has "it was asked by build id" "GET /buildid/$id/debuginfo" requests
else
    skip "a server of debug files" "libdebuginfod is not installed"
fi

# The server of elfutils itself, which finds the file by its build id.
if command -v debuginfod >/dev/null && "$python" -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>err; then
    port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    debuginfod -d "$work/index.sqlite" -p "$port" -F "$work/linked" >server 2>&1 &
    server=$!
    url=http://127.0.0.1:$port
    timeout "$patience" "$python" -c '
import sys, time, urllib.request
while True:
    try:
        urllib.request.urlopen(sys.argv[1]).close()
        break
    except OSError:
        time.sleep(0.1)' "$url/buildid/$id/debuginfo" >waited 2>&1
    HOME=$work DEBUGINFOD_CACHE_PATH=$work/cache.again DEBUGINFOD_URLS=$url "$tool" symbols asked.again >said 2>&1
    same "debuginfod: exit code" 0 $?
    kill $server
    "$tool" report --all asked.again >after.again
    has "debuginfod: functions and lines" "MPI_Waitall  stencil2d.c:32 exchange" after.again
    same "debuginfod: and in the trace" "exchange main" "$(regions asked.again/named/traces.otf2 | paste -sd ' ')"
else
    skip "debuginfod" "it is not installed"
fi

cp -r nothing changed
touch -d '1 hour' stencil2d
"$tool" symbols -d linked changed >said 2>&1
has "a program that has changed is not asked" "stencil2d has changed since the run" said
has "and has no names" ": 0 of " said

"$tool" symbols nowhere >said 2>&1
same "no run: exit code" 1 $?
has "no run: it says so" "nowhere" said
"$tool" symbols >said 2>&1
same "no folder: exit code" 2 $?
"$tool" symbols --help >said 2>&1
has "help" "Usage: efgtrace symbols" said
finish
