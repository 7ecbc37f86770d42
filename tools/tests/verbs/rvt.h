/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * rvt - verbs test program for the RC transport.
 *
 * A case is a straight script over two endpoints, a (requester) and b
 * (responder).  An endpoint is an open device; it lives in this process or
 * behind a TCP connection in another guest, and the case does not know which.
 * Every case runs in a process of its own, so that a failure is an exit and
 * nothing survives it.
 */
#ifndef RVT_H
#define RVT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* vendor_part_id of the driver under test; a peer may run another one */
#define RVT_PART_ID 4791

/* How long any one wait may take before it counts as a hang. */
#define WAIT_MS 30000

struct rvt_dev {
	const char *name; /* verbs device */
	const char *gid_ip; /* take the GID of this address, or NULL */
};

struct rvt_stream_cfg {
	uint32_t messages; /* per QP */
	uint32_t max_size; /* bytes, largest message */
	uint32_t qps;
	uint32_t threads;
	uint64_t seed;
	bool one_way; /* all QPs carry data from a to b */
	bool rnr; /* responder keeps fewer receives than the window */
};

struct rvt_config {
	struct rvt_dev a, b;
	const char *peer; /* host of the server, NULL: both ends here */
	const char *port;
	bool swap; /* the remote end is the requester */
	struct rvt_stream_cfg stream;
};

struct ep;

struct env {
	const struct rvt_config *cfg;
	struct ep *a, *b;
};

struct rvt_case {
	const char *name;
	void (*run)(struct env *e, const void *arg);
	const void *arg;
	bool extra; /* only when named or with --all */
	bool local; /* makes sense only with both ends in one process */
	unsigned int mtu; /* needs this IB MTU in bytes, 0: any */
};

/* What a case is doing now and why it failed, shared with the runner. */
void rvt_step(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* One line on stderr at once, for scripts that wait for it. */
void rvt_say(const char *text);
void rvt_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));
void rvt_sleep_ms(unsigned int ms);
uint64_t rvt_now_ms(void);

#define FAIL(...) rvt_fail(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(cond, ...)                   \
	do {                               \
		if (!(cond))               \
			FAIL(__VA_ARGS__); \
	} while (0)

/* Position-addressable test data: byte @off of the pattern named @key. */
uint64_t rvt_mix(uint64_t x);
void rvt_fill(void *buf, uint64_t off, size_t len, uint64_t key);
/* Offset of the first byte that differs, or @len. */
size_t rvt_find(const void *buf, uint64_t off, size_t len, uint64_t key);

#define KEY_POISON 0xdeadbeefULL

struct rvt_case_list {
	const struct rvt_case *cases;
	size_t nr;
};

extern const struct rvt_case_list rvt_data_cases;
extern const struct rvt_case_list rvt_error_cases;
extern const struct rvt_case_list rvt_state_cases;
extern const struct rvt_case_list rvt_flow_cases;
extern const struct rvt_case_list rvt_event_cases;
extern const struct rvt_case_list rvt_stream_cases;
extern const struct rvt_case_list rvt_dgram_cases;
extern const struct rvt_case_list rvt_limits_cases;
extern const struct rvt_case_list rvt_async_cases;
extern const struct rvt_case_list rvt_atomic_cases;
extern const struct rvt_case_list rvt_uc_cases;
extern const struct rvt_case_list rvt_flush_cases;
extern const struct rvt_case_list rvt_mr_cases;
extern const struct rvt_case_list rvt_ud_cases;
extern const struct rvt_case_list rvt_odp_cases;
extern const struct rvt_case_list rvt_odp_memory_cases;
extern const struct rvt_case_list rvt_prefetch_cases;

#endif
