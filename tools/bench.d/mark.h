/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How a program in the guest talks to the plugin: a NOP that does nothing on a
 * CPU and that no compiler makes, with the command in its displacement.
 */
#ifndef RXE_BENCH_MARK_H
#define RXE_BENCH_MARK_H

#define MARK_START 1 /* forget what was counted */
#define MARK_STOP 2 /* write a record of what was counted since */

#define MARK_MAGIC 0x52580000
#define MARK_SIZE 7

/* nopl MAGIC+COMMAND(%rax) */
#define MARK(command)                                      \
	asm volatile(".byte 0x0f, 0x1f, 0x80\n\t.long %c0" \
		     :                                     \
		     : "i"(MARK_MAGIC + (command))         \
		     : "memory")

#endif
