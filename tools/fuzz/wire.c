// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Bytes from the network: every length, every content, any alignment */
#include <stdlib.h>

#include "fuzz.h"
#include "wire/hdr.h"
#include "wire/icrc.h"
#include "wire/ip.h"
#include "wire/pkt.h"

/*
 * A buffer that ends where the sanitizer notices, at an odd address now and
 * then. The caller frees *@base.
 */
static u8 *buffer(size_t len, void **base)
{
	size_t skip = fuzz_below(8);

	*base = malloc(skip + len);
	if (!*base)
		abort();
	return (u8 *)*base + skip;
}

/* Random, or a known opcode with a length close to what fits */
static size_t random_packet(u8 *bytes, size_t room)
{
	size_t len = fuzz_below(room + 1);
	u8 op = fuzz_random();

	fuzz_fill(bytes, room);
	if (fuzz_below(4)) {
		while (!rxe_opcode[op].flags)
			op = fuzz_random();
		bytes[0] = op;
		bytes[1] &= 0xf0;
		if (fuzz_below(2))
			bytes[1] &= 0xc0;
		len = rxe_opcode[op].hdr_bytes + RXE_ICRC_BYTES;
		len += fuzz_below(2) ? 4 * fuzz_below(16) : fuzz_below(9);
		len -= min_t(size_t, len, fuzz_below(3) ? 0 : fuzz_below(6));
	}
	return len;
}

void fuzz_pkt(void)
{
	u8 bytes[256], again[RXE_PKT_HDR_MAX] = {}, third[RXE_PKT_HDR_MAX] = {};
	struct rxe_pkt pkt, pkt2;
	size_t len = random_packet(bytes, sizeof(bytes));
	size_t avail = min_t(size_t, len, RXE_PKT_HDR_MAX);
	void *base;
	u8 *hdr;
	int ret;

	/* Also less than the caller promises: still no read beyond it */
	if (!fuzz_below(8))
		avail = fuzz_below(avail + 1);
	hdr = buffer(avail, &base);
	memcpy(hdr, bytes, avail);
	ret = rxe_pkt_parse(&pkt, hdr, avail, len);
	free(base);
	FUZZ_EXPECT(ret == 0 || ret == -EMSGSIZE || ret == -EPROTO);
	if (ret)
		return;

	FUZZ_EXPECT(pkt.info == &rxe_opcode[bytes[0]] && pkt.info->flags);
	FUZZ_EXPECT(pkt.hdr_bytes <= avail);
	FUZZ_EXPECT(pkt.pad <= RXE_MAX_PAD);
	FUZZ_EXPECT((u64)pkt.hdr_bytes + pkt.payload_bytes + pkt.pad + RXE_ICRC_BYTES == len);
	FUZZ_EXPECT(pkt.psn <= 0xffffff && pkt.dest_qpn <= 0xffffff);
	FUZZ_EXPECT(pkt.src_qpn <= 0xffffff && pkt.msn <= 0xffffff);

	hdr = buffer(pkt.hdr_bytes, &base);
	rxe_pkt_build(&pkt, hdr);
	memcpy(again, hdr, pkt.hdr_bytes);
	free(base);
	FUZZ_EXPECT(!rxe_pkt_parse(&pkt2, again, min_t(size_t, len, sizeof(again)), len));
	FUZZ_EXPECT(pkt.payload_bytes == pkt2.payload_bytes && pkt.pad == pkt2.pad);
	rxe_pkt_build(&pkt2, third);
	FUZZ_EXPECT(!memcmp(again, third, sizeof(again)));
}

static u32 start(bool v6, const u8 *hdr)
{
	return v6 ? rxe_icrc_start_v6(hdr) : rxe_icrc_start_v4(hdr);
}

void fuzz_icrc(void)
{
	bool v6 = fuzz_below(2);
	u32 ip_bytes = v6 ? RXE_IPV6_HDR_BYTES : RXE_IPV4_HDR_BYTES;
	size_t len = ip_bytes + RXE_UDP_HDR_BYTES + sizeof(struct rxe_bth);
	u32 crc;
	void *base;
	u8 trailer[RXE_ICRC_BYTES], *hdr = buffer(len, &base);

	fuzz_fill(hdr, len);
	crc = start(v6, hdr);
	/* What routers change must not matter, everything else must */
	hdr[v6 ? 7 : 8]--;
	FUZZ_EXPECT(crc == start(v6, hdr));
	rxe_icrc_put(trailer, crc);
	FUZZ_EXPECT(rxe_icrc_matches(trailer, crc));
	hdr[len - 1 - fuzz_below(4)] ^= 1 << fuzz_below(8);
	FUZZ_EXPECT(!rxe_icrc_matches(trailer, start(v6, hdr)));
	free(base);
}
