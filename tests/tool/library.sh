# SPDX-License-Identifier: BSD-3-Clause
# Where efgtrace run finds the library, and what is preloaded beside it.

: >other.so
same "LD_PRELOAD of others is kept" "$build/libefgtrace.so:$PWD/other.so" \
    "$(LD_PRELOAD=$PWD/other.so "$tool" run sh -c 'echo $LD_PRELOAD' 2>/dev/null)"

# The runtime of AddressSanitizer has to be the first one.
echo 'int puts(const char *); char *getenv(const char *); int main(void) { return puts(getenv("LD_PRELOAD")) < 0; }' >asan.c
if ${CC:-gcc} -fsanitize=address asan.c -o asan 2>/dev/null; then
    asan=$(ldd asan | sed -n 's/^[[:space:]]*\(lib[a-z_.]*asan[^ ]*\) .*/\1/p')
    gives "a program with AddressSanitizer" 0 "${asan:+$asan:}$build/libefgtrace.so" "$tool" run ./asan
    ${CC:-gcc} -shared -x c /dev/null -o another.so
    gives "and another library" 0 "${asan:+$asan:}$build/libefgtrace.so:$PWD/another.so" \
        env LD_PRELOAD="$PWD/another.so" "$tool" run ./asan
    same "a script that is interpreted by such a program" "${asan:+$asan:}$build/libefgtrace.so" \
        "$(printf '#!%s\n' "$PWD/asan" >script; chmod +x script; "$tool" run ./script)"
    same "found by env" "${asan:+$asan:}$build/libefgtrace.so" \
        "$(printf '#! /usr/bin/env asan\n' >script; PATH=$PATH:$PWD "$tool" run ./script)"
    file=$(${CC:-gcc} -print-file-name="${asan:-libasan.so}")
    same "preloaded for a script that starts such a program" "$file:$build/libefgtrace.so:$file" \
        "$(LD_PRELOAD=$file ASAN_OPTIONS=detect_leaks=0 "$tool" run sh -c './asan' 2>&1)"
else
    skip "a program with AddressSanitizer" "the compiler has none"
fi
mkdir -p prefix/bin prefix/lib "a b" alone
cp "$tool" prefix/bin && cp "$build/libefgtrace.so" prefix/lib
cp "$tool" alone && cp "$tool" "$build/libefgtrace.so" "a b"
ln -s prefix/bin/efgtrace link
same "installed: ../lib" "$PWD/prefix/lib/libefgtrace.so" \
    "$(prefix/bin/efgtrace run sh -c 'echo $LD_PRELOAD')"
same "through a link" "$PWD/prefix/lib/libefgtrace.so" "$(./link run sh -c 'echo $LD_PRELOAD')"
gives "library missing" 1 "libefgtrace.so is neither in $PWD/alone nor" alone/efgtrace run true
gives "library named" 0 "" env EFGTRACE_LIBRARY="$build/libefgtrace.so" alone/efgtrace run true
gives "library named and missing" 1 "EFGTRACE_LIBRARY: none.so: not a readable file" \
    env EFGTRACE_LIBRARY=none.so "$tool" run true
gives "library in a folder with a blank" 1 "LD_PRELOAD cannot hold a path that contains a blank or a colon" \
    "a b/efgtrace" run true
