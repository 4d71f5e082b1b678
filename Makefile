# SPDX-License-Identifier: GPL-2.0
# `make run` and `make test` install and build all they need. On a machine with a Rust-enabled kernel plain `make`
# and `make install` work as for any module; if its headers have no rust/ directory, after `make kdir`.

KRELEASE ?= $(shell uname -r)
KDIR ?= $(shell scripts/find-kdir.sh "$(KRELEASE)")

.PHONY: modules modules_install install kdir packages clean run tools check test bench bench-native fuzz torture nightly mutants help

modules:
	@scripts/check-kdir.sh "$(KDIR)"
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

# Distributions install modules without debug information, here 13 MB. INSTALL_MOD_STRIP= keeps it. The
# kernel's configuration selects whether modules are signed and compressed.
INSTALL_MOD_STRIP ?= 1
export INSTALL_MOD_STRIP
# The module is signed if the user has put a key into the tree: see Documentation/kernels.rst. Debian's configuration has
# another file for it.
certs = $(KDIR)/certs/signing_key
signing = $(if $(wildcard $(certs).x509),CONFIG_MODULE_SIG_ALL=y,CONFIG_MODULE_SIG_ALL=) \
	$(if $(wildcard $(certs).pem),CONFIG_MODULE_SIG_KEY=certs/signing_key.pem)
modules_install:
	@scripts/check-kdir.sh "$(KDIR)" install
	$(MAKE) -C $(KDIR) M=$(CURDIR) $(signing) modules_install

# The kernel's own target runs depmod only if the tree has a System.map, which no headers package has.
DEPMOD ?= /sbin/depmod
install: modules_install
	$(DEPMOD) $(if $(INSTALL_MOD_PATH),-b $(INSTALL_MOD_PATH)) "$$(cat $(KDIR)/include/config/kernel.release)"

kdir:
	@scripts/kdir.sh "$(KRELEASE)"

# Debian packages; prints where they are.
packages:
	@scripts/packages.sh

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean

run:
	@scripts/run.sh

# ioscope, as one static binary; prints where it is.
tools:
	@scripts/tools.sh

# Before each commit: all that needs no booted kernel.
check:
	@scripts/check.sh

T ?= all
# Part of the guest area: make test T=guest PARTS="load null"
export PARTS
test:
	@scripts/test.sh $(T)

# Some rows only: make bench ROWS="iostats iostat" CPUS=1
# With a profile of the module by function: make bench ROWS=iostat CPUS=1 PROFILE=1
export ROWS CPUS PROFILE
bench:
	@scripts/bench.sh

bench-native:
	@scripts/bench-native.sh

S ?= 60
fuzz:
	@scripts/fuzz.sh $(T) $(S)

KIND ?= all
torture:
	@DURATION=$(DURATION) SEED=$(SEED) TOGETHER=$(TOGETHER) scripts/torture.sh $(KIND)

mutants:
	@scripts/mutants.sh $(T)

nightly:
	@scripts/nightly.sh $(T)

help:
	@echo "make run               set up, build, boot the stock kernel, show the module at work"
	@echo "make check             style, floor 0 on the host, and whether the KUnit suites compile; boots nothing"
	@echo "make test [T=area]     run the tests; areas: style host tools metrics packages guest arm64 kunit bench"
	@echo "                       torture all"
	@echo "make tools             build ioscope, the command that shows the statistics"
	@echo "make test T=guest PARTS=\"load null\"   only these parts (tests/guest/parts/test-PART.sh)"
	@echo "make torture [DURATION=seconds] [SEED=n] [KIND=kasan|kcsan|stock]   stress, fault injection, data races"
	@echo "make torture SEED=1,2,3 TOGETHER=2   one guest per seed, two at a time"
	@echo "make mutants [T=host|guest]   change the code in one place at a time: a test must fail"
	@echo "make nightly [T=area]  run the tests that take hours; continues an earlier run of the commit"
	@echo "make packages          build the Debian packages, with modules for the supported kernels"
	@echo "make bench             measure the cost, and update the figures in bench/"
	@echo "make bench-native      measure the record path alone, on this machine, in ns"
	@echo "make fuzz [T=target]   fuzz floor 0 for a minute, or S=seconds"
	@echo "make [KDIR=...]        build iostat.ko for a prepared kernel tree"
	@echo "make kdir              prepare a tree for the running kernel, or KRELEASE=..., if its headers are not enough"
	@echo "make install [INSTALL_MOD_STRIP=]   install iostat.ko; with its debug information"
	@echo "KERNEL=series make run  the same for another series of scripts/kernels.txt; FLAVOUR=generic, ARCH=arm64 select other kernels"
