/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Random input and expectations for the targets */
#ifndef RXE_FUZZ_FUZZ_H
#define RXE_FUZZ_FUZZ_H

#include <linux/types.h>

u64 fuzz_random(void);
void fuzz_fill(void *p, size_t len);
void fuzz_failed(const char *file, int line, const char *what);

/* 0 .. n - 1 */
static inline u32 fuzz_below(u32 n)
{
	return fuzz_random() % n;
}

/* What must hold whatever the input; ends the run when it does not */
#define FUZZ_EXPECT(cond)                                       \
	do {                                                    \
		if (!(cond))                                    \
			fuzz_failed(__FILE__, __LINE__, #cond); \
	} while (0)

void fuzz_pkt(void);
void fuzz_icrc(void);
void fuzz_resp(void);
void fuzz_req(void);

#endif /* RXE_FUZZ_FUZZ_H */
