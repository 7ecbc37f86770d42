/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The integrity stream engine, executed by the agent of each endpoint. */
#ifndef RVT_STREAM_H
#define RVT_STREAM_H

#include "ep.h"

/* Bytes of MR one QP needs. */
uint32_t stream_share(uint32_t max_size, uint32_t window);
int stream_start(struct agent *ag, const struct ep_stream *cfg);
int stream_go(uint32_t group, uint32_t side);
int stream_wait(uint32_t group, uint32_t side, char *text, size_t len);

#endif
