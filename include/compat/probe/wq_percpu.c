// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* WQ_PERCPU. In 6.12, not in 6.1 */
#include <linux/workqueue.h>

const unsigned int probe = WQ_PERCPU;
