// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "pkt.h"

#include <linux/bitfield.h>
#include <linux/errno.h>

#include "hdr.h"

static void parse_bth(struct rxe_pkt *pkt, const struct rxe_bth *bth)
{
	u32 qpn = be32_to_cpu(bth->fecn_becn_qpn);
	u32 psn = be32_to_cpu(bth->ack_psn);

	pkt->opcode = bth->opcode;
	pkt->se = FIELD_GET(RXE_BTH_SE, bth->flags);
	pkt->migreq = FIELD_GET(RXE_BTH_MIGREQ, bth->flags);
	pkt->pad = FIELD_GET(RXE_BTH_PAD, bth->flags);
	pkt->pkey = be16_to_cpu(bth->pkey);
	pkt->becn = FIELD_GET(RXE_BTH_BECN, qpn);
	pkt->dest_qpn = FIELD_GET(RXE_BTH_QPN, qpn);
	pkt->ack_req = FIELD_GET(RXE_BTH_ACKREQ, psn);
	pkt->psn = FIELD_GET(RXE_BTH_PSN, psn);
}

/* Extension headers of requests, up to immediate data */
static const u8 *parse_request(struct rxe_pkt *pkt, const u8 *p)
{
	u32 flags = pkt->info->flags;

	if (flags & RXE_F_DETH) {
		const struct rxe_deth *deth = (const void *)p;

		pkt->qkey = be32_to_cpu(deth->qkey);
		pkt->src_qpn = be32_to_cpu(deth->src_qpn) & RXE_QPN_MASK;
		p += sizeof(*deth);
	}
	if (flags & RXE_F_FETH) {
		const struct rxe_feth *feth = (const void *)p;
		u32 v = be32_to_cpu(feth->sel_plt);

		pkt->flush_sel = FIELD_GET(RXE_FETH_SEL, v);
		pkt->flush_plt = FIELD_GET(RXE_FETH_PLT, v);
		p += sizeof(*feth);
	}
	if (flags & RXE_F_RETH) {
		const struct rxe_reth *reth = (const void *)p;

		pkt->va = be64_to_cpu(reth->va);
		pkt->rkey = be32_to_cpu(reth->rkey);
		pkt->dmalen = be32_to_cpu(reth->dmalen);
		p += sizeof(*reth);
	}
	if (flags & RXE_F_ATOMIC_ETH) {
		const struct rxe_atomic_eth *eth = (const void *)p;

		pkt->va = be64_to_cpu(eth->va);
		pkt->rkey = be32_to_cpu(eth->rkey);
		pkt->swap_add = be64_to_cpu(eth->swap_add);
		pkt->compare = be64_to_cpu(eth->compare);
		p += sizeof(*eth);
	}
	return p;
}

static void parse_ext(struct rxe_pkt *pkt, const u8 *p)
{
	u32 flags = pkt->info->flags;

	p = parse_request(pkt, p);
	if (flags & RXE_F_AETH) {
		const struct rxe_aeth *aeth = (const void *)p;
		u32 v = be32_to_cpu(aeth->syndrome_msn);

		pkt->syndrome = FIELD_GET(RXE_AETH_SYNDROME, v);
		pkt->msn = FIELD_GET(RXE_AETH_MSN, v);
		p += sizeof(*aeth);
	}
	if (flags & RXE_F_ATOMIC_ACK_ETH) {
		const struct rxe_atomic_ack_eth *eth = (const void *)p;

		pkt->orig = be64_to_cpu(eth->orig);
		p += sizeof(*eth);
	}
	if (flags & RXE_F_IMMDT) {
		pkt->imm = ((const struct rxe_immdt *)p)->imm;
		p += sizeof(struct rxe_immdt);
	}
	if (flags & RXE_F_IETH)
		pkt->rkey = be32_to_cpu(((const struct rxe_ieth *)p)->rkey);
}

/**
 * rxe_pkt_parse() - decode a packet and check every length in it
 * @pkt: result, valid only when 0 is returned
 * @hdr: first @hdr_avail bytes of the BTH and what follows, any alignment
 * @hdr_avail: bytes readable at @hdr: RXE_PKT_HDR_MAX, or @len when that is less
 * @len: UDP payload in bytes, BTH to ICRC
 *
 * The peer controls every byte. Nothing about the QP is checked here: only what
 * can be told from the packet alone (IBTA 9.6.1.1).
 *
 * Context: any.
 * Return: 0, -EMSGSIZE when headers, payload, pad and ICRC do not fit into @len,
 * -EPROTO for an unknown opcode, header version or impossible field.
 */
int rxe_pkt_parse(struct rxe_pkt *pkt, const void *hdr, size_t hdr_avail,
		  size_t len)
{
	const struct rxe_bth *bth = hdr;
	const struct rxe_opcode_info *info;
	size_t fixed;

	if (hdr_avail < sizeof(*bth) || len < sizeof(*bth) + RXE_ICRC_BYTES)
		return -EMSGSIZE;

	info = &rxe_opcode[bth->opcode];
	if (!info->flags || (bth->flags & RXE_BTH_TVER))
		return -EPROTO;

	*pkt = (struct rxe_pkt){ .info = info, .hdr_bytes = info->hdr_bytes };
	parse_bth(pkt, bth);

	fixed = info->hdr_bytes + pkt->pad + RXE_ICRC_BYTES;
	if (hdr_avail < info->hdr_bytes || len < fixed)
		return -EMSGSIZE;
	pkt->payload_bytes = len - fixed;

	/* Payload and pad fill whole words (IBTA 9.2.5) */
	if ((pkt->payload_bytes + pkt->pad) & 3)
		return -EMSGSIZE;
	if (!(info->flags & RXE_F_PAYLOAD) && (pkt->payload_bytes || pkt->pad))
		return -EMSGSIZE;

	parse_ext(pkt, (const u8 *)hdr + sizeof(*bth));
	return 0;
}

static void build_bth(const struct rxe_pkt *pkt, struct rxe_bth *bth)
{
	bth->opcode = pkt->opcode;
	bth->flags = FIELD_PREP(RXE_BTH_SE, pkt->se) |
		     FIELD_PREP(RXE_BTH_MIGREQ, pkt->migreq) |
		     FIELD_PREP(RXE_BTH_PAD, pkt->pad);
	bth->pkey = cpu_to_be16(pkt->pkey);
	bth->fecn_becn_qpn = cpu_to_be32(FIELD_PREP(RXE_BTH_BECN, pkt->becn) |
					 (pkt->dest_qpn & RXE_BTH_QPN));
	bth->ack_psn = cpu_to_be32(FIELD_PREP(RXE_BTH_ACKREQ, pkt->ack_req) |
				   (pkt->psn & RXE_BTH_PSN));
}

static u8 *build_request(const struct rxe_pkt *pkt, u8 *p)
{
	u32 flags = pkt->info->flags;

	if (flags & RXE_F_DETH) {
		struct rxe_deth *deth = (void *)p;

		deth->qkey = cpu_to_be32(pkt->qkey);
		deth->src_qpn = cpu_to_be32(pkt->src_qpn & RXE_QPN_MASK);
		p += sizeof(*deth);
	}
	if (flags & RXE_F_FETH) {
		struct rxe_feth *feth = (void *)p;

		feth->sel_plt =
			cpu_to_be32(FIELD_PREP(RXE_FETH_SEL, pkt->flush_sel) |
				    FIELD_PREP(RXE_FETH_PLT, pkt->flush_plt));
		p += sizeof(*feth);
	}
	if (flags & RXE_F_RETH) {
		struct rxe_reth *reth = (void *)p;

		reth->va = cpu_to_be64(pkt->va);
		reth->rkey = cpu_to_be32(pkt->rkey);
		reth->dmalen = cpu_to_be32(pkt->dmalen);
		p += sizeof(*reth);
	}
	if (flags & RXE_F_ATOMIC_ETH) {
		struct rxe_atomic_eth *eth = (void *)p;

		eth->va = cpu_to_be64(pkt->va);
		eth->rkey = cpu_to_be32(pkt->rkey);
		eth->swap_add = cpu_to_be64(pkt->swap_add);
		eth->compare = cpu_to_be64(pkt->compare);
		p += sizeof(*eth);
	}
	return p;
}

/**
 * rxe_pkt_build() - encode BTH and extension headers
 * @pkt: the packet; @info must be the row of @opcode
 * @hdr: @pkt->hdr_bytes bytes, any alignment
 *
 * Context: any.
 */
void rxe_pkt_build(const struct rxe_pkt *pkt, void *hdr)
{
	u32 flags = pkt->info->flags;
	u8 *p = hdr;

	build_bth(pkt, hdr);
	p = build_request(pkt, p + sizeof(struct rxe_bth));
	if (flags & RXE_F_AETH) {
		u32 v = FIELD_PREP(RXE_AETH_SYNDROME, pkt->syndrome) |
			FIELD_PREP(RXE_AETH_MSN, pkt->msn);

		((struct rxe_aeth *)p)->syndrome_msn = cpu_to_be32(v);
		p += sizeof(struct rxe_aeth);
	}
	if (flags & RXE_F_ATOMIC_ACK_ETH) {
		((struct rxe_atomic_ack_eth *)p)->orig = cpu_to_be64(pkt->orig);
		p += sizeof(struct rxe_atomic_ack_eth);
	}
	if (flags & RXE_F_IMMDT) {
		((struct rxe_immdt *)p)->imm = pkt->imm;
		p += sizeof(struct rxe_immdt);
	}
	if (flags & RXE_F_IETH)
		((struct rxe_ieth *)p)->rkey = cpu_to_be32(pkt->rkey);
}
