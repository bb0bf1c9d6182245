# SPDX-License-Identifier: BSD-3-Clause
# Working directories with long names.

of_steps 1000
# deep LENGTH: a folder whose name has so many bytes, and make it the working directory
deep() {
    cd "$work/deep" || exit 2
    local left=$(($1 - ${#PWD}))
    while [ $left -gt 1 ]; do
        local part=$((left > 200 ? 199 : left - 1))
        [ $((left - 1 - part)) = 1 ] && part=$((part - 1)) # a slash and nothing
        mkdir -p "$(printf '%*s' $part '' | tr ' ' d)" && cd "$(printf '%*s' $part '' | tr ' ' d)" || exit 2
        left=$((left - 1 - part))
    done
}
for length in 2828 3900; do
    deep $length
    same "a working directory of $length characters" $length "$(pwd | tr -d '\n' | wc -c)"
    traced -o here
    as_bare "a working directory of $length characters"
    accepted "a working directory of $length characters" here/traces.otf2 --iterations 10
    same "a working directory of $length characters: nothing else is said" "" "$(ours | grep -v ' ranks on ')"
done
deep 4050
traced -o here
as_bare "a working directory of 4050 characters"
same "a working directory of 4050 characters: one message" \
    "1" "$(ours | grep -c 'cannot make the folder here: File name too long')"
same "a working directory of 4050 characters: no folder" "" "$(ls -d here 2>/dev/null)"
