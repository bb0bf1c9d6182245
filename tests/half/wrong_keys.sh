# SPDX-License-Identifier: BSD-3-Clause
# Wrong keys end the job before it begins, and are told, whichever rank finds them.

for wrong in $(in_full && echo 0 2) 3; do
    command=()
    for rank in 0 1 2 3; do
        [ $rank = 0 ] || command+=(:)
        command+=(-np 1 $with)
        [ $rank != $wrong ] || command+=(EFGTRACE_WINDOES=2)
        command+=($any)
    done
    hung=0 unsaid=0 ended=0
    for ((i = 0; i < times; i++)); do
        rm -rf trace
        job "${command[@]}"
        [ $(grep -c "EFGTRACE_WINDOES" err) = 1 ] || unsaid=$((unsaid + 1))
        [ $code = 2 ] || ended=$((ended + 1))
    done
    same "a wrong key on rank $wrong: told, and ended with exit code 2" "0 unsaid, 0 otherwise, 0 hung" \
        "$unsaid unsaid, $ended otherwise, $hung hung"
done
hung=0
job -np 4 $with EFGTRACE_WINDOES=2 $any
same "a wrong key on all ranks: told once" "1 2" "$(grep -c EFGTRACE_WINDOES err) $code"
