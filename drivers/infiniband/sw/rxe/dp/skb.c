// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "skb.h"

#include <linux/moduleparam.h>
#include <net/inet_ecn.h>

#include "../trace.h"
#include "../wire/hdr.h"
#include "../wire/icrc.h"
#include "crc.h"
#include "credit.h"

static bool ecn;
module_param(ecn, bool, 0644);
MODULE_PARM_DESC(ecn,
		 "Packets of RC QPs may be marked instead of dropped (ECT)");

/* Payload up to this size stands behind the headers, larger in a page fragment */
#define LINEAR_PAYLOAD_MAX 128

/* Copy payload to @to and carry the CRC over what was copied: the source may
 * change at any time, the packet may not
 */
static int copy_in(u8 *to, u32 bytes, struct rxe_cursor *from, u32 *crc)
{
	while (bytes) {
		void *kaddr;
		ssize_t n = rxe_cursor_next(from, bytes, &kaddr);

		if (n < 0)
			return n;
		*crc = rxe_crc32_copy(*crc, to, kaddr, n);
		to += n;
		bytes -= n;
	}
	rxe_cursor_rest(from);
	return 0;
}

/**
 * struct room - where the parts of a packet go
 * @hdr: IP header to extension headers
 * @body: payload
 * @tail: pad and ICRC
 */
struct room {
	u8 *hdr;
	u8 *body;
	u8 *tail;
};

static int fill(const struct rxe_av *av, const struct rxe_pkt *pkt,
		struct rxe_cursor *from, const struct room *room)
{
	u32 ip_bytes = rxe_ip_hdr_bytes(av->ip.v6);
	u32 len =
		pkt->hdr_bytes + pkt->payload_bytes + pkt->pad + RXE_ICRC_BYTES;
	u8 *hdr = room->hdr;
	u32 crc;
	int ret;

	rxe_ip_build(&av->ip, len, hdr);
	rxe_pkt_build(pkt, hdr + ip_bytes);
	crc = av->ip.v6 ? rxe_icrc_start_v6(hdr) : rxe_icrc_start_v4(hdr);
	crc = rxe_crc32(crc, hdr + ip_bytes + sizeof(struct rxe_bth),
			pkt->hdr_bytes - sizeof(struct rxe_bth));
	if (pkt->payload_bytes) {
		ret = copy_in(room->body, pkt->payload_bytes, from, &crc);
		if (ret)
			return ret;
	}
	memset(room->tail, 0, pkt->pad);
	crc = rxe_crc32(crc, room->tail, pkt->pad);
	if (pkt->icrc_twice)
		crc = rxe_icrc_twice(crc, hdr + ip_bytes, pkt->hdr_bytes);
	rxe_icrc_put(room->tail + pkt->pad, crc);
	return 0;
}

/* @bytes, at most a page, of fragment memory, appended to @skb */
static u8 *frag_room(struct sk_buff *skb, struct page_frag *frag, u32 bytes)
{
	int last = skb_shinfo(skb)->nr_frags - 1;
	u8 *room;

	if (!skb_page_frag_refill(bytes, frag, GFP_ATOMIC))
		return NULL;
	room = page_address(frag->page) + frag->offset;
	if (skb_can_coalesce(skb, last + 1, frag->page, frag->offset)) {
		skb_frag_size_add(&skb_shinfo(skb)->frags[last], bytes);
		skb->len += bytes;
		skb->data_len += bytes;
		skb->truesize += bytes;
	} else {
		get_page(frag->page);
		skb_add_rx_frag(skb, last + 1, frag->page, frag->offset, bytes,
				bytes);
	}
	frag->offset += bytes;
	return room;
}

/* Payload and tail stand behind the headers when they are short, else in page
 * fragments; of a payload of 4096 bytes in different pages, maybe, for when memory is
 * short a fragment page holds no more.
 */
static int make_room(struct sk_buff *skb, struct page_frag *frag,
		     const struct rxe_pkt *pkt, struct room *room)
{
	u32 tail_bytes = pkt->pad + RXE_ICRC_BYTES;
	bool together;

	if (pkt->payload_bytes <= LINEAR_PAYLOAD_MAX) {
		room->body = skb_put(skb, pkt->payload_bytes);
		room->tail = skb_put(skb, tail_bytes);
		return 0;
	}
	together = pkt->payload_bytes + tail_bytes <= PAGE_SIZE;
	room->body = frag_room(skb, frag,
			       pkt->payload_bytes + together * tail_bytes);
	if (!room->body)
		return -ENOMEM;
	room->tail = together ? room->body + pkt->payload_bytes :
				frag_room(skb, frag, tail_bytes);
	if (!room->tail)
		return -ENOMEM;
	/* Aligned, so that copies stay fast */
	frag->offset = ALIGN(frag->offset, SMP_CACHE_BYTES);
	return 0;
}

/* Routers may mark it instead of dropping it; the ICRC does not cover these bits */
static void set_ect(struct sk_buff *skb)
{
	if (rxe_skb_is_v6(skb))
		ipv6_change_dsfield(ipv6_hdr(skb), (u8)~INET_ECN_MASK,
				    INET_ECN_ECT_0);
	else
		ip_hdr(skb)->tos = (ip_hdr(skb)->tos & ~INET_ECN_MASK) |
				   INET_ECN_ECT_0;
}

/**
 * rxe_skb_build() - a whole IP packet
 * @qp: the QP it is counted for
 * @side: side of @qp that builds it, its lock held
 * @av: destination
 * @pkt: the packet
 * @from: payload source, @pkt->payload_bytes of it are taken; unused without
 *	payload
 *
 * skb->data stands at the IP header; network and transport offsets are set.
 *
 * Context: the side's lock, RCU read section that @from was set up in.
 * Return: the skb; ERR_PTR(-ENOMEM): as if the packet was lost; other errors are
 * those of rxe_cursor_next().
 */
struct sk_buff *rxe_skb_build(struct rxe_dp_qp *qp, struct rxe_dp_side *side,
			      const struct rxe_av *av,
			      const struct rxe_pkt *pkt,
			      struct rxe_cursor *from)
{
	struct net_device *ndev = qp->qp.dev->ndev;
	u32 ip_bytes = rxe_ip_hdr_bytes(av->ip.v6);
	u32 hdr_bytes = ip_bytes + pkt->hdr_bytes;
	struct sk_buff *skb;
	struct room room;
	int ret;

	skb = alloc_skb(LL_RESERVED_SPACE(ndev) + hdr_bytes +
				LINEAR_PAYLOAD_MAX + RXE_MAX_PAD +
				RXE_ICRC_BYTES,
			GFP_ATOMIC);
	if (!skb)
		return ERR_PTR(-ENOMEM);

	skb_reserve(skb, LL_RESERVED_SPACE(ndev));
	skb_reset_network_header(skb);
	room.hdr = skb_put(skb, hdr_bytes);
	skb_set_transport_header(skb, ip_bytes - RXE_UDP_HDR_BYTES);
	skb->protocol = av->ip.v6 ? htons(ETH_P_IPV6) : htons(ETH_P_IP);
	skb->ip_summed = CHECKSUM_NONE;

	ret = make_room(skb, &side->frag, pkt, &room);
	if (!ret)
		ret = fill(av, pkt, from, &room);
	if (ret)
		goto err_free;

	if (READ_ONCE(ecn) && qp->qp.transport == RXE_RC)
		set_ect(skb);
	rxe_credit_take(side->credit, skb);
	trace_rxe_tx(&qp->qp, pkt);
	return skb;

err_free:
	kfree_skb(skb);
	return ERR_PTR(ret);
}

/**
 * rxe_skb_parse() - decode a received packet
 * @skb: skb->data at the UDP header, skb->len the UDP length
 * @pkt: result
 *
 * The headers are linear afterwards.
 *
 * Context: any.
 * Return: 0 or a negative errno: drop it.
 */
int rxe_skb_parse(struct sk_buff *skb, struct rxe_pkt *pkt)
{
	u32 len, avail;

	if (skb->len < RXE_UDP_HDR_BYTES)
		return -EMSGSIZE;
	len = skb->len - RXE_UDP_HDR_BYTES;
	avail = min_t(u32, len, RXE_PKT_HDR_MAX);
	if (!pskb_may_pull(skb, RXE_UDP_HDR_BYTES + avail))
		return -EMSGSIZE;
	return rxe_pkt_parse(pkt, skb->data + RXE_UDP_HDR_BYTES, avail, len);
}

/* Has the FLUSH at @bth the ICRC that the kernel's own driver gives it? */
static bool matches_twice(struct rxe_pkt *pkt, const u8 *bth, const u8 *trailer,
			  u32 crc)
{
	if (!(pkt->info->flags & RXE_F_FLUSH))
		return false;
	crc = rxe_icrc_twice(crc, bth, pkt->hdr_bytes);
	pkt->icrc_twice = rxe_icrc_matches(trailer, crc);
	return pkt->icrc_twice;
}

/**
 * rxe_skb_icrc_ok() - is the packet what its sender meant it to be?
 * @skb: as rxe_skb_parse() left it
 * @pkt: the packet; @pkt->icrc_twice is set
 *
 * Context: any.
 * Return: true when the ICRC is right.
 */
bool rxe_skb_icrc_ok(struct sk_buff *skb, struct rxe_pkt *pkt)
{
	u32 from = RXE_UDP_HDR_BYTES + sizeof(struct rxe_bth);
	u32 to = skb->len - RXE_ICRC_BYTES;
	struct skb_seq_state seq;
	const u8 *bth = skb->data + RXE_UDP_HDR_BYTES;
	u8 trailer[RXE_ICRC_BYTES];
	const u8 *span;
	u32 done = 0, crc, n;

	if (rxe_skb_is_v6(skb))
		crc = rxe_icrc_start_v6(skb_network_header(skb));
	else
		crc = rxe_icrc_start_v4(skb_network_header(skb));

	if (skb_headlen(skb) == skb->len) {
		crc = rxe_crc32_bulk(crc, skb->data + from, to - from);
		return rxe_icrc_matches(skb->data + to, crc) ||
		       matches_twice(pkt, bth, skb->data + to, crc);
	}

	skb_prepare_seq_read(skb, from, to, &seq);
	while ((n = skb_seq_read(done, &span, &seq))) {
		n = min(n, to - from - done);
		crc = rxe_crc32_bulk(crc, span, n);
		done += n;
	}
	skb_abort_seq_read(&seq);
	if (done != to - from ||
	    skb_copy_bits(skb, to, trailer, sizeof(trailer)))
		return false;
	return rxe_icrc_matches(trailer, crc) ||
	       matches_twice(pkt, bth, trailer, crc);
}

/**
 * rxe_skb_is_marked() - did a router on the way tell of congestion (RFC 3168)?
 * @skb: as rxe_skb_parse() left it
 *
 * Context: any.
 * Return: true when it did.
 */
bool rxe_skb_is_marked(struct sk_buff *skb)
{
	if (rxe_skb_is_v6(skb))
		return INET_ECN_is_ce(ipv6_get_dsfield(ipv6_hdr(skb)));
	return INET_ECN_is_ce(ip_hdr(skb)->tos);
}

/**
 * rxe_skb_from_peer() - does a packet come from where a connected QP talks to?
 * @skb: the packet
 * @av: the QP's path
 *
 * Context: any.
 * Return: true when its addresses are those of @av, the other way round.
 */
bool rxe_skb_from_peer(struct sk_buff *skb, const struct rxe_av *av)
{
	if (rxe_skb_is_v6(skb))
		return av->ip.v6 &&
		       !memcmp(&ipv6_hdr(skb)->saddr, av->ip.daddr, 16) &&
		       !memcmp(&ipv6_hdr(skb)->daddr, av->ip.saddr, 16);
	return !av->ip.v6 && !memcmp(&ip_hdr(skb)->saddr, av->ip.daddr, 4) &&
	       !memcmp(&ip_hdr(skb)->daddr, av->ip.saddr, 4);
}

/**
 * rxe_skb_copy_out() - place the payload of a packet
 * @skb: as rxe_skb_parse() left it
 * @pkt: the packet
 * @to: where to
 *
 * Context: RCU read section that @to was set up in.
 * Return: 0 or the error of rxe_cursor_next(); part of the payload may have been
 * placed then.
 */
int rxe_skb_copy_out(struct sk_buff *skb, const struct rxe_pkt *pkt,
		     struct rxe_cursor *to)
{
	u32 offset = RXE_UDP_HDR_BYTES + pkt->hdr_bytes;
	u32 bytes = pkt->payload_bytes;

	while (bytes) {
		void *kaddr;
		ssize_t n = rxe_cursor_next(to, bytes, &kaddr);

		if (n < 0)
			return n;
		if (skb_copy_bits(skb, offset, kaddr, n)) {
			rxe_cursor_rest(to);
			return -EFAULT;
		}
		offset += n;
		bytes -= n;
	}
	rxe_cursor_rest(to);
	return 0;
}
