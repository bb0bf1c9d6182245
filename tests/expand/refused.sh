# SPDX-License-Identifier: BSD-3-Clause
# What is refused, and how it says so.

traces stencil2d

# refused NAME WORDS CODE ARGUMENTS...
refused() {
    local name=$1 words=$2 code=$3
    shift 3
    lines "$@"
    same "$name: exit code" "$code" $?
    contains "$name: says so" "$(cat said)" "$words"
}

ranks 2 "$tool" run --sequence off -m graph --summary off -o off "$programs/stencil2d" 20 100 >out 2>err
refused "no sequence" "the order of the calls of rank 0 was not kept (EFGTRACE_SEQUENCE)" 1 off
refused "no such rank" 'there is no rank "7": ranks are 0 to 3' 1 -r 7 "$work/stencil2d"
refused "no list" "--rank wants a list" 1 -r 3-1 "$work/stencil2d"
refused "no number" "--from wants a number from 1" 2 --from 0 "$work/stencil2d"
refused "no folder" "No such file" 1 nowhere
refused "which run" "DIR is missing" 2
cp -r "$work/stencil2d" damaged
"$python" - damaged/run.efg <<'END'
import struct, sys
with open(sys.argv[1], 'r+b') as file:
    data, at = file.read(), 24
    while struct.unpack_from('<I', data, at)[0] != 7:
        at += 20 + struct.unpack_from('<Q', data, at + 8)[0]
    file.seek(at + 25)
    file.write(bytes([data[at + 25] ^ 1]))
END
refused "damage" "the checksum of the sequence of rank 0 is wrong" 1 damaged
refused "damage, OTF2" "the checksum of the sequence of rank 0 is wrong" 1 -f otf2 -o new damaged
verdict "damage, OTF2: nothing is left" "$(ls -d new 2>/dev/null)"
refused "OTF2 where there is a trace" "there is a trace already" 1 -f otf2 -o "$work/stencil2d" "$work/stencil2d"
refused "OTF2 without a folder" "wants a folder, --output DIR2" 2 -f otf2 "$work/stencil2d"
"$tool" expand -r 0 -o new "$work/stencil2d" && "$tool" expand -o - -r 0 "$work/stencil2d" >said
same "text in a file is that of standard output" "" "$(cmp new said && [ -s new ] || echo "$(wc -c new said)")"
refused "a file that cannot be written" "cannot write none/calls: No such file or directory" 1 -o none/calls "$work/stencil2d"
