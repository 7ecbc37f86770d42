# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Targets for people; "make help" tells them. The kernel's build system and
# DKMS read Kbuild, never this file.

SHELL := /bin/bash

running := /lib/modules/$(shell uname -r)/build
KDIR ?= $(if $(wildcard $(running)),$(running),$(lastword $(shell \
	printf '%s\n' /lib/modules/6.1.*-amd64/build | sort -V)))
BUILD ?= .

dkms-name := rdma_rxe-$(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

build := $(abspath $(BUILD))
in-place := $(filter $(CURDIR),$(build))
sources := Kbuild include drivers kunit

# Builds of one folder wait for each other; different ones run side by side.
kmake = flock $(build)/.build.lock $(MAKE) -C $(KDIR) M=$(build) $(if $(KUNIT),KUNIT=$(KUNIT)) $(if $(KVERBS),KVERBS=$(KVERBS))

.PHONY: all modules sync install clean help demo check check-full kunit \
	dkms-add dkms-remove

all: modules

modules: sync
	@[ -e "$(KDIR)/Makefile" ] || { \
		echo "No kernel headers at '$(KDIR)'. Install them (Debian: apt-get install linux-headers-amd64) or name a folder: make KDIR=..." >&2; exit 1; }
	+$(kmake) $(if $(W),W=$(W)) $(if $(C),C=$(C)) modules

# Sources keep their times, so that a build elsewhere stays incremental.
sync:
ifeq ($(in-place),)
	@mkdir -p $(build)
	@cd $(build) && rm -rf .sources && mkdir .sources
	@tar --format=posix -cf - --exclude='*.o' --exclude='*.ko' --exclude='.*.cmd' \
		--exclude='*.probe' --exclude='*.hdrtest' --exclude='*.log' --exclude='*.mod*' \
		--exclude=include/compat/features.h $(sources) | \
		tar -xf - -C $(build)/.sources
	@cd $(build) && for d in $(filter-out Kbuild,$(sources)); do \
		[ ! -d $$d ] || find $$d -type f \( -name '*.[ch]' -o -name '*.mk' \) \
			! -path include/compat/features.h -print0 | \
		while IFS= read -r -d '' f; do [ -e ".sources/$$f" ] || rm -f "$$f"; done; done
	@cd $(build) && cp -a .sources/. . && rm -rf .sources
endif

install: modules
	+$(kmake) INSTALL_MOD_DIR=updates modules_install
	@[ -n "$(INSTALL_MOD_PATH)" ] || depmod $$(cat $(KDIR)/include/config/kernel.release)

clean:
	+$(MAKE) -C $(KDIR) M=$(build) clean
	@rm -f $(build)/.build.lock

demo:
	tools/demo

check:
	tools/check

check-full:
	tools/check --full

kunit:
	tools/kunit

dkms-add:
	@$(MAKE) --no-print-directory -s BUILD=/usr/src/$(dkms-name) sync
	@cp dkms.conf /usr/src/$(dkms-name)
	dkms add $(subst -,/,$(dkms-name))

dkms-remove:
	dkms remove $(subst -,/,$(dkms-name)) --all

help:
	@echo 'Build and install:'
	@echo '  all          rdma_rxe.ko, in this folder (the default)'
	@echo '  install      into the updates folder of the kernel, then depmod; needs root'
	@echo '  clean        remove what a build made'
	@echo '  dkms-add     hand the sources to DKMS, for "dkms autoinstall" and new kernels'
	@echo '  dkms-remove  take them back'
	@echo
	@echo 'See it work, as root on Debian 12; each installs the packages it needs:'
	@echo '  demo         ib_send_bw between two virtual machines, with a capture'
	@echo '  check        all checks and tests'
	@echo '  check-full   the same, and the long ones'
	@echo '  kunit        the unit tests, on a debug kernel'
	@echo
	@echo 'Variables:'
	@echo '  KDIR=DIR     kernel build folder; now $(KDIR)'
	@echo '  BUILD=DIR    build there, from a copy of the sources, and leave this folder alone:'
	@echo '               one folder per kernel or configuration, e.g. BUILD=/tmp/rxe-6.12'
	@echo '  KUNIT=1      also build rxe_kunit.ko; KDIR needs a kernel with CONFIG_KUNIT'
	@echo '  KVERBS=1     also build rxe_kverbs.ko; likewise'
	@echo '  W=1, C=2     more compiler warnings; run sparse on all files'
	@echo '  INSTALL_MOD_PATH=DIR  install below DIR instead of /'
