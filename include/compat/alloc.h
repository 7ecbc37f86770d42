/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Typed allocation; always pass the GFP flags */
#ifndef RXE_COMPAT_ALLOC_H
#define RXE_COMPAT_ALLOC_H

#include <linux/slab.h>

#ifndef kzalloc_obj
#define kzalloc_obj(obj, gfp) kzalloc(sizeof(obj), gfp)
#endif

#endif /* RXE_COMPAT_ALLOC_H */
