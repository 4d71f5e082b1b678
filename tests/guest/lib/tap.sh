# SPDX-License-Identifier: GPL-2.0
# Counted assertions. Sourced by test.sh in the guest.

passed=0 failed=0

pass()
{
	passed=$((passed + 1))
	echo "ok - $1"
}

fail()
{
	failed=$((failed + 1))
	echo "not ok - $1${2:+: $2}"
	# A mutant is found by its first failed check: the rest need not run.
	[ "${MUTANT:-0}" = 0 ] || exit 1
}

# is NAME GOT WANT
is()
{
	if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "got '$2', want '$3'"; fi
}

# holds NAME EXPRESSION: EXPRESSION is an arithmetic condition on shell variables.
holds()
{
	if (($2)); then pass "$1"; else fail "$1" "not ($(eval echo "\"$(echo "$2" | sed 's/[a-z_][a-z_0-9]*/&=$&/g')\""))"; fi
}

# succeeds NAME COMMAND...; refuses NAME COMMAND...
succeeds()
{
	local name=$1
	shift
	if "$@" >/tmp/out 2>&1; then pass "$name"; else fail "$name" "$* says $(tail -n 1 /tmp/out)"; fi
}

refuses()
{
	local name=$1
	shift
	if "$@" >/tmp/out 2>&1; then fail "$name" "$* succeeded"; else pass "$name"; fi
}

finish()
{
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
