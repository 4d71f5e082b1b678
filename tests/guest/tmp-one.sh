PARTS="load rtry"
. /payload/test.sh
