/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RXE_FUZZ_CONTAINER_OF_H
#define RXE_FUZZ_CONTAINER_OF_H

#include "types.h"

#endif /* RXE_FUZZ_CONTAINER_OF_H */
