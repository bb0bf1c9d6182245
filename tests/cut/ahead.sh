# SPDX-License-Identifier: BSD-3-Clause
# Messages that are under way where a window begins.

in_full && ahead sized 'matched (100%)' '0 -5 -5'
ahead plain 'matched (100%)' '0 -5 -5'
in_full && ahead crossing 'in doubt: 30 of 30 seem to match, but 14 or more crossed' '0 0 0'
