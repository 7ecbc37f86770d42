// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "cnp.h"

#include "../wire/hdr.h"

/**
 * rxe_cnp_due() - a packet was marked on its way: tell its sender?
 * @cnp: what this side has sent
 * @now: current time, ns
 *
 * Context: the lock of the side.
 * Return: true when a notification is due, which counts as sent.
 */
bool rxe_cnp_due(struct rxe_cnp *cnp, u64 now)
{
	if (cnp->last_ns && now - cnp->last_ns < RXE_CNP_NS)
		return false;
	cnp->last_ns = now;
	cnp->sent++;
	return true;
}

/**
 * rxe_cnp_pkt() - a notification
 * @dest_qpn: the QP whose packet was marked
 * @pkt: the packet; its payload is zeros
 *
 * Context: any.
 */
void rxe_cnp_pkt(u32 dest_qpn, struct rxe_pkt *pkt)
{
	rxe_pkt_init(pkt, RXE_OP_CNP, dest_qpn, 0);
	pkt->becn = 1;
	rxe_pkt_set_payload(pkt, RXE_CNP_BYTES);
}
