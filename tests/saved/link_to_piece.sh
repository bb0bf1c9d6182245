# SPDX-License-Identifier: BSD-3-Clause
# A link in the way of a piece.

begin linked "$pieces" -m graph -- "${stencil[@]}"
echo mine >victim
until ln -s "$PWD/victim" linked/pieces/0.0.efg.new 2>/dev/null; do :; done
rm -f linked/pieces/0.0.efg
for ((i = 0; i < 100; i++)); do
    [ -e linked/pieces/0.0.efg ] && break
    sleep 0.1
done
verdict "a link in the way: a piece all the same" "$([ -f linked/pieces/0.0.efg ] || ls -l linked/pieces)"
finished
same "a link in the way is not followed" "mine ok stencil2d: 4000 steps" "$(cat victim out | xargs)"
