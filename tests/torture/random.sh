# SPDX-License-Identifier: GPL-2.0
# Chance that can be had again: every process of a run draws from the run's
# seed, its round and its own name, so what the others do does not change what
# it does. Sourced.

# seeded NAME: from here on this process draws what only SEED, round and NAME say.
# (A subshell of bash starts a sequence of its own, unseeded: draw before forking.)
seeded()
{
	local text="$SEED ${round:-0} $1" hash=5381 i code
	for ((i = 0; i < ${#text}; i++)); do
		printf -v code %d "'${text:i:1}"
		hash=$(((hash * 33 ^ code) & 0x7fffffff))
	done
	RANDOM=$hash
}

# between VARIABLE LOW HIGH
between()
{
	printf -v "$1" %d $(($2 + (RANDOM << 15 | RANDOM) % ($3 - $2 + 1)))
}

# one_of VARIABLE WORD...
one_of()
{
	local variable=$1
	shift
	printf -v "$variable" %s "${@:RANDOM % $# + 1:1}"
}

# chance PERCENT
chance()
{
	((RANDOM % 100 < $1))
}

# shuffled WORD...: sets the array shuffled.
shuffled()
{
	local i j swap
	shuffled=("$@")
	for ((i = $# - 1; i > 0; i--)); do
		j=$((RANDOM % (i + 1)))
		swap=${shuffled[i]} shuffled[i]=${shuffled[j]} shuffled[j]=$swap
	done
}
