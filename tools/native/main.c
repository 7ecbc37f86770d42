// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Runs the suites that were linked in and prints KTAP, suite.case */
#include <kunit/test.h>
#include <stdarg.h>
#include <stdio.h>

#include "../../kunit/util.h"

#define MAX_SUITES 64

static struct kunit_suite *suites[MAX_SUITES];
static int num_suites;

void native_register(struct kunit_suite *suite)
{
	if (num_suites == MAX_SUITES)
		abort();
	suites[num_suites++] = suite;
}

void *kunit_kzalloc(struct kunit *test, size_t bytes, int gfp)
{
	void **more = realloc(test->alloc, (test->allocs + 1) * sizeof(*more));
	void *p = calloc(1, bytes);

	(void)gfp;
	if (!more || !p)
		abort();
	test->alloc = more;
	more[test->allocs++] = p;
	return p;
}

void native_note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("# ");
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
}

void native_fail(struct kunit *test, bool stop, const char *file, int line, const char *what,
		 const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("# %s:%d: %s ", file, line, what);
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	test->failed = true;
	if (stop)
		longjmp(test->end, 1);
}

static bool passes(const struct kunit_suite *suite, const struct kunit_case *c)
{
	struct kunit test = {};

	if (suite->init && suite->init(&test)) {
		test.failed = true;
	} else {
		if (!setjmp(test.end))
			c->run_case(&test);
		if (suite->exit)
			suite->exit(&test);
	}
	while (test.allocs)
		free(test.alloc[--test.allocs]);
	free(test.alloc);
	return !test.failed;
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : "";
	int i, n = 0, failed = 0;

	if (argc > 2)
		rxe_kunit_seed = strtoul(argv[2], NULL, 0);
	if (argc > 3)
		rxe_kunit_seeds = strtoul(argv[3], NULL, 0);

	printf("KTAP version 1\n");
	for (i = 0; i < num_suites; i++) {
		const struct kunit_case *c;

		for (c = suites[i]->test_cases; c->run_case; c++) {
			char name[256];
			bool ok;

			snprintf(name, sizeof(name), "%s.%s", suites[i]->name, c->name);
			if (!strstr(name, only))
				continue;
			ok = passes(suites[i], c);
			failed += !ok;
			printf("%sok %d - %s\n", ok ? "" : "not ", ++n, name);
			fflush(stdout);
		}
	}
	printf("1..%d\n", n);
	return failed || !n;
}
