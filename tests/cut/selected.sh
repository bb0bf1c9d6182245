# SPDX-License-Identifier: BSD-3-Clause
# The same where single iterations are selected.

for program in stencil2d "persistent 120 20000" probes sendrecv_self waitany wavefront; do
    figures "$program" --select first,spread,slow # long steps: ranks record before they have agreed
done
figures stencil2d --select spread
