// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rvt: command line, the case runner and what every part needs. */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ep.h"
#include "pair.h"

struct progress {
	char step[200];
	char failure[400];
};

static struct progress *progress;

static const struct rvt_case_list *const lists[] = {
	&rvt_data_cases,     &rvt_error_cases,	&rvt_state_cases, &rvt_flow_cases,
	&rvt_event_cases,    &rvt_stream_cases, &rvt_dgram_cases, &rvt_limits_cases,
	&rvt_async_cases,    &rvt_atomic_cases, &rvt_uc_cases,	  &rvt_flush_cases,
	&rvt_mr_cases,	     &rvt_ud_cases,	&rvt_odp_cases,	  &rvt_odp_memory_cases,
	&rvt_prefetch_cases,
};

uint64_t rvt_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

void rvt_sleep_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

void rvt_step(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(progress->step, sizeof(progress->step), fmt, ap);
	va_end(ap);
}

void rvt_say(const char *text)
{
	fprintf(stderr, "%s\n", text);
}

void rvt_fail(const char *file, int line, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!progress->failure[0])
		snprintf(progress->failure, sizeof(progress->failure), "%s:%d: %s", file, line,
			 text);
	_exit(1);
}

uint64_t rvt_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* Eight bytes of the pattern at a time; bytes do not depend on alignment. */
static uint64_t word_at(uint64_t key, uint64_t off)
{
	uint64_t w = (key * 0x2545f4914f6cdd1dULL + (off >> 3)) * 0x9e3779b97f4a7c15ULL;

	return w ^ w >> 32;
}

void rvt_fill(void *buf, uint64_t off, size_t len, uint64_t key)
{
	uint8_t *p = buf;

	for (size_t i = 0; i < len;) {
		uint64_t w = word_at(key, off + i);
		unsigned int skip = (off + i) & 7;
		size_t n = 8 - skip < len - i ? 8 - skip : len - i;

		w >>= 8 * skip;
		memcpy(p + i, &w, n);
		i += n;
	}
}

size_t rvt_find(const void *buf, uint64_t off, size_t len, uint64_t key)
{
	const uint8_t *p = buf;

	for (size_t i = 0; i < len;) {
		uint64_t w = word_at(key, off + i);
		unsigned int skip = (off + i) & 7;
		size_t n = 8 - skip < len - i ? 8 - skip : len - i;

		w >>= 8 * skip;
		if (memcmp(p + i, &w, n)) {
			while (p[i] == (uint8_t)w) {
				w >>= 8;
				i++;
			}
			return i;
		}
		i += n;
	}
	return len;
}

static struct ep *open_end(const struct rvt_config *cfg, const char *tag, bool remote)
{
	const struct rvt_dev *dev = remote ? &cfg->b : &cfg->a;

	if (remote && cfg->peer)
		return ep_remote(tag, dev, cfg->peer, cfg->port);
	return ep_local(tag, dev);
}

static void run_child(const struct rvt_config *cfg, const struct rvt_case *c)
{
	struct env e = { .cfg = cfg };

	rvt_step("opening the devices");
	e.a = open_end(cfg, "a", cfg->swap);
	e.b = open_end(cfg, "b", !cfg->swap);
	rvt_step("running");
	c->run(&e, c->arg);
	_exit(0);
}

static bool wait_child(pid_t pid, unsigned int ms, int *status)
{
	uint64_t end = rvt_now_ms() + ms;

	do {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		rvt_sleep_ms(5);
	} while (rvt_now_ms() < end);
	return false;
}

static void print_stack(pid_t pid)
{
	char line[200];
	FILE *f;

	snprintf(line, sizeof(line), "/proc/%d/stack", pid);
	f = fopen(line, "r");
	while (f && fgets(line, sizeof(line), f))
		printf("# %s", line);
	if (f)
		fclose(f);
}

/* Returns 0 passed, 1 failed, 2 the process cannot be killed. */
static int run_case(const struct rvt_config *cfg, const struct rvt_case *c, unsigned int nr,
		    unsigned int timeout_s)
{
	uint64_t start = rvt_now_ms();
	int status = 0, stuck = 0;
	bool hang = false;
	pid_t pid;

	memset(progress, 0, sizeof(*progress));
	fflush(NULL);
	pid = fork();
	if (!pid)
		run_child(cfg, c);
	if (!wait_child(pid, timeout_s * 1000, &status)) {
		hang = true;
		kill(pid, SIGKILL);
		stuck = !wait_child(pid, 10000, &status);
	}
	if (!hang && WIFEXITED(status) && !WEXITSTATUS(status)) {
		printf("ok %u - %s\n", nr, c->name);
		fprintf(stderr, "%s: %llu ms\n", c->name,
			(unsigned long long)(rvt_now_ms() - start));
		fflush(stdout);
		return 0;
	}
	printf("not ok %u - %s\n", nr, c->name);
	printf("# step: %s\n", progress->step);
	if (progress->failure[0])
		printf("# %s\n", progress->failure);
	if (hang)
		printf("# did not end within %u s%s\n", timeout_s,
		       stuck ? ", and cannot be killed" : "");
	else if (WIFSIGNALED(status))
		printf("# died of signal %d\n", WTERMSIG(status));
	if (stuck)
		print_stack(pid);
	fflush(stdout);
	return stuck ? 2 : 1;
}

static bool wanted(const struct rvt_case *c, char **patterns, int n, const struct rvt_config *cfg,
		   const unsigned int *mtus, int nmtu)
{
	bool named = false, mtu_ok = !c->mtu;

	for (int i = 0; i < nmtu; i++)
		mtu_ok |= c->mtu == mtus[i];
	for (int i = 0; i < n; i++)
		named |= !fnmatch(patterns[i], c->name, 0);
	if (c->local && cfg->peer)
		return false;
	return mtu_ok && (n ? named : !c->extra);
}

static const char usage[] =
	"usage: rvt [options] [CASE-PATTERN...]\n"
	"       rvt --server [--port P]\n"
	"Runs RC verbs test cases and prints KTAP. Both ends are in this process\n"
	"unless --client names a host where rvt --server runs.\n"
	"  -d, --device NAME        device of this end (rxe_0)\n"
	"  -D, --peer-device NAME   device of the other end (the same)\n"
	"  -i, --ip ADDR            use the GID of this address\n"
	"  -I, --peer-ip ADDR       the same for the other end\n"
	"  -c, --client HOST        the other end is there\n"
	"  -s, --server             be the other end\n"
	"  -p, --port P             TCP port (7471)\n"
	"  -w, --swap               the other end is the requester\n"
	"  -m, --mtu LIST           path MTUs of the data cases (256,512,1024)\n"
	"  -t, --timeout S          seconds one case may take (90), times $RXE_SLOW\n"
	"  -l, --list               names only\n"
	"stream.custom (only when named):\n"
	"  -n, --messages N  -S, --max-size B  -q, --qps N  -T, --threads N\n"
	"  -e, --seed N  -1, --one-way  -r, --rnr\n";

static const struct option options[] = {
	{ "device", 1, NULL, 'd' },   { "peer-device", 1, NULL, 'D' },
	{ "ip", 1, NULL, 'i' },	      { "peer-ip", 1, NULL, 'I' },
	{ "client", 1, NULL, 'c' },   { "server", 0, NULL, 's' },
	{ "port", 1, NULL, 'p' },     { "swap", 0, NULL, 'w' },
	{ "mtu", 1, NULL, 'm' },      { "timeout", 1, NULL, 't' },
	{ "list", 0, NULL, 'l' },     { "messages", 1, NULL, 'n' },
	{ "max-size", 1, NULL, 'S' }, { "qps", 1, NULL, 'q' },
	{ "threads", 1, NULL, 'T' },  { "seed", 1, NULL, 'e' },
	{ "one-way", 0, NULL, '1' },  { "rnr", 0, NULL, 'r' },
	{ "help", 0, NULL, 'h' },     { NULL, 0, NULL, 0 },
};

struct cmdline {
	struct rvt_config cfg;
	unsigned int mtus[8];
	int nmtu;
	unsigned int timeout;
	bool server, list;
};

static int parse_mtus(struct cmdline *c, char *list)
{
	c->nmtu = 0;
	for (char *m = strtok(list, ","); m && c->nmtu < 8; m = strtok(NULL, ","))
		c->mtus[c->nmtu++] = atoi(m);
	return 0;
}

static int parse_option(struct cmdline *c, int opt)
{
	struct rvt_stream_cfg *s = &c->cfg.stream;

	switch (opt) {
	case 'd':
		c->cfg.a.name = optarg;
		return 0;
	case 'D':
		c->cfg.b.name = optarg;
		return 0;
	case 'i':
		c->cfg.a.gid_ip = optarg;
		return 0;
	case 'I':
		c->cfg.b.gid_ip = optarg;
		return 0;
	case 'c':
		c->cfg.peer = optarg;
		return 0;
	case 'p':
		c->cfg.port = optarg;
		return 0;
	case 'w':
		c->cfg.swap = true;
		return 0;
	case 's':
		c->server = true;
		return 0;
	case 'l':
		c->list = true;
		return 0;
	case 't':
		c->timeout = atoi(optarg);
		return 0;
	case 'm':
		return parse_mtus(c, optarg);
	case 'n':
		s->messages = atoi(optarg);
		return 0;
	case 'S':
		s->max_size = atoi(optarg);
		return 0;
	case 'q':
		s->qps = atoi(optarg);
		return 0;
	case 'T':
		s->threads = atoi(optarg);
		return 0;
	case 'e':
		s->seed = strtoull(optarg, NULL, 0);
		return 0;
	case '1':
		s->one_way = true;
		return 0;
	case 'r':
		s->rnr = true;
		return 0;
	}
	return -1;
}

static int run_all(struct cmdline *c, char **patterns, int npat)
{
	const struct rvt_case *picked[400];
	unsigned int n = 0, failed = 0;

	for (size_t l = 0; l < ARRAY_SIZE(lists); l++)
		for (size_t i = 0; i < lists[l]->nr && n < ARRAY_SIZE(picked); i++)
			if (wanted(&lists[l]->cases[i], patterns, npat, &c->cfg, c->mtus, c->nmtu))
				picked[n++] = &lists[l]->cases[i];
	if (c->list) {
		for (unsigned int i = 0; i < n; i++)
			puts(picked[i]->name);
		return !n;
	}
	printf("KTAP version 1\n1..%u\n", n);
	for (unsigned int i = 0; i < n; i++) {
		int ret = run_case(&c->cfg, picked[i], i + 1, c->timeout);

		failed += !!ret;
		if (ret == 2) {
			printf("Bail out! a process hangs in the kernel\n");
			return 1;
		}
	}
	printf("# rvt: %u passed, %u failed\n", n - failed, failed);
	return failed || !n;
}

int main(int argc, char **argv)
{
	struct cmdline c = {
		.cfg = {
			.a.name = "rxe_0",
			.port = "7471",
			.stream = { .messages = 500, .max_size = 65536, .qps = 1, .threads = 1,
				    .seed = 1 },
		},
		.mtus = { 256, 512, 1024 },
		.nmtu = 3,
		.timeout = 90,
	};
	const char *slow = getenv("RXE_SLOW");
	int opt;

	while ((opt = getopt_long(argc, argv, "d:D:i:I:c:p:wslt:m:n:S:q:T:e:1rh", options, NULL)) !=
	       -1) {
		if (parse_option(&c, opt)) {
			fputs(usage, opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
	}
	if (slow) {
		c.timeout *= atoi(slow);
		pair_slow(atoi(slow));
	}
	if (!c.cfg.b.name)
		c.cfg.b.name = c.cfg.a.name;
	if (!c.cfg.b.gid_ip && !c.cfg.peer)
		c.cfg.b.gid_ip = c.cfg.a.gid_ip;
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (progress == MAP_FAILED) {
		perror("rvt: mmap");
		return 1;
	}
	if (c.server)
		return ep_serve(c.cfg.port);
	return run_all(&c, argv + optind, argc - optind);
}
