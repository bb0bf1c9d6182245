# SPDX-License-Identifier: BSD-3-Clause
# Nothing is to be saved.

ranks 2 "$tool" run -m graph --save 0 --interval 20ms --summary off -o off "$programs/stencil2d" 1000 500 >out 2>err
same "save 0: no pieces" "0 run.efg" "$? $(ls off | grep -v -e summary.txt)"
