// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* hrtimer_setup() replaced hrtimer_init(). In 7.3, not in 6.12 */
#include <linux/hrtimer.h>

void probe(struct hrtimer *t, enum hrtimer_restart (*fn)(struct hrtimer *t));

void probe(struct hrtimer *t, enum hrtimer_restart (*fn)(struct hrtimer *t))
{
	hrtimer_setup(t, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
}
