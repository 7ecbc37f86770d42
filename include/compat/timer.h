/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Soft hrtimers, under their 7.3 name */
#ifndef RXE_COMPAT_TIMER_H
#define RXE_COMPAT_TIMER_H

#include <linux/hrtimer.h>

#include "features.h"

#ifndef HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

#endif /* RXE_COMPAT_TIMER_H */
