# SPDX-License-Identifier: BSD-3-Clause
# MPI in a scope of its own: a library that a program loads.

${CC:-gcc} -DHOST "$sources/ring.c" -o host -ldl || exit 1
for neighbour in $(in_full && echo counts) last; do
    build ringlib $neighbour linked $ring -DLIBRARY -shared -fPIC
    alike "a library with MPI, $neighbour linked" "" $counting ./host "$(program ringlib $neighbour linked)"
    case $neighbour in last) wanted=$(by 0 1) ;; *) wanted=$(by 0 1 2) ;; esac
    same "a library with MPI, $neighbour linked: our calls" "$wanted" "$(ours)"
done
