/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Workqueue flags */
#ifndef RXE_COMPAT_WQ_H
#define RXE_COMPAT_WQ_H

#include <linux/workqueue.h>

#include "features.h"

#ifndef HAVE_WQ_PERCPU
#define WQ_PERCPU 0
#endif

#endif /* RXE_COMPAT_WQ_H */
