#!/usr/bin/env bats
# What sendfs says and how it exits.  Needs nothing but the program.

source "$BATS_TEST_DIRNAME/../support/lib.bash"

setup() {
	work_begin
	cd "$WORK"
	mkdir mnt
}
teardown() {
	cd /
	cleanup
}

# Runs sendfs; it must exit with STATUS and say TEXT and nothing else.
refuses() { # STATUS TEXT arguments...
	local wanted=$1 text=$2
	shift 2
	run "$SENDFS" "$@"
	if [ "$status" != "$wanted" ] || [ "$output" != "sendfs: $text" ]; then
		echo "sendfs $*: status $status, wanted $wanted"
		echo "said:   $output"
		echo "wanted: sendfs: $text"
		return 1
	fi
}

bad_value() { # OPTION VALUE WANTED
	refuses 1 "bad value '$2' for option '$1': $3 is wanted" src mnt -o "$1=$2"
}

@test "arguments" {
	refuses 1 "SOURCE and MOUNTPOINT are missing (see sendfs --help)"
	refuses 2 "MOUNTPOINT is missing (see sendfs --help)" src
	refuses 1 "one argument too many: 'more'" src mnt more
	refuses 1 "option '-o' needs a value" src mnt -o
}

@test "unknown options are named" {
	refuses 1 "unknown option 'foo'" src mnt -o foo
	refuses 1 "unknown option 'foo=1'" -o ro,foo=1,nofail src mnt
	refuses 1 "unknown option '-q'" -q src mnt
	refuses 1 "unknown option '--foo'" src mnt --foo
	refuses 1 "unknown option 'cache'" src mnt -o cache
}

@test "bad values are named" {
	bad_value cache lots 'a size such as 64M'
	bad_value cache 4K 'at least 1M'
	bad_value readahead 1X 'a size such as 64M'
	bad_value workers many 'a number up to 256'
	bad_value workers 257 'a number up to 256'
	bad_value uid nobody 'a number'
	bad_value gid -1 'a number'
	bad_value umask 9 'an octal number up to 777'
	bad_value snapshots name "a path with one '*'"
	bad_value snapshots '*/*' "a path with one '*'"
	bad_value device '' 'something'
	bad_value plans '' 'something'
	bad_value max_read x "a number up to $((1 << 30))"
	bad_value max_threads 0 'at least 1'
}

@test "help and version" {
	run "$SENDFS" --help
	[ "$status" = 0 ]
	[ "${lines[0]}" = "usage: sendfs [options] SOURCE MOUNTPOINT" ]
	for word in snapshots= device= cache= readahead= workers= plans= uid= gid= umask= \
		allow_other default_permissions fsname= max_read= -f -d -s -h -V; do
		[[ $output == *"$word"* ]]
	done
	run "$SENDFS" -h
	[ "$status" = 0 ]
	for option in -V --version; do
		run "$SENDFS" "$option"
		[ "$status" = 0 ]
		[[ ${lines[0]} =~ ^sendfs\ [0-9]+\.[0-9]+ ]]
		[[ ${lines[1]} == "FUSE library version 3."* ]]
	done
}

@test "mount points" {
	touch file
	refuses 4 "mount point none: No such file or directory" file none
	refuses 4 "mount point file: not a directory" file file
	refuses 4 "mount point file/x: Not a directory" file file/x
}

@test "sources" {
	refuses 3 "none: No such file or directory" none mnt
	refuses 3 "/proc: not on a btrfs" /proc mnt
	refuses 3 "/dev/null: neither a directory nor a block device nor an image file" /dev/null mnt
	truncate -s 1M zeros
	refuses 3 "zeros: not a btrfs" zeros mnt
	refuses 3 "zeros: not a btrfs" -f zeros mnt
	: >empty
	refuses 3 "empty: too small to be a btrfs" empty mnt
}

@test "sources without permission" {
	[ "$(id -u)" = 0 ] || skip "needs root, to become somebody else"
	truncate -s 1M secret
	mkdir secrets
	chmod 600 secret
	chmod 700 secrets
	cp "$SENDFS" program # where nobody can reach it
	chmod 755 program
	for source in secret secrets secrets/x; do
		run as_user nobody ./program "$source" mnt
		[ "$status" = 3 ]
		[ "$output" = "sendfs: $source: Permission denied" ]
	done
}

@test "images that are not whole" {
	have mkfs.btrfs || skip "needs mkfs.btrfs"
	PATH=$PATH:/sbin:/usr/sbin image_new good 128M
	cp --sparse=always good.img cut.img
	truncate -s 100M cut.img
	run "$SENDFS" cut.img mnt
	[ "$status" = 3 ]
	[[ $output == "sendfs: cut.img: truncated: "* ]]
	refuses 3 "none: No such file or directory" good.img mnt -o device=none
	refuses 1 "option 'plans': /proc/plans: No such file or directory" good.img mnt \
		-o plans=/proc/plans
}

@test "busy mount points and devices" {
	missing=$(missing_for_mounts)
	[ -z "$missing" ] || skip "$missing"
	image_new good 128M
	"$SENDFS" good.img mnt -o plans=none
	refuses 4 "mount point mnt: busy: sendfs is mounted there already" good.img mnt
	umount mnt
	image_mount good
	device=$(findmnt -n -o SOURCE "$WORK/good")
	refuses 3 "$device: in use: name the directory where its snapshots are mounted" "$device" mnt
	refuses 3 "good: mounted: the kernel tells its devices, 'device' is not wanted" good mnt \
		-o "device=$device"
	! mountpoint -q mnt
}

@test "the manual page" {
	page=$BATS_TEST_DIRNAME/../../man/sendfs.8
	for word in snapshots device cache readahead workers plans uid gid umask; do
		grep -q "$word" "$page"
	done
	if have mandoc; then
		run mandoc -T lint -W warning "$page"
		[ -z "$output" ]
	elif have groff; then
		run groff -man -ww -z -Tutf8 "$page"
		[ -z "$output" ]
	elif have man; then
		run env LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page"
		[[ $output != *warning* ]]
	else
		skip "needs mandoc, groff or man"
	fi
}
