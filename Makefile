# SPDX-License-Identifier: GPL-2.0
# `make run` and `make test` set up all they need. On a machine that runs a
# Rust-enabled kernel with a usable KDIR, plain `make` and `make modules_install`
# work as for any module.

KDIR ?= /lib/modules/$(shell uname -r)/build

.PHONY: modules modules_install clean run test bench bench-native fuzz torture nightly mutants help

modules:
	@scripts/check-kdir.sh "$(KDIR)"
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

# As distributions install modules: without debug information, of which there are 13 MB. With
# INSTALL_MOD_STRIP= it is kept. The kernel's configuration says whether they are signed and compressed.
INSTALL_MOD_STRIP ?= 1
export INSTALL_MOD_STRIP
modules_install:
	@scripts/check-kdir.sh "$(KDIR)"
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean

run:
	@scripts/run.sh

T ?= all
# Part of the guest area: make test T=guest PARTS="load null"
export PARTS
test:
	@scripts/test.sh $(T)

# Part of it: make bench ROWS="iostats iostat" CPUS=1
export ROWS CPUS
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
	@echo "make test [T=area]     run the tests; areas: style host guest kunit bench torture all"
	@echo "make test T=guest PARTS=\"load null\"   only these parts (tests/guest/test-PART.sh)"
	@echo "make torture [DURATION=seconds] [SEED=n] [KIND=kasan|kcsan|stock]   storms, faults, data races"
	@echo "make torture SEED=1,2,3 TOGETHER=2   a guest for each seed, two at a time"
	@echo "make mutants [T=host|guest]   changes the code in one place after another: a test must fail"
	@echo "make nightly [T=area]  what takes hours; goes on where an earlier run of this commit stopped"
	@echo "make bench             measure what it costs, and keep the figures in bench/"
	@echo "make bench-native      the same of the record path alone, on this machine, in ns"
	@echo "make fuzz [T=target]   fuzz floor 0 for a minute, or S=seconds"
	@echo "make [KDIR=...]        build iostat.ko for a prepared kernel tree"
	@echo "make modules_install [INSTALL_MOD_STRIP=]   install it; with its debug information"
	@echo "KERNEL=7.2 make run    the same for another supported series"
