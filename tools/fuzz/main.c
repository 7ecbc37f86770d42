// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The pure layers in user space, under the sanitizers, with random input that
 * a seed fixes. Prints KTAP, one case per target.
 *
 * Usage: fuzz [ITERATIONS [SEED [TARGET]]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static const struct {
	const char *name;
	void (*run)(void);
} targets[] = {
	{ "pkt: parse and build", fuzz_pkt },
	{ "ICRC", fuzz_icrc },
	{ "resp: a hostile requester", fuzz_resp },
	{ "req: a hostile responder", fuzz_req },
};

static u64 state, seed, iteration, target;

/* splitmix64 */
u64 fuzz_random(void)
{
	u64 z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void fuzz_fill(void *p, size_t len)
{
	u8 *b = p;

	while (len--)
		*b++ = fuzz_random();
}

void fuzz_failed(const char *file, int line, const char *what)
{
	printf("# %s:%d: expected %s\n", file, line, what);
	printf("# again with: fuzz 1 %llu %llu\n", seed + iteration, target);
	printf("not ok %llu - %s\n", target + 1, targets[target].name);
	fflush(stdout);
	abort();
}

int main(int argc, char **argv)
{
	u64 n = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000;
	u64 only = argc > 3 ? strtoull(argv[3], NULL, 0) : ARRAY_SIZE(targets);

	seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	printf("KTAP version 1\n1..%zu\n", only < ARRAY_SIZE(targets) ? 1 : ARRAY_SIZE(targets));
	for (target = 0; target < ARRAY_SIZE(targets); target++) {
		if (only < ARRAY_SIZE(targets) && target != only)
			continue;
		for (iteration = 0; iteration < n; iteration++) {
			/* Each iteration can be had again by itself */
			state = (seed + iteration) * 0x2545f4914f6cdd1d;
			targets[target].run();
		}
		printf("ok %llu - %s, %llu runs from seed %llu\n", target + 1, targets[target].name,
		       n, seed);
		fflush(stdout);
	}
	return 0;
}
