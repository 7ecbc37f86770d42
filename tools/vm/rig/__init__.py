# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The guest rig: kernels, initramfs, guests and the reading of their logs."""
