# SPDX-License-Identifier: BSD-3-Clause
# A ring beside each neighbour, with all of efgtrace: results, messages, traces.

# trace NEIGHBOUR PLACE: $times times, to the folder trace.NEIGHBOUR.PLACE
trace() {
    local name="ring traced, $1 $2" folder=$PWD/trace.$1.$2 i wrong=0 hung=0 bare
    alone "$(preloads "" $1 $2)" $(program ring $1 $2)
    bare=$(cat out)
    for ((i = 0; i < times; i++)); do
        rm -rf "$folder"
        run "$(preloads $tracing $1 $2)" env EFGTRACE_MODE=full EFGTRACE_OUTPUT="$folder" $(program ring $1 $2)
        [ $code = 124 ] && hung=$((hung + 1))
        [ "$code $(cat out)" = "0 $bare" ] || wrong=$((wrong + 1))
    done
    same "$name: as bare" "0 wrong, 0 hung" "$wrong wrong, $hung hung"
    contains "$name: all messages have both ends" "$(says "$folder")" "(100%)"
    accepted "$name" "$folder/traces.otf2"
    [ -z "$table" ] || echo "| $1 | $2 | $(paste -sd , <<<"$bare" | sed 's/,/, /g') |" \
        "$((times - wrong)) of $times | $hung | $(says "$folder") |" >>"$work/rows"
}

in_full && trace none alone
for place in $places; do
    for neighbour in $neighbours; do
        in_full || [ "$neighbour" = last ] || continue
        build ring $neighbour $place $ring
        trace $neighbour $place
    done
done
