/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* __assign_str() of one argument; include it after linux/tracepoint.h */
#ifndef RXE_COMPAT_TRACE_H
#define RXE_COMPAT_TRACE_H

#include "features.h"

/*
 * The trace stages redefine __assign_str(), so the shim has a name of its own:
 * rxe_assign_str(field, source).
 */
#ifdef HAVE_ASSIGN_STR_1
#define rxe_assign_str(field, source) __assign_str(field)
#else
#define rxe_assign_str(field, source) __assign_str(field, source)
#endif

#endif /* RXE_COMPAT_TRACE_H */
