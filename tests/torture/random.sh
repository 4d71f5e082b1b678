# SPDX-License-Identifier: GPL-2.0
# Reproducible random numbers: every process of a run draws from the run's seed, its round and its own
# name, so the choices of one process do not depend on other processes. Sourced.

# seeded NAME: from here on this process draws from SEED, round and NAME only.
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

# between VARIABLE LOW HIGH: sets VARIABLE to a random number.
between()
{
	printf -v "$1" %d $(($2 + (RANDOM << 15 | RANDOM) % ($3 - $2 + 1)))
}

# one_of VARIABLE WORD...: sets VARIABLE to a random word.
one_of()
{
	local variable=$1
	shift
	printf -v "$variable" %s "${@:RANDOM % $# + 1:1}"
}

# chance PERCENT: true with this probability.
chance()
{
	((RANDOM % 100 < $1))
}

# shuffled WORD...: sets the array shuffled to the words in random order.
shuffled()
{
	local i j swap
	shuffled=("$@")
	for ((i = $# - 1; i > 0; i--)); do
		j=$((RANDOM % (i + 1)))
		swap=${shuffled[i]} shuffled[i]=${shuffled[j]} shuffled[j]=$swap
	done
}
