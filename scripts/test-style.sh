#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Checks of style and structure that a reviewer would otherwise have to make.

. "$(dirname "$0")/lib.sh"
cd "$TOP"
passed=0 failed=0

# check NAME COMMAND...: COMMAND passes if it succeeds and prints nothing; it prints what is wrong. The time is printed from
# five seconds on.
check()
{
	local name=$1 output status=0 since=$SECONDS
	shift
	output=$("$@" 2>&1) || status=$?
	since=$((SECONDS - since))
	[ $since -lt 5 ] || name+=", $since s"
	if [ -z "$output" ] && [ $status = 0 ]; then
		passed=$((passed + 1))
		echo "  ok - $name"
	else
		failed=$((failed + 1))
		echo "  not ok - $name"
		echo "$output" | head -n 20 | sed 's/^/    /'
	fi
}

rust_files()
{
	git ls-files 'src/*.rs' 'rust/*.rs' 'tests/*.rs' 'bench/*.rs' 'fuzz/*.rs' 'include/*.rs' \
		'samples/*.rs' 'tools/*.rs'
}

# A shell of root that opens /dev/iostat for writing while the module is not loaded creates a regular file:
# scripts check for the device before they open it.
no_plain_device()
{
	git grep -nE '(<>|>) ?/dev/iostat' -- '*.sh' scripts samples README.md Documentation ':!tests/torture' | grep -vE '\$nobody|\[ -c /dev/iostat \]|`' |
		grep -v '^tests/guest/lib/lib.sh:' | grep -v '^scripts/test-style.sh:'
	true
}

# What imports cannot show: floor 0 calls nothing of the kernel, and floor 3 nothing of C.
floors()
{
	python3 -B scripts/imports.py
	grep -nE 'kernel::' -r src/acct src/acct.rs src/abi src/abi.rs |
		grep -v 'kernel::macros::kunit_tests' | grep -vE ':[0-9]+: *//'
	grep -nE '\bbindings::' -r src/iface src/iface.rs src/iostat.rs
	true
}

# What is in rust could be sent upstream: it depends on the kernel only, and does not name this module.
upstream()
{
	git grep -niE 'iostat|devstat|kstat|evcnt' -- rust
	git grep -nE 'crate::' -- rust | grep -vE 'crate::(kernel_ext|hint|below)\b|\[`crate::glue`\]'
	true
}

# A name of a type means one type: a search and a backtrace find what they name. Associated types are exempt.
unique_types()
{
	git grep -nE '^([[:space:]]*(pub(\([a-z:_ ]+\))? )?(unsafe )?(struct|enum|trait|union)|(pub(\([a-z:_ ]+\))? )?type) [A-Z]' \
		-- "src/*.rs" "rust/kernel/*.rs" |
		sed -E "s/^([^:]+:[0-9]+):.*(struct|enum|trait|union|type) ([A-Za-z0-9_]+).*/\3 \1/" |
		awk '$1 in first { print $1, "is a type in", first[$1], "and in", $2 } { first[$1] = $2 }
			END { if (!NR) print "no types found" }'
}

# Words that hide who does what.
plain_words()
{
	git grep -nwiE 'told|somebody|anybody|everybody|whoever|likewise' -- . ':!scripts/test-style.sh' ':!tests/mutants'
	# Tests have a user of this name.
	git grep -nwi nobody -- . ':!scripts' ':!tests'
	git grep -nwE '(is|are) none' -- src rust include Documentation README.md | grep -vE 'there (is|are) none'
	true
}

# A comment that begins with "The same" makes the reader look for the previous one; a warning, which fails nothing.
vague_comments()
{
	git grep -nE '(//+|\*) The same\b' -- src rust include | sed 's/^/  warning: /' || true
}

# unsafe is allowed in floor 1, which is rust/kernel and src/glue, in the probe files, and in the exported functions.
unsafe_fence()
{
	grep -nE '\bunsafe\b' -r src --include='*.rs' | grep -vE '^src/(glue/[a-z_/]+|recorder/probe(/(events|timeouts|fast|fast/watched|nfs|cgroups))?|kapi/exports(/[a-z_]+)?).rs:' |
		grep -vE 'forbid\(unsafe_code\)|:[0-9]+: *//'
	true
}

# Except the licence itself, and formats without comments.
spdx()
{
	git ls-files | grep -vE '^(COPYING|LICENSES/.*|MAINTAINERS|\.gitignore|.*\.md|.*\.json|Documentation/ABI/.*|fuzz/corpus/.*|tests/guest/tools/compressed.erofs.gz|tests/tools/(recording|screens/.*)|debian/(changelog|copyright|source/format))$' | while read -r file; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0' || echo "$file has no SPDX line"
	done
}

# A file should have one subject. A long one often has several; this is a warning and fails nothing.
# Headers are exempt: each describes a whole interface.
long_files()
{
	git ls-files '*.rs' '*.c' '*.sh' '*.py' | xargs wc -l |
		awk '$2 != "total" && $1 > 400 { print "  warning: " $2 " has " $1 " lines" }'
}

probe_calls()
{
	"$TOP/scripts/enter.sh" objdump -dr --no-show-raw-insn "/cache/${1#"$IOSTAT_CACHE"/}/iostat.o" |
		python3 -B scripts/probe_calls.py
}

# The examples of rust/kernel are not in the module.
log_messages()
{
	git ls-files -co --exclude-standard 'src/*.rs' 'src/*.c' 'rust/*.rs' 'include/*.h' | grep -v /examples/ |
		xargs python3 -B scripts/log_messages.py
}

# A stack has 16 KiB, part of which the callers of a probe have used.
frames()
{
	"$TOP/scripts/enter.sh" sh -c 'objdump -d --no-show-raw-insn "$1"' sh \
		"/cache/${1#"$IOSTAT_CACHE"/}/iostat.o" |
		awk '/^[0-9a-f]+ <.*>:$/ { function_name = $2 }
			!/\$0xffffffff/ && /sub +\$0x[0-9a-f][0-9a-f][0-9a-f][0-9a-f]+,%rsp/ { print function_name, "has a frame of", $NF }'
}

# Each function of the kernel API is described in its manual and called by a module of the tests.
api_walk()
{
	local api function
	for api in evcnt devstat kstat; do
		sed -nE -e 's/^static inline .*\b([a-z_0-9]+)\(.*/\1/p' -e 's/^#define ([a-z_0-9]+)\(.*/\1/p' \
			"include/iostat/$api.h" | grep -v '^__' | sort -u | while read -r function; do
			grep -qw "$function" -r tests/modules || echo "no module of the tests calls $function()"
			grep -qw "$function" "Documentation/$api.rst" || echo "Documentation/$api.rst lacks $function()"
		done
	done
}

# The manual of porting lists each change that the ported drivers of the tests needed.
porting()
{
	local change listed
	listed=$(tr -d '`' <Documentation/porting.rst)
	sed -n 's|.*/\* porting: \(.*\) \*/.*|\1|p' tests/modules/ported_*.c | sort -u | while IFS= read -r change; do
		[[ $listed == *"$change"* ]] ||
			echo "Documentation/porting.rst does not list: $change"
	done
	[ "$(grep -l 'porting: ' tests/modules/ported_*.c | wc -l)" = "$(ls tests/modules/ported_*.c | wc -l)" ] ||
		echo "a ported driver lists no change"
}

kernel=$("$TOP/scripts/kernel.sh")
source=/cache/${kernel#"$IOSTAT_CACHE"/}/source

rustfmt_check()
{
	"$TOP/scripts/enter.sh" rustfmt --edition 2021 --check --config-path "$source/.rustfmt.toml" \
		$(rust_files)
}

checkpatch()
{
	local ignored=NEW_TYPEDEFS,FILE_PATH_CHANGES,SPDX_LICENSE_TAG,CONFIG_DESCRIPTION,EXPORT_SYMBOL
	"$TOP/scripts/enter.sh" perl "$source/scripts/checkpatch.pl" --no-tree --quiet --terse --no-summary --ignore $ignored \
		-f $(git ls-files '*.c' '*.h' | grep -vE '^include/(trace/|iostat/compat.h)')
	# The only file that may ask for the version of the kernel.
	"$TOP/scripts/enter.sh" perl "$source/scripts/checkpatch.pl" --no-tree --quiet --terse --no-summary \
		--ignore $ignored,LINUX_VERSION_CODE,CONSTANT_COMPARISON -f include/iostat/compat.h
	# A TRACE_EVENT header does not follow the rules for ordinary C.
	"$TOP/scripts/enter.sh" perl "$source/scripts/checkpatch.pl" --no-tree --quiet --terse --no-summary \
		--ignore TRAILING_SEMICOLON,COMPLEX_MACRO,MACRO_ARG_REUSE,OPEN_ENDED_LINE,LONG_LINE,MACRO_ARG_UNUSED \
		-f $(git ls-files 'include/trace/*')
}

shell_syntax()
{
	local file
	for file in $(git ls-files '*.sh') scripts/guest-init .ci/run; do
		bash -n "$file"
	done
}

rustdoc()
{
	"$TOP/scripts/enter.sh" env RUSTDOCFLAGS='-D warnings' scripts/cargo.sh doc --no-deps --quiet
}

# What a user with an own KDIR does, in a copy of the tree, with clippy as the compiler.
plain_make()
{
	git ls-files | tar -cf - -T - |
		"$TOP/scripts/enter.sh" bash scripts/plain-make-in-root.sh "/cache/${kernel#"$IOSTAT_CACHE"/}/kdir" \
			>"$LOGS/plain-make.out" 2>"$LOGS/plain-make.log" || echo "failed, see $LOGS/plain-make.log"
	cat "$LOGS/plain-make.out"
}

# Of the whole module, which plain_make builds from nothing: files that are up to date are not checked again.
clippy()
{
	grep -q CLIPPY "$LOGS/plain-make.log" || echo "clippy did not run, see $LOGS/plain-make.log"
	grep -E -A6 '^(warning|error)|: (warning|error):|warning:' "$LOGS/plain-make.log" || true
}

# Programs read lines of /proc/kallsyms into 256 bytes; the longest symbol of the stock kernel has 185
# bytes: see scripts/short-names.sh. Symbols of clients in Rust are as long as those of the kernel crate,
# up to 210 bytes for the drop of an Arc.
short_symbols()
{
	"$TOP/scripts/enter.sh" sh -c '
		for module in "$1"/*.ko; do
			most=220
			[ "${module##*/}" != iostat.ko ] || most=190
			nm "$module" | awk -v module="${module##*/}" -v most=$most "
				length(\$NF) > most { print module \" has a symbol of \" length(\$NF) \" bytes: \" \$NF }
				END { if (!NR) print \"no symbols found in \" module }"
		done' sh "/cache/${1#"$IOSTAT_CACHE"/}/stripped"
}

# Errors are one sentence: no root, no tree, an unknown series or area.
sentences()
{
	local command
	for command in "setpriv --reuid=65534 --clear-groups scripts/run.sh" "make -s KDIR=/nowhere" \
		"make -s KDIR=/ test T=nothing" "env KERNEL=5.10 scripts/kernel.sh" \
		"env SERIES=5.11 scripts/kernel.sh" "env KERNEL=7.3 SERIES=5.11 scripts/kernel.sh" \
		"make -s bench ROWS=nothing" "make -s bench CPUS=none" "make -s nightly T=nothing"; do
		output=$($command 2>&1 </dev/null) && echo "$command succeeds"
		[ "$(echo "$output" | grep -c '^error: ')" = 1 ] || echo "$command prints: $output"
	done
}

# All structures have the same offsets in 32-bit programs.
layouts()
{
	"$TOP/scripts/enter.sh" sh -euc '
		for bits in 32 64; do
			gcc -m$bits -g -fno-eliminate-unused-debug-types -Iinclude/uapi -c -x c \
				include/uapi/linux/iostat.h -o /tmp/header.o
			pahole /tmp/header.o >/tmp/layout$bits
		done
		for name in snapshot kstat_read cpu_record; do
			grep -q "^struct iostat_$name {" /tmp/layout32 || echo "no structure iostat_$name found"
		done
		diff /tmp/layout32 /tmp/layout64'
}

# The headers for programs compile as strict C and as C++, with the root's clang++.
languages()
{
	"$TOP/scripts/enter.sh" sh -euc '
		echo "#include <linux/iostat.h>" >/tmp/calls.h
		echo "#include \"tools/iostat.h\"" | cat /tmp/calls.h - >/tmp/memory.h
		echo "#include \"tests/guest/tools/iostat-v1.h\"" >/tmp/version1.h
		for compiler in "gcc -std=c11" "clang-19 -std=c11" "clang++-19 -std=c++11"; do
			language=c
			case $compiler in *++*) language=c++ ;; esac
			for bits in 32 64; do
				for header in calls memory version1; do
					$compiler -m$bits -Iinclude/uapi -I. -D_POSIX_C_SOURCE=200809L \
						-D_FILE_OFFSET_BITS=64 -Wall -Wextra -Werror -pedantic-errors \
						-fsyntax-only -include /tmp/$header.h -x $language /dev/null
				done
			done
		done'
}

# The examples in the manual of the binary ABI are whole files and compile.
examples()
{
	"$TOP/scripts/enter.sh" sh -euc '
		dir=$(mktemp -d)
		awk -v dir="$dir" "
			/^\t#include/ && !inside { inside = 1; file = dir \"/example\" ++n \".c\" }
			inside && !/^(\t|$)/ { inside = 0 }
			inside { sub(/^\t/, \"\"); print >file }" Documentation/abi.rst
		[ "$(ls "$dir" | wc -l)" = 4 ] || echo "there are $(ls "$dir" | wc -l) examples"
		for file in "$dir"/*.c; do
			for compiler in gcc clang-19; do
				$compiler -Wall -Wextra -Werror -I include/uapi -I tools -o "$dir/object" -c "$file"
			done
		done
		rm -r "$dir"'
}

# Each counter of devstat, each event, and each file beside the directories of a disk has a name in the documentation of its
# files.
documented()
{
	local page=Documentation/ABI/testing/sysfs-block-iostat name counters events files
	counters=$(sed -nE 's/^ +[a-z_]+ = c"([a-z_]+)";$/\1/p' src/acct/counts.rs)
	events=$(sed -nE 's/^ +[A-Za-z0-9]+ = c"([a-z_0-9]+)",$/\1/p' src/acct/disk_event.rs)
	[ -n "$counters" ] || echo "src/acct/counts.rs has no counters"
	[ -n "$events" ] || echo "src/acct/disk_event.rs has no events"
	files=$(sed -nE 's/.*Attribute::new\(c"([a-z_]+)", DiskFile::[A-Za-z]+\).*/\1/p' src/iface/sysfs.rs)
	[ -n "$files" ] || echo "src/iface/sysfs.rs has no files"
	for name in $files; do
		grep -qE "^What:.*/iostat/([a-z]+/)?$name\$" $page || echo "$page has no $name"
	done
	for name in $counters; do
		grep -q "^What:.*/devstat/$name\$" $page || echo "$page has no devstat/$name"
	done
	for name in $events; do
		sed -n '/^What:.*iostat\/events\//,/^What:/p' $page | grep -qw "$name" || echo "$page has no events/$name"
	done
}

# The table of kernels and what the documentation says was shown on each have the same rows.
kernel_table()
{
	local rows series
	rows=$(awk '!/^#/ { print $1, $2, $3, $4, $5 }' "$TOP/scripts/kernels.txt" | sort)
	[ -n "$rows" ] || echo "scripts/kernels.txt has no rows"
	diff <(echo "$rows") <(awk '$1 ~ /^[0-9]+\.[0-9]+$/ { print $1, $2, $3, $4, $5 }' "$TOP/Documentation/kernels.rst" | sort)
	# The table of systems in README.md has a row of each series.
	for series in $(awk '!/^#/ { print $1 }' "$TOP/scripts/kernels.txt" | sort -u); do
		grep -q "^|.*[^0-9.]$series[^0-9.]" "$TOP/README.md" || echo "README.md has no row for $series"
	done
}

# The crates, the packages and the changelog have the same version.
versions()
{
	local file version
	version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
	for file in tools/ioscope/Cargo.toml tools/iostat-map/Cargo.toml; do
		grep -qx "version = \"$version\"" "$file" || echo "$file has another version than Cargo.toml, $version"
	done
	[[ $(head -n 1 debian/changelog) == "iostat ($version) "* ]] || echo "debian/changelog does not begin with $version"
	for file in packaging/fedora/*.spec; do
		grep -qxE "Version:[[:space:]]+$version" "$file" || echo "$file has not $version"
	done
	[[ $(grep -m 1 '^## \[[0-9]' CHANGELOG.md) == "## [$version] - "* || $(grep -m 1 '^## ' CHANGELOG.md) == "## [Unreleased]" ]] ||
		echo "CHANGELOG.md does not begin with $version"
}

# One warning of the unwinder is left out, and no other.
trouble_patterns()
{
	local what="WARNING: stack going in the wrong direction? at" other
	. "$TOP/scripts/trouble.sh"
	! grep -qE "$TROUBLE" <<<"$what return_to_handler+0x46/0x50" || echo "$what return_to_handler is a complaint"
	for other in "$what ret_from_fork+0x1/0x2" "$what iostat_request_issue+0x1/0x2" "WARNING: stack recursion on stack type 1" \
		"WARNING: security/a.c:1 at f+0x1/0x2" "WARNING: stuck" "WARNING: static key" "WARNING: stack_depot" "WARNING: mm/slub.c:1 at f+0x1/0x2"; do
		grep -qE "$TROUBLE" <<<"$other" || echo "$other is no complaint"
	done
}

# Otherwise make mutants does not start.
mutations()
{
	local copy
	copy=$(mktemp -d)
	git ls-files Kbuild include rust src tests | tar -cf - -T - | tar -xf - -C "$copy"
	python3 -B tests/mutants/apply.py "$copy" 2>&1 >/dev/null
	rm -rf "$copy"
}

long_files
vague_comments
check "floors import only downward, and no circles" floors
check "nothing in rust names this module or depends on it" upstream
check "no two types of one name" unique_types
check "the table of kernels and its documentation" kernel_table
check "comments and documentation in plain words" plain_words
check "each counter and event has documentation" documented
check "troubleshooting.rst explains each message of the kernel log" log_messages
check "one version in crates, packages and changelog" versions
check "which warnings of a kernel fail a test" trouble_patterns
check "each mutation of the guest areas fits the code" mutations
check "README.md and bench.rst have the figures of bench/*.json" python3 -B bench/pages.py --check
check "no script creates a regular file /dev/iostat" no_plain_device
check "the examples of abi.rst compile" examples
check "unsafe only in rust/kernel, src/glue, the probe files and the exports" unsafe_fence
check "an SPDX line in every file" spdx
check "shell syntax" shell_syntax
check "rustfmt, with the kernel's settings" rustfmt_check
check "checkpatch" checkpatch
check "each function of the kernel API is described and called" api_walk
check "the changes of ported drivers are listed" porting
check "structures of the binary ABI are the same in 32 and 64 bits" layouts
check "headers for programs, in strict C and C++" languages
check "rustdoc of floor 0, warnings denied" rustdoc
check "plain make, modules_install, clean" plain_make
check "clippy, as the kernel runs it, without a warning" clippy
check "errors are one sentence" sentences
check "no symbol that is too long for readers of kallsyms" short_symbols "$("$TOP/scripts/build.sh" "$kernel" 2>/dev/null)"
check "probes do not allocate or free memory, sleep, print or panic" probe_calls "$("$TOP/scripts/build.sh" "$kernel" 2>/dev/null)"
check "no stack frame over 4 KiB" frames "$("$TOP/scripts/build.sh" "$kernel" 2>/dev/null)"
echo "style: $passed passed, $failed failed"
[ "$failed" = 0 ]
