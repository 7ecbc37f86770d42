/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* As much of KUnit as the suites in kunit/ use, for user space */
#ifndef RXE_NATIVE_TEST_H
#define RXE_NATIVE_TEST_H

#include <linux/types.h>
#include <setjmp.h>
#include <stdlib.h>

#define NATIVE_ALLOCS 64

/**
 * struct kunit - a case that runs
 * @priv: of the suite
 * @end: where an assertion that fails goes
 * @failed: an expectation failed
 * @alloc: memory to free at the end
 * @allocs: entries of @alloc
 */
struct kunit {
	void *priv;
	jmp_buf end;
	bool failed;
	void **alloc;
	size_t allocs;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(fn)                      \
	{                                   \
		.run_case = fn, .name = #fn \
	}
#define kunit_test_suite(suite)                                           \
	static void __attribute__((__constructor__)) register_suite(void) \
	{                                                                 \
		native_register(&(suite));                                \
	}

void native_register(struct kunit_suite *suite);
void *kunit_kzalloc(struct kunit *test, size_t bytes, int gfp);
void native_fail(struct kunit *test, bool stop, const char *file, int line, const char *what,
		 const char *fmt, ...) __attribute__((format(printf, 6, 7)));
void native_note(const char *fmt, ...);

#define GFP_KERNEL 0
#define kvzalloc(bytes, gfp) calloc(1, bytes)
#define kvfree(p) free(p)
#define MODULE_LICENSE(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_PARM_DESC(name, text)
#define module_param_named(name, value, type, perm)
#define kunit_err(test, fmt, ...) native_note(fmt, ##__VA_ARGS__)

#define NATIVE_CHECK(test, stop, cond, what, ...)                                          \
	do {                                                                               \
		if (!(cond))                                                               \
			native_fail(test, stop, __FILE__, __LINE__, what, "" __VA_ARGS__); \
	} while (0)
#define NATIVE_CMP(test, stop, a, op, b, ...) \
	NATIVE_CHECK(test, stop, (a)op(b), #a " " #op " " #b, ##__VA_ARGS__)

#define KUNIT_FAIL(test, ...) NATIVE_CHECK(test, false, false, "", __VA_ARGS__)

#define KUNIT_EXPECT_EQ(t, a, b) NATIVE_CMP(t, false, a, ==, b)
#define KUNIT_EXPECT_NE(t, a, b) NATIVE_CMP(t, false, a, !=, b)
#define KUNIT_EXPECT_GT(t, a, b) NATIVE_CMP(t, false, a, >, b)
#define KUNIT_EXPECT_GE(t, a, b) NATIVE_CMP(t, false, a, >=, b)
#define KUNIT_EXPECT_LT(t, a, b) NATIVE_CMP(t, false, a, <, b)
#define KUNIT_EXPECT_LE(t, a, b) NATIVE_CMP(t, false, a, <=, b)
#define KUNIT_EXPECT_TRUE(t, c) NATIVE_CHECK(t, false, c, #c)
#define KUNIT_EXPECT_FALSE(t, c) NATIVE_CHECK(t, false, !(c), "!" #c)
#define KUNIT_EXPECT_NULL(t, p) NATIVE_CHECK(t, false, !(p), "!" #p)
#define KUNIT_EXPECT_STREQ(t, a, b) NATIVE_CHECK(t, false, !strcmp(a, b), #a " as " #b)
#define KUNIT_EXPECT_EQ_MSG(t, a, b, ...) NATIVE_CMP(t, false, a, ==, b, __VA_ARGS__)
#define KUNIT_EXPECT_TRUE_MSG(t, c, ...) NATIVE_CHECK(t, false, c, #c, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(t, c, ...) NATIVE_CHECK(t, false, !(c), "!" #c, __VA_ARGS__)
#define KUNIT_EXPECT_NULL_MSG(t, p, ...) NATIVE_CHECK(t, false, !(p), "!" #p, __VA_ARGS__)

#define KUNIT_ASSERT_EQ(t, a, b) NATIVE_CMP(t, true, a, ==, b)
#define KUNIT_ASSERT_LT(t, a, b) NATIVE_CMP(t, true, a, <, b)
#define KUNIT_ASSERT_GT(t, a, b) NATIVE_CMP(t, true, a, >, b)
#define KUNIT_ASSERT_LE(t, a, b) NATIVE_CMP(t, true, a, <=, b)
#define KUNIT_ASSERT_GE(t, a, b) NATIVE_CMP(t, true, a, >=, b)
#define KUNIT_ASSERT_TRUE(t, c) NATIVE_CHECK(t, true, c, #c)
#define KUNIT_ASSERT_FALSE(t, c) NATIVE_CHECK(t, true, !(c), "!" #c)
#define KUNIT_ASSERT_NOT_NULL(t, p) NATIVE_CHECK(t, true, p, #p)
#define KUNIT_ASSERT_PTR_EQ(t, a, b) NATIVE_CMP(t, true, a, ==, b)
#define KUNIT_ASSERT_EQ_MSG(t, a, b, ...) NATIVE_CMP(t, true, a, ==, b, __VA_ARGS__)
#define KUNIT_ASSERT_TRUE_MSG(t, c, ...) NATIVE_CHECK(t, true, c, #c, __VA_ARGS__)
#define KUNIT_ASSERT_FALSE_MSG(t, c, ...) NATIVE_CHECK(t, true, !(c), "!" #c, __VA_ARGS__)
#define KUNIT_ASSERT_NULL_MSG(t, p, ...) NATIVE_CHECK(t, true, !(p), "!" #p, __VA_ARGS__)
#define KUNIT_ASSERT_NOT_NULL_MSG(t, p, ...) NATIVE_CHECK(t, true, p, #p, __VA_ARGS__)

#endif /* RXE_NATIVE_TEST_H */
