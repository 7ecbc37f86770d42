# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Test suites of the KUnit module, relative to this folder.

rxe-kunit :=
