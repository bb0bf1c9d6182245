#!/bin/sh
# The house: includes go down the floors only. core knows itself; files knows core; runtime knows both; the
# tool knows core and files, never the runtime. And no circle of headers.

. "$(dirname "$0")/frame.sh"

# includes FOLDER: "file header" of all that it includes by quotes
includes() {
    grep -H '^#include "' "$1"/*.[chd]* | sed 's/^\([^:]*\):#include "\([^"]*\)".*/\1 \2/'
}

# floor FOLDER FLOORS...: which floors it may include, besides its own folder
floor() {
    folder=$1
    shift
    wrong=$(includes "$folder" | while read -r file header; do
        case $header in
        */*) for f in "$@"; do case $header in "$f"/*) continue 2 ;; esac; done
            echo "$file includes $header" ;;
        esac
    done)
    verdict "$folder includes only: $*" "$wrong"
}

floor libefgtrace/core core
floor libefgtrace/files core files
floor libefgtrace/runtime core files runtime
floor efgtrace core files

verdict "core includes no MPI, no system calls" \
    "$(grep -nE '#include <(mpi|time|sys/|unistd|fcntl|stdio)' libefgtrace/core/*.[ch] | head -n 3)"
verdict "files includes no MPI" "$(grep -n '#include <mpi' libefgtrace/files/*.[ch])"

# tsort says where a circle is.
circle=$(for folder in libefgtrace/core libefgtrace/files libefgtrace/runtime efgtrace; do
    includes "$folder" | while read -r file header; do
        case $file in *.h) ;; *) continue ;; esac
        case $header in
        */*) echo "$file libefgtrace/$header" ;;
        *) echo "$file $folder/$header" ;;
        esac
    done
done | tsort 2>&1 >/dev/null)
verdict "no circle of headers" "$circle"

finish
