# SPDX-License-Identifier: BSD-3-Clause
# Only one of the hosts has the library.

test_half a 2-3
test_half b 0-1
