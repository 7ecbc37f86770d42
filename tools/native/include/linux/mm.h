/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RXE_NATIVE_MM_H
#define RXE_NATIVE_MM_H

#include <kunit/test.h>

#endif /* RXE_NATIVE_MM_H */
