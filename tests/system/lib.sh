# SPDX-License-Identifier: GPL-2.0
# Functions of the steps. Sourced by run. $old and $new are releases of kernels, $this and $next versions of packages,
# which are in /srv/repository, a source of apt, and /srv/next.

export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PAGER=cat SYSTEMD_COLORS=0
disk=vdb

# matches NAME ACTUAL PATTERN: ACTUAL matches a shell pattern.
matches()
{
	case $2 in
	$3) pass "$1" ;;
	*) fail "$1" "$2" ;;
	esac
}

# works NAME COMMAND...: the command succeeds. Its output is printed, by which the host sees that it goes on.
works()
{
	local name=$1
	shift
	echo "# $*"
	"$@" 2>&1 </dev/null | sed -u 's/^/# /'
	is "$name" "${PIPESTATUS[0]}" 0
}

# install NAME PACKAGE...
install()
{
	local name=$1
	shift
	works "$name" apt-get install -y -q --no-install-recommends "$@"
}

# debs VERSION PACKAGE...: prints the files of our packages.
debs()
{
	local version=$1 package
	shift
	for package; do
		ls {/srv/repository,/srv/next}/"${package}_${version}_amd64.deb" 2>/dev/null
	done
}

# packages: prints our packages with their versions.
packages()
{
	dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version}\n' 'iostat-*' | awk '$1 != "un" { print $2, $3, $1 }'
}

# reads_recorded: prints how many reads the module has recorded on the disk of the tests.
reads_recorded()
{
	cat /sys/block/$disk/iostat/devstat/operations_read
}

# counts NAME: the module and the kernel count the same reads, which are as many as were issued.
counts()
{
	local ours theirs
	ours=$(reads_recorded)
	theirs=$(awk '{ print $1 }' /sys/block/$disk/stat)
	dd if=/dev/$disk of=/dev/null bs=4k count=100 iflag=direct status=none
	is "$1: reads" $(($(reads_recorded) - ours)) 100
	is "$1: reads in the kernel's statistics" $(($(awk '{ print $1 }' /sys/block/$disk/stat) - theirs)) 100
}

# metrics: prints what the exporter answers.
metrics()
{
	exec 3<>/dev/tcp/127.0.0.1/9797 || return
	printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
	timeout 60 cat <&3
	exec 3>&-
}

# exporter NAME: the exporter answers, by its socket, as a user that exists only while it runs.
exporter()
{
	local answer uid
	is "$1: socket" "$(systemctl is-active ioscope-export.socket)" active
	answer=$(metrics)
	matches "$1: answer" "$(head -n 1 <<<"$answer")" "HTTP/1.? 200 OK*"
	holds "$1: reads of the disk" "$(grep -c "device=\"$disk\"" <<<"$answer") > 0"
	is "$1: service" "$(systemctl is-active ioscope-export.service)" active
	uid=$(ps -o uid= -C ioscope | tr -d ' ')
	holds "$1: its user is of systemd's range for dynamic users" "${uid:-0} >= 61184 && ${uid:-0} <= 65519"
}

# healthy NAME: the system has started, and no unit has failed.
healthy()
{
	systemctl is-system-running --wait >/dev/null
	is "$1: no unit failed" "$(systemctl list-units --failed --plain --no-legend | awk '{ print $1 }' | xargs)" ""
}
