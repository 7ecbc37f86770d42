// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A TCG plugin that counts instructions of a guest with one CPU between two
 * marks (mark.h), apart for kernel and user space.
 *
 * An iteration of a repeated string instruction (a copy or a zeroing) is a block
 * of its own in QEMU's translation, which ends behind each. These are counted
 * apart: a CPU handles many bytes of them at a time.
 *
 * Argument out=FILE. Each MARK_STOP appends
 *
 *	stop KERNEL KERNEL_REP USER
 *	ADDRESS EXECUTIONS INSNS REP	for each block of kernel code that ran
 *	end
 *
 * with numbers and the address in hex; INSNS counts those of one execution
 * that are not repeated, REP is 1 where the block ends in one that is.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark.h"
#include "qemu_plugin.h"

#define KERNEL_START 0xffff800000000000ull
#define BUCKETS (1u << 16)

struct block {
	struct block *next;
	uint64_t vaddr, runs;
	uint32_t insns, rep;
};

static struct block *buckets[BUCKETS];
static uint64_t user_insns;
static FILE *out;

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;

/* A block may be translated many times; it keeps its counter. */
static struct block *find(uint64_t vaddr, uint32_t insns, uint32_t rep)
{
	struct block **head = &buckets[(vaddr ^ vaddr >> 16) % BUCKETS], *b;

	for (b = *head; b; b = b->next)
		if (b->vaddr == vaddr && b->insns == insns && b->rep == rep)
			return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		abort();
	*b = (struct block){ .next = *head, .vaddr = vaddr, .insns = insns, .rep = rep };
	*head = b;
	return b;
}

static void start(void)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct block *b = buckets[i]; b; b = b->next)
			b->runs = 0;
	user_insns = 0;
}

static void stop(void)
{
	uint64_t insns = 0, rep = 0;

	for (size_t i = 0; i < BUCKETS; i++)
		for (struct block *b = buckets[i]; b; b = b->next) {
			insns += b->runs * b->insns;
			rep += b->runs * b->rep;
		}
	fprintf(out, "stop %llx %llx %llx\n", (unsigned long long)insns, (unsigned long long)rep,
		(unsigned long long)user_insns);
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct block *b = buckets[i]; b; b = b->next)
			if (b->runs)
				fprintf(out, "%llx %llx %x %x\n", (unsigned long long)b->vaddr,
					(unsigned long long)b->runs, b->insns, b->rep);
	fprintf(out, "end\n");
	fflush(out);
}

static void marked(unsigned int vcpu, void *command)
{
	(void)vcpu;
	switch ((uintptr_t)command) {
	case MARK_START:
		start();
		break;
	case MARK_STOP:
		stop();
		break;
	}
}

/* The command of a mark, 0 for any other instruction. */
static uint32_t mark_of(const struct qemu_plugin_insn *insn)
{
	const uint8_t *p = qemu_plugin_insn_data(insn);
	uint32_t disp;

	if (qemu_plugin_insn_size(insn) != MARK_SIZE || p[0] != 0x0f || p[1] != 0x1f ||
	    p[2] != 0x80)
		return 0;
	memcpy(&disp, p + 3, sizeof(disp));
	return (disp & 0xffff0000) == MARK_MAGIC ? disp & 0xffff : 0;
}

static bool is_prefix(uint8_t c)
{
	return c == 0x66 || c == 0x67 || c == 0x2e || c == 0x36 || c == 0x3e || c == 0x26 ||
	       c == 0x64 || c == 0x65 || c == 0xf0 || c == 0xf2 || c == 0xf3 || (c & 0xf0) == 0x40;
}

/* ins, outs, movs, cmps, stos, lods or scas with a repeat prefix. */
static bool is_repeated(const struct qemu_plugin_insn *insn)
{
	const uint8_t *p = qemu_plugin_insn_data(insn);
	size_t size = qemu_plugin_insn_size(insn), i;
	bool rep = false;

	for (i = 0; i < size && is_prefix(p[i]); i++)
		rep |= p[i] == 0xf2 || p[i] == 0xf3;
	if (!rep || i + 1 != size)
		return false;
	return (p[i] >= 0x6c && p[i] <= 0x6f) || (p[i] >= 0xa4 && p[i] <= 0xa7) ||
	       (p[i] >= 0xaa && p[i] <= 0xaf);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t vaddr = qemu_plugin_tb_vaddr(tb);
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct block *b;
	uint32_t rep = 0;

	(void)id;
	if (vaddr < KERNEL_START) {
		for (size_t i = 0; i < n; i++) {
			struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
			uint32_t command = mark_of(insn);

			if (command)
				qemu_plugin_register_vcpu_insn_exec_cb(insn, marked,
								       QEMU_PLUGIN_CB_NO_REGS,
								       (void *)(uintptr_t)command);
		}
		qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
							 &user_insns, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		rep += is_repeated(qemu_plugin_tb_get_insn(tb, i));
	b = find(vaddr, n - rep, rep);
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &b->runs, 1);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
	if (!out) {
		fprintf(stderr, "insns: no file to write to\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
