// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* __assign_str() lost its source argument. In 6.12, not in 6.1 */
#include <linux/tracepoint.h>
#include <trace/stages/stage6_event_callback.h>

#define STR(x) #x
#define XSTR(x) STR(x)

const char probe[] = XSTR(__assign_str(field));
