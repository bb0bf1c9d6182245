# SPDX-License-Identifier: BSD-3-Clause
# All ranks record the same iterations, however late some of them are.

for i in $(seq "${CUT_RUNS:-$(in_full && echo 3 || echo 1)}"); do
    in_full && late "$i" 500 1000
    late "$i" 120 20000
done
