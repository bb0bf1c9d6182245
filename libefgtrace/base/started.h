/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The variable by which `efgtrace run` tells the library which process is to say that nothing was traced.
 */
#ifndef EFG_STARTED_H
#define EFG_STARTED_H

#define EFG_STARTED "EFGTRACE_STARTED" /* the process, a decimal number; the library takes it away */

#endif
