// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* flowi4_tos became flowi4_dscp. In 7.3, not in 6.12 */
#include <net/flow.h>
#include <net/inet_dscp.h>

void probe(struct flowi4 *fl4);

void probe(struct flowi4 *fl4)
{
	fl4->flowi4_dscp = inet_dsfield_to_dscp(0);
}
