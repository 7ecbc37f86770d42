/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Timer callbacks and soft hrtimers, under their 7.3 names */
#ifndef RXE_COMPAT_TIMER_H
#define RXE_COMPAT_TIMER_H

#include <linux/container_of.h>
#include <linux/hrtimer.h>
#include <linux/timer.h>

#include "features.h"

#ifndef timer_container_of
#define timer_container_of(var, timer, field) \
	container_of(timer, typeof(*(var)), field)
#endif

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
