/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A side of a QP waits when a queue of this machine is full */
#ifndef RXE_PROTO_PAUSE_H
#define RXE_PROTO_PAUSE_H

#include <linux/types.h>

#define RXE_PAUSE_NS 200000ULL /* a full queue is given this time */
#define RXE_PAUSE_MAX_NS \
	(64 * RXE_PAUSE_NS) /* and no more than so much in a row */

/**
 * struct rxe_pause - whether one side of a QP waits; zeroes are one that does not
 * @until_ns: time before which it sends nothing, 0 = it may send
 * @since_ns: when a queue refused a packet and has taken none since, 0 = it takes them
 */
struct rxe_pause {
	u64 until_ns;
	u64 since_ns;
};

/**
 * rxe_pause_begin() - a packet met a full queue
 * @pause: of the side that sent it
 * @now: current time, ns
 *
 * Time counts, not tries: where timers are late a try may take as long as a peer waits.
 *
 * Context: lock of the side.
 * Return: true: the packet counts as not sent, and nothing is for a while; false: it
 * counts as lost, as the next ones will, for the queue has taken nothing for long.
 */
static inline bool rxe_pause_begin(struct rxe_pause *pause, u64 now)
{
	if (!pause->since_ns)
		pause->since_ns = now;
	else if (now - pause->since_ns >= RXE_PAUSE_MAX_NS)
		return false;
	pause->until_ns = now + RXE_PAUSE_NS;
	return true;
}

/**
 * rxe_pause_forget() - the queue took a packet
 * @pause: of the side that sent it
 *
 * Context: lock of the side.
 */
static inline void rxe_pause_forget(struct rxe_pause *pause)
{
	pause->since_ns = 0;
}

/**
 * rxe_pause_rest() - wait for another reason
 * @pause: of the side that waits
 * @until_ns: until then
 *
 * Not while it waits already: something is sent between two waits, however often
 * somebody asks for one.
 *
 * Context: lock of the side.
 */
static inline void rxe_pause_rest(struct rxe_pause *pause, u64 until_ns)
{
	if (!pause->until_ns)
		pause->until_ns = until_ns;
}

/**
 * rxe_pause_lasts() - is it to wait still? If not, the pause has ended
 * @pause: of a side that could send
 * @now: current time, ns
 *
 * Context: lock of the side.
 */
static inline bool rxe_pause_lasts(struct rxe_pause *pause, u64 now)
{
	if (now < pause->until_ns)
		return true;
	pause->until_ns = 0;
	return false;
}

#endif /* RXE_PROTO_PAUSE_H */
