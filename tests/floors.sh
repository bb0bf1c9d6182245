#!/bin/sh
# The house: includes go down the floors only. core knows itself; files knows core; runtime knows both; the
# tool knows core and files, never the runtime. And no circle of headers.

. "$(dirname "$0")/frame.sh"

# includes FOLDER: "file header" of all that it includes by quotes
includes() {
    grep -rH '^#include "' "$1" --include=*.[ch] --include=*.def | sed 's/^\([^:]*\):#include "\([^"]*\)".*/\1 \2/'
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

floor libefgtrace/base
floor libefgtrace/core base core
floor libefgtrace/files base core files
floor libefgtrace/runtime base core files runtime
floor efgtrace base core files $(ls -p efgtrace | sed -n 's|/$||p')

verdict "core includes no MPI, no system calls" \
    "$(grep -nE '#include <(mpi|time|sys/|unistd|fcntl|stdio)' libefgtrace/core/*/*.[ch] | head -n 3)"
verdict "base and files include no MPI" "$(grep -n '#include <mpi' libefgtrace/base/*.[ch] libefgtrace/files/*/*.[ch])"

# tsort says where a circle is.
circle=$(for folder in $(find libefgtrace efgtrace -type d); do
    grep -H '^#include "' "$folder"/*.h 2>/dev/null | sed 's/^\([^:]*\):#include "\([^"]*\)".*/\1 \2/' | while read -r file header; do
        case $file in *.h) ;; *) continue ;; esac
        case $header in
        */*) [ -f "libefgtrace/$header" ] && echo "$file libefgtrace/$header" || echo "$file efgtrace/$header" ;;
        *) echo "$file $folder/$header" ;;
        esac
    done
done | tsort 2>&1 >/dev/null)
verdict "no circle of headers" "$circle"

finish
