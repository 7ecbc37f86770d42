/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Version of the driver; PACKAGE_VERSION in dkms.conf is the same */
#ifndef RXE_VERSION_H
#define RXE_VERSION_H

#define RXE_VERSION "0.1.0"

#endif /* RXE_VERSION_H */
