# SPDX-License-Identifier: BSD-3-Clause
# The same where single iterations are selected.

for program in stencil2d persistent probes sendrecv_self waitany comms wavefront; do
    figures $program --select first,spread,slow
done
figures stencil2d --select spread
