/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* AETH syndromes and the timer codes that travel in them (IBTA 9.7.5) */
#ifndef RXE_WIRE_AETH_H
#define RXE_WIRE_AETH_H

#include <linux/types.h>

/* Syndrome, bits 7:5 (IBTA table 45) */
#define RXE_AETH_TYPE 0xe0
#define RXE_AETH_ACK 0x00
#define RXE_AETH_RNR 0x20
#define RXE_AETH_NAK 0x60
#define RXE_AETH_VALUE 0x1f

/* Credit code "no limit advertised" (IBTA 9.7.7.2) */
#define RXE_CREDIT_UNLIMITED 0x1f

/* NAK codes (IBTA table 46), as whole syndromes */
enum rxe_nak {
	RXE_NAK_PSN = 0x60,
	RXE_NAK_INVALID_REQ = 0x61,
	RXE_NAK_REM_ACCESS = 0x62,
	RXE_NAK_REM_OP = 0x63,
	RXE_NAK_INVALID_RD_REQ = 0x64,
};

u64 rxe_rnr_code_to_ns(u8 code);
u64 rxe_timeout_to_ns(u8 exponent);

#endif /* RXE_WIRE_AETH_H */
