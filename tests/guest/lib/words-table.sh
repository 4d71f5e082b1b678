# SPDX-License-Identifier: GPL-2.0
# Every word of dm-stats' grammar, valid and invalid. Sourced by test-regions-words.sh. Each table
# deletes its regions.

both "names" <<'END'
%20
%09%0a
%00@stats_list
stats_list
stats_create - /1
@
@stats
@stats_
@stats_lis
@stats_lists
@stats_create_
@@stats_list
@ stats_list
@stats_list
@STATS_LIST
@sTaTs_LiSt
%20%09%0b%0c%0d%a0@stats_list%a0
@stats_list%00 too many words
@stats_list%00%00
@\stats_list
\@stats_list
@stats\_list
@stats_list\
"@stats_list"
@stats_list "" ""
@stats_list \  \ 
@stats_list a
@stats_list a b
@stats_list %e4%f6
@STATS_CREATE - /1
@Stats_Print 0
@Stats_Print_Clear 0
@Stats_Clear 0
@Stats_Set_Aux 0 A
@Stats_List
@Stats_Delete 0
END

both "ranges" <<'END'
@stats_create
@stats_create -
@stats_create - 
@stats_create -- /1
@stats_create + /1
@stats_create 0 /1
@stats_create 0+ /1
@stats_create +8 /1
@stats_create 0-8 /1
@stats_create 0+8+ /1
@stats_create 0+8, /1
@stats_create 0+8s /1
@stats_create 0x0+8 /1
@stats_create 0+0x8 /1
@stats_create -1+8 /1
@stats_create 0+-8 /1
@stats_create 0++8 /1
@stats_create +0+8 /1
@stats_create 0+0 /1
@stats_create 5+0 /1
@stats_create 18446744073709551615+1 /1
@stats_create 18446744073709551608+8 /1
@stats_create 1+18446744073709551615 /1
@stats_create 18446744073709551615+18446744073709551615 /1
@stats_create 18446744073709551616+1 /1
@stats_create 99999999999999999999+1 /1
@stats_create 0+8 /1
@stats_create 00+008 /1
@stats_create \ 0+\ 8 /1
@stats_create \%090+8 /1
@stats_create 0\ +8 /1
@stats_create 0+8\  /1
@stats_create \0+\8 /1
@stats_create 16777208+8 /1
@stats_create 0+18446744073709551615 /1 UNCHECKED
@stats_create 18446744073709551614+1 /1 UNCHECKED
@stats_create 0+18446744073709551616 /1 UNCHECKED
@stats_create 0+99999999999999999999 /7 UNCHECKED
@stats_create 16777216+1 /1 UNCHECKED
@stats_create 4294967296+4294967296 /3 UNCHECKED
@stats_list
@stats_print 0
@stats_delete 0
@stats_delete 1
@stats_delete 2
@stats_delete 3
@stats_delete 4
@stats_delete 5
@stats_delete 6
@stats_delete 7
@stats_delete 8
@stats_delete 9
@stats_delete 10
@stats_delete 11
@stats_list
END

both "steps" <<'END'
@stats_create 0+100 0
@stats_create 0+100 -1
@stats_create 0+100 +1
@stats_create 0+100 -
@stats_create 0+100 1k
@stats_create 0+100 0x10
@stats_create 0+100 1+
@stats_create 0+100 /
@stats_create 0+100 //4
@stats_create 0+100 /0
@stats_create 0+100 /-1
@stats_create 0+100 /+1
@stats_create 0+100 /1x
@stats_create 0+100 1/
@stats_create 0+100 /4294967296
@stats_create 0+100 /8589934592
@stats_create 0+100 7
@stats_create 0+100 007
@stats_create 0+100 \ 7
@stats_create 0+100 100
@stats_create 0+100 101
@stats_create 0+100 4294967296
@stats_create 0+100 18446744073709551615
@stats_create 0+100 18446744073709551616
@stats_create 0+100 /1
@stats_create 0+100 /3
@stats_create 0+100 /7
@stats_create 0+100 /99
@stats_create 0+100 /100
@stats_create 0+100 /101
@stats_create 0+100 /4294967295
@stats_create 0+100 /4294967297
@stats_create 0+100 /\ 2
@stats_create 0+100 \/2
@stats_create 0+100 /99999999999999999999
@stats_create - 8388607
@stats_create - /3
@stats_list
@stats_print 0
@stats_print 9
@stats_print 10
@stats_print 12
END
for id in $(seq 0 20); do echo "@stats_delete $id"; done | both "steps deleted" "0"

{
	cat <<'END'
@stats_create 0+9 /1 0
@stats_create 0+9 /1 1
@stats_create 0+9 /1 2 precise_timestamps
@stats_create 0+9 /1 1 x
@stats_create 0+9 /1 1 precise_timestamp
@stats_create 0+9 /1 1 precise_timestamps_
@stats_create 0+9 /1 2 precise_timestamps x
@stats_create 0+9 /1 1 histogram
@stats_create 0+9 /1 1 histogram:
@stats_create 0+9 /1 1 histogram:0
@stats_create 0+9 /1 1 histogram:,
@stats_create 0+9 /1 1 histogram:1,
@stats_create 0+9 /1 1 histogram:,1
@stats_create 0+9 /1 1 histogram:1,,2
@stats_create 0+9 /1 1 histogram:1,1
@stats_create 0+9 /1 1 histogram:2,1
@stats_create 0+9 /1 1 histogram:1,0
@stats_create 0+9 /1 1 histogram:1ms
@stats_create 0+9 /1 1 histogram:1,2ms
@stats_create 0+9 /1 1 histogram:1.5
@stats_create 0+9 /1 1 histogram:-1
@stats_create 0+9 /1 1 histogram:+1
@stats_create 0+9 /1 1 histogram:1;2
@stats_create 0+9 /1 1 histogram:1\ ,2
@stats_create 0+9 /1 1 histogram:1,2\ 
@stats_create 0+9 /1 1 histogram:18446744073709551615,18446744073709551616
@stats_create 0+9 /1 2 histogram:1 histogram:2
@stats_create 0+9 /1 2 histogram:1,2 HISTOGRAM:1,2
@stats_create 0+9 /1 -1 precise_timestamps
@stats_create 0+9 /1 1 1
@stats_create 0+9 /1 4294967295 precise_timestamps
@stats_create 0+9 /1 99999999999999999999 precise_timestamps
@stats_create 0+9 /1 1 precise_timestamps
@stats_create 0+9 /1 01 PRECISE_TIMESTAMPS
@stats_create 0+9 /1 \ 1 precise\_timestamps
@stats_create 0+9 /1 3 precise_timestamps Precise_Timestamps precise_timestamps
@stats_create 0+9 /1 4294967296 prog
@stats_create 0+9 /1 4294967297 precise_timestamps prog aux
@stats_create 0+9 /1 1 histogram:1
@stats_create 0+9 /1 1 Histogram:1,2,3
@stats_create 0+9 /1 1 histogram:001,\ 2
@stats_create 0+9 /1 1 histogram:1,18446744073709551615
@stats_create 0+9 /1 1 histogram:18446744073709551616
@stats_create 0+9 /1 2 histogram:10,20 precise_timestamps prog
@stats_create 0+9 /1 2 precise_timestamps histogram:10,20 prog aux
@stats_create 0+9 /1 2 precise_timestamps histogram:10,20 prog aux more
@stats_list
@stats_print 0
@stats_print 8
@stats_print 13
END
	for id in $(seq 0 14); do echo "@stats_delete $id"; done
} | both "options"

{
	cat <<'END'
@stats_create 0+9 /1 prog
@stats_create 0+9 /1 prog aux
@stats_create 0+9 /1 prog aux more
@stats_create 0+9 /1 0 prog aux
@stats_create 0+9 /1 0 0 0
@stats_create 0+9 /1 0 prog aux more
@stats_create 0+9 /1 precise_timestamps
@stats_create 0+9 /1 histogram:1,2 histogram:x
@stats_create 0+9 /1 1x
@stats_create 0+9 /1 - -
@stats_create 0+9 /1 PROG two\ words
@stats_create 0+9 /1 two\ words back\\slash\%09tab\%0anewline
@stats_create 0+9 /1 %e4%c3%a4 %01%7f%ff
@stats_create 0+9 /1 "a b"
@stats_create 0+9 /1 x\ end\
@stats_create 0+9 /1 \  \ 
@stats_list
@stats_list prog
@stats_list PROG
@stats_list pro
@stats_list prog\ 
@stats_list two\ words
@stats_list two words
@stats_list \ 
@stats_list %e4%c3%a4
@stats_list -
@stats_list 0
@stats_set_aux
@stats_set_aux 0
@stats_set_aux 0 new
@stats_set_aux 0 new more
@stats_set_aux 1 with\ blank\\and\"more\"
@stats_set_aux 2 -
@stats_set_aux -1 x
@stats_set_aux 99 x
@stats_set_aux x x
@stats_set_aux 0x1 x
@stats_set_aux 3 \%0a
@stats_list
END
	echo "@stats_set_aux 0 $(printf 'x%.0s' $(seq 5000))"
	echo "@stats_list prog"
	for id in $(seq 0 15); do echo "@stats_delete $id"; done
} | both "programs and auxiliary data"

both "ids" <<'END'
@stats_create 0+1 1 a
@stats_create 0+2 1 b
@stats_create 0+3 1 c
@stats_create 0+4 1 d
@stats_delete
@stats_delete 1 2
@stats_delete -1
@stats_delete +1
@stats_delete 1x
@stats_delete x
@stats_delete 0x1
@stats_delete 1\ 
@stats_delete -\ 1
@stats_delete --1
@stats_delete 4
@stats_delete 2147483647
@stats_delete 2147483648
@stats_delete 4294967295
@stats_delete 4294967300
@stats_delete 9223372036854775808
@stats_delete 18446744073709551615
@stats_delete 18446744073709551616
@stats_delete 99999999999999999999
@stats_delete -2147483648
@stats_list
@stats_delete 1
@stats_delete 1
@stats_clear 1
@stats_print 1
@stats_print_clear 1
@stats_set_aux 1 x
@stats_list
@stats_create 0+5 1 e
@stats_create 0+6 1 f
@stats_list
@stats_delete 0
@stats_delete 2
@stats_create 0+7 1 g
@stats_create 0+8 1 h
@stats_create 0+9 1 i
@stats_list
@stats_delete 00
@stats_delete \ 1
@stats_delete 4294967298
@stats_delete -4294967293
@stats_delete -0
@stats_list
@stats_create 0+1 1 j
@stats_delete -0
@stats_delete 4
@stats_delete 5
@stats_list
@stats_clear
@stats_clear 0
@stats_clear x
@stats_clear -1
@stats_clear 0 0
END

both "printing" <<'END'
@stats_create 100+25 10
@stats_create 100+25 10 1 histogram:1,2
@stats_print
@stats_print 0
@stats_print 1
@stats_print 2
@stats_print x
@stats_print 0x
@stats_print -1
@stats_print 4294967296
@stats_print 0 0
@stats_print 0 -
@stats_print 0 0 1 2
@stats_print 0 - -
@stats_print 0 0 0
@stats_print 0 0 -
@stats_print 0 - 0
@stats_print 0 - 2
@stats_print 0 1 -
@stats_print 0 1 1
@stats_print 0 2 1
@stats_print 0 2 2
@stats_print 0 2 18446744073709551615
@stats_print 0 3 1
@stats_print 0 4 0
@stats_print 0 18446744073709551615 1
@stats_print 0 18446744073709551615 18446744073709551615
@stats_print 0 18446744073709551616 1
@stats_print 0 1 18446744073709551616
@stats_print 0 01 \ 1
@stats_print 0 -1 1
@stats_print 0 1 -1
@stats_print 0 +1 1
@stats_print 0 x 1
@stats_print 0 1 x
@stats_print 0 1x 1
@stats_print 0 1 1x
@stats_print 0 -- 1
@stats_print 1 1 1
@stats_print_clear
@stats_print_clear 0
@stats_print_clear 0 1
@stats_print_clear 0 1 1
@stats_print_clear 0 - -
@stats_print_clear 0 5 5
@stats_print_clear 0 x 5
@stats_print_clear 0 1 1 1
@stats_print_clear 7
@stats_print_clear 7 x 1
@stats_clear 0
@stats_clear 1
@stats_delete 0
@stats_delete 1
END

# Limits. With 15 bounds the number of counters is just valid, but this guest has too little memory.
bounds=$(seq -s, 16)
{
	echo "@stats_create - 1"
	echo "@stats_create - 2"
	echo "@stats_create 0+8388609 1"
	echo "@stats_create - /8388609"
	echo "@stats_create - /4294967295"
	echo "@stats_create 0+8388608 1 1 histogram:$bounds"
	echo "@stats_create 0+8388608 1 1 histogram:${bounds%,16}"
	echo "@stats_create 0+8388608 1"
	echo "@stats_create 0+18446744073709551615 1 UNCHECKED"
	echo "@stats_create 0+18446744073709551615 2199023255551 UNCHECKED"
	echo "@stats_create 0+2000 1"
	# A long list of bounds, in a region of one area and in a region of too many areas.
	echo "@stats_create - /1 1 histogram:$(seq -s, 9000)"
	echo "@stats_create 0+14914 1 1 histogram:$(seq -s, 9000)"
	echo "@stats_create - /1 1 histogram:$(seq -s, 9000),9000"
	echo "@stats_list"
	for id in 0 1 2; do
		echo "@stats_print $id"
		echo "@stats_delete $id"
	done
	echo "@stats_list"
} | both "limits"
