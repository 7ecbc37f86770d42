/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RXE_FUZZ_UNALIGNED_H
#define RXE_FUZZ_UNALIGNED_H

#include <linux/types.h>

#define RXE_UNALIGNED(bits, order)                                         \
	static inline u##bits get_unaligned_##order##bits(const void *p)   \
	{                                                                  \
		u##bits v;                                                 \
                                                                           \
		memcpy(&v, p, sizeof(v));                                  \
		return order##bits##toh(v);                                \
	}                                                                  \
                                                                           \
	static inline void put_unaligned_##order##bits(u##bits v, void *p) \
	{                                                                  \
		v = hto##order##bits(v);                                   \
		memcpy(p, &v, sizeof(v));                                  \
	}

RXE_UNALIGNED(16, be)
RXE_UNALIGNED(32, be)
RXE_UNALIGNED(64, be)
RXE_UNALIGNED(16, le)
RXE_UNALIGNED(32, le)
RXE_UNALIGNED(64, le)

#endif /* RXE_FUZZ_UNALIGNED_H */
