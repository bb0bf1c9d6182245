# SPDX-License-Identifier: BSD-3-Clause
# The folder of the output: one that cannot be made, one that exists, one below others.

of_steps 1000
: >file
for folder in $(in_full && echo file/below) /proc/efgtrace; do
    traced -o $folder
    as_bare "$folder cannot be made"
    same "$folder cannot be made: one message" "1" "$(ours | grep -c "cannot make the folder $folder: ")"
    same "$folder cannot be made: and no other" "1" "$(ours | wc -l)"
done
same "a file in the way is left alone" "0" "$(stat -c %s file)"
mkdir there && echo mine >there/summary.txt
traced -o there
as_bare "the folder exists"
has "the folder exists: message" "there exists and is left alone; the output goes to there.2" err
same "the folder exists: left alone" "summary.txt mine" "$(ls there) $(cat there/summary.txt)"
accepted "there.2" there.2/traces.otf2 --iterations 10
if in_full; then
    traced -o there/new/deep/
    as_bare "a folder below others"
    has "a folder below others: made" "Traced       10 iterations" there/new/deep/summary.txt
fi
