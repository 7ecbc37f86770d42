// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "ref_pkt.h"

/* Append the low @bytes bytes of @v, most significant first */
static u8 *put(u8 *to, u64 v, int bytes)
{
	while (bytes--)
		*to++ = v >> (8 * bytes);
	return to;
}

/* Immediate data stands in memory as it stands on the wire */
static u8 *put_imm(u8 *to, __be32 imm)
{
	memcpy(to, &imm, 4);
	return to + 4;
}

static u8 *encode_ext(u8 *to, char letter, const struct rxe_pkt *pkt)
{
	switch (letter) {
	case 'D':
		to = put(to, pkt->qkey, 4);
		to = put(to, 0, 1);
		return put(to, pkt->src_qpn, 3);
	case 'F':
		to = put(to, 0, 3);
		return put(to, pkt->flush_sel * 16 + pkt->flush_plt, 1);
	case 'R':
		to = put(to, pkt->va, 8);
		to = put(to, pkt->rkey, 4);
		return put(to, pkt->dmalen, 4);
	case 'T':
		to = put(to, pkt->va, 8);
		to = put(to, pkt->rkey, 4);
		to = put(to, pkt->swap_add, 8);
		return put(to, pkt->compare, 8);
	case 'A':
		to = put(to, pkt->syndrome, 1);
		return put(to, pkt->msn, 3);
	case 'O':
		return put(to, pkt->orig, 8);
	case 'I':
		return put_imm(to, pkt->imm);
	case 'K':
		return put(to, pkt->rkey, 4);
	}
	return to;
}

/**
 * ref_encode() - encode BTH and extension headers from IBTA 9.2 and 9.3
 * @op: row of the hand-written list
 * @pkt: members to encode; opcode, info and lengths are not looked at
 * @to: @op->hdr_bytes bytes
 *
 * Context: any.
 * Return: bytes written.
 */
size_t ref_encode(const struct ibta_op *op, const struct rxe_pkt *pkt, u8 *to)
{
	const char *letter;
	u8 *p = to;

	p = put(p, op->opcode, 1);
	p = put(p, pkt->se * 128 + pkt->migreq * 64 + pkt->pad * 16, 1);
	p = put(p, pkt->pkey, 2);
	p = put(p, pkt->becn * 64, 1);
	p = put(p, pkt->dest_qpn, 3);
	p = put(p, pkt->ack_req * 128, 1);
	p = put(p, pkt->psn, 3);
	for (letter = op->ext; *letter; letter++)
		p = encode_ext(p, *letter, pkt);
	return p - to;
}

static void random_ext(struct rxe_rng *rng, char letter, struct rxe_pkt *pkt)
{
	switch (letter) {
	case 'D':
		pkt->qkey = rxe_rng_u32(rng);
		pkt->src_qpn = rxe_rng_below(rng, 1 << 24);
		break;
	case 'F':
		pkt->flush_sel = rxe_rng_below(rng, 4);
		pkt->flush_plt = rxe_rng_below(rng, 16);
		break;
	case 'R':
		pkt->va = rxe_rng_u64(rng);
		pkt->rkey = rxe_rng_u32(rng);
		pkt->dmalen = rxe_rng_u32(rng);
		break;
	case 'T':
		pkt->va = rxe_rng_u64(rng);
		pkt->rkey = rxe_rng_u32(rng);
		pkt->swap_add = rxe_rng_u64(rng);
		pkt->compare = rxe_rng_u64(rng);
		break;
	case 'A':
		pkt->syndrome = rxe_rng_u32(rng);
		pkt->msn = rxe_rng_below(rng, 1 << 24);
		break;
	case 'O':
		pkt->orig = rxe_rng_u64(rng);
		break;
	case 'I':
		pkt->imm = (__force __be32)rxe_rng_u32(rng);
		break;
	case 'K':
		pkt->rkey = rxe_rng_u32(rng);
		break;
	}
}

/**
 * ref_random() - a packet with random values in all the opcode carries
 * @rng: source
 * @op: row of the hand-written list
 * @pkt: result, no payload
 *
 * Context: any.
 */
void ref_random(struct rxe_rng *rng, const struct ibta_op *op,
		struct rxe_pkt *pkt)
{
	const char *letter;

	*pkt = (struct rxe_pkt){
		.info = &rxe_opcode[op->opcode],
		.opcode = op->opcode,
		.hdr_bytes = op->hdr_bytes,
		.se = rxe_rng_below(rng, 2),
		.migreq = rxe_rng_below(rng, 2),
		.ack_req = rxe_rng_below(rng, 2),
		.becn = rxe_rng_below(rng, 2),
		.pkey = rxe_rng_u32(rng),
		.dest_qpn = rxe_rng_below(rng, 1 << 24),
		.psn = rxe_rng_below(rng, 1 << 24),
	};
	for (letter = op->ext; *letter; letter++)
		random_ext(rng, *letter, pkt);
}

static const char *ext_diff(const struct rxe_pkt *a, const struct rxe_pkt *b)
{
	if (a->syndrome != b->syndrome)
		return "syndrome";
	if (a->msn != b->msn)
		return "msn";
	if (a->flush_sel != b->flush_sel)
		return "flush_sel";
	if (a->flush_plt != b->flush_plt)
		return "flush_plt";
	if (a->rkey != b->rkey)
		return "rkey";
	if (a->dmalen != b->dmalen)
		return "dmalen";
	if (a->qkey != b->qkey)
		return "qkey";
	if (a->src_qpn != b->src_qpn)
		return "src_qpn";
	if (a->imm != b->imm)
		return "imm";
	if (a->va != b->va)
		return "va";
	if (a->swap_add != b->swap_add)
		return "swap_add";
	if (a->compare != b->compare)
		return "compare";
	if (a->orig != b->orig)
		return "orig";
	return NULL;
}

/**
 * ref_diff() - compare two decoded packets, member by member
 * @a: one
 * @b: the other
 *
 * Context: any.
 * Return: name of a member that differs, NULL when there is none.
 */
const char *ref_diff(const struct rxe_pkt *a, const struct rxe_pkt *b)
{
	if (a->info != b->info)
		return "info";
	if (a->hdr_bytes != b->hdr_bytes)
		return "hdr_bytes";
	if (a->payload_bytes != b->payload_bytes)
		return "payload_bytes";
	if (a->opcode != b->opcode)
		return "opcode";
	if (a->se != b->se)
		return "se";
	if (a->migreq != b->migreq)
		return "migreq";
	if (a->ack_req != b->ack_req)
		return "ack_req";
	if (a->becn != b->becn)
		return "becn";
	if (a->pad != b->pad)
		return "pad";
	if (a->pkey != b->pkey)
		return "pkey";
	if (a->dest_qpn != b->dest_qpn)
		return "dest_qpn";
	if (a->psn != b->psn)
		return "psn";
	return ext_diff(a, b);
}
