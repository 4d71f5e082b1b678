# SPDX-License-Identifier: GPL-2.0
# Chooses the actors of a round, and counts which actors have met. Sourced.

declare -A played met

# deal: sets cast to the actors of the next round, $most of them or one less. The first is one with the
# fewest rounds, followed by those that have met the ones before them least often. So each takes part
# early, and in a long run each meets each other.
deal()
{
	local n card other best least score
	cast=()
	seeded deal
	shuffled "${cards[@]}"
	between n $((most - (round > FIRST_ROUNDS))) $most
	while ((n-- > 0)); do
		least=''
		for card in "${shuffled[@]}"; do
			score=${played[$card]:-0}
			for other in "${cast[@]}"; do
				[ "$card" != "$other" ] || continue 2
				score=$((score + 1000 * ${met["$card|$other"]:-0}))
			done
			if [ -z "$least" ] || ((score < least)); then
				best=$card least=$score
			fi
		done
		cast+=("$best")
	done
}

# note_meeting: counts a meeting of all actors in cast.
note_meeting()
{
	local one other
	for one in "${actors[@]}"; do
		played[$one]=$((${played[$one]:-0} + 1))
		for other in "${actors[@]}"; do
			[ "$one" = "$other" ] || met["$one|$other"]=$((${met["$one|$other"]:-0} + 1))
		done
	done
}

# turns_of ACTOR: prints the sum of its turns over all rounds.
turns_of()
{
	awk -v name="$1" '{ n = $1; sub(/^[0-9]+ /, "") } $0 == name { sum += n } END { print sum + 0 }' \
		"$LOGS/turns"
}

# matrix: prints how many rounds each actor had with each other one, and how many turns.
matrix()
{
	local one other column=0 line pairs=0 all=0 everyone=("${always[@]}" "${cards[@]}")
	echo "  rounds that two actors had together, numbered across as they are down; in brackets, all of one"
	for one in "${everyone[@]}"; do
		column=$((column + 1))
		printf -v line '  %2d %-12s' $column "$one"
		for other in "${everyone[@]}"; do
			if [ "$one" = "$other" ]; then
				printf -v line '%s %4s' "$line" "(${played[$one]:-0})"
			else
				printf -v line '%s %4d' "$line" "${met["$one|$other"]:-0}"
				all=$((all + 1)) pairs=$((pairs + (${met["$one|$other"]:-0} > 0)))
			fi
		done
		echo "$line  $(turns_of "$one") turns"
	done
	echo "  $((pairs / 2)) of $((all / 2)) pairs have met in $round rounds"
}

all_took_part()
{
	local actor
	matrix
	for actor in "${always[@]}" "${cards[@]}"; do
		holds "all take part: $actor, in ${played[$actor]:-0} rounds" "$(turns_of "$actor") > 0"
	done
}
