# SPDX-License-Identifier: BSD-3-Clause
# The same where single iterations are selected.

for program in "persistent 120 20000" stencil2d probes sendrecv_self waitany wavefront; do
    in_full || [ "$program" = "persistent 120 20000" ] || continue
    figures "$program" --select first,spread,slow # long steps: ranks record before they have agreed
done
in_full && figures stencil2d --select spread
