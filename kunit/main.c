// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The test module: its suites run when it is loaded */
#include <linux/module.h>

#include "util.h"

unsigned long rxe_kunit_seed = 1;
module_param_named(seed, rxe_kunit_seed, ulong, 0444);
MODULE_PARM_DESC(seed, "first seed of the randomised cases (default 1)");

unsigned int rxe_kunit_seeds;
module_param_named(seeds, rxe_kunit_seeds, uint, 0444);
MODULE_PARM_DESC(seeds,
		 "seeds per randomised case (default 0: as each case needs)");

MODULE_DESCRIPTION("KUnit suites of the pure layers of rdma_rxe");
MODULE_LICENSE("Dual BSD/GPL");
