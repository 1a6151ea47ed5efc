#!/usr/bin/env bats
# What is in the mounted view, and the ways of reading it.

source "$BATS_TEST_DIRNAME/fixture.bash"

setup_file() {
	fixture_begin
	btrfs send -q -p "$WORK/fs/snaps/s1" "$WORK/fs/snaps/s2" >"$WORK/expected"
}
teardown_file() { cleanup; }

setup() {
	[ -d "$WORK" ] || skip "nothing to mount"
	sendfs_mount "$WORK/fs/snaps"
	cd "$WORK/view"
}
teardown() {
	cd /
	if mountpoint -q "$WORK/view"; then sendfs_umount; fi
}

@test "the root lists snapshots and successive pairs" {
	run ls
	[ "$status" = 0 ]
	[ "$output" = "$(printf '%s\n' s1 s1..s2 s2 s2..s3 s3)" ]
	run ls s1..s2
	[ "$output" = "$(printf '%s\n' info stream stream-nodata stream-v2 stream-v2-compressed)" ]
}

@test "listing starts no plan" {
	ls . s1 s1..s2 >/dev/null
	find . >/dev/null
	"$SUPPORT/file-probe" readdir . >/dev/null
	! daemon_log | grep planned
}

@test "attributes" {
	run stat -c '%a %u %g %F %h' s1..s2 s1..s2/stream
	[ "${lines[0]}" = "500 0 0 directory 2" ]
	[ "${lines[1]}" = "400 0 0 regular file 1" ]
	[ "$(stat -c %s s1..s2/stream)" = "$(stat -c %s "$WORK/expected")" ]
	[ "$(stat -c %b s1..s2/stream)" = $((($(stat -c %s "$WORK/expected") + 511) / 512)) ]
	otime=$(btrfs subvolume show "$WORK/fs/snaps/s2" | sed -n 's/^[[:space:]]*Creation time:[[:space:]]*//p')
	[ "$(stat -c %Y s1..s2/stream)" = "$(date -d "$otime" +%s)" ]
}

@test "find and ls -l see the size" {
	size=$(stat -c %s "$WORK/expected")
	[ "$(find s1..s2 -size "${size}c")" = s1..s2/stream ]
	ls -l s1..s2 | grep -qw "$size"
}

@test "variants of a stream" {
	for of in s2 s1..s2; do
		parent=()
		[ $of = s2 ] || parent=(-p "$WORK/fs/snaps/s1")
		cmp $of/stream-v2 <(btrfs send -q --proto 2 "${parent[@]}" "$WORK/fs/snaps/s2")
		cmp $of/stream-v2-compressed \
			<(btrfs send -q --proto 2 --compressed-data "${parent[@]}" "$WORK/fs/snaps/s2")
		cmp $of/stream-nodata <(btrfs send -q --no-data "${parent[@]}" "$WORK/fs/snaps/s2")
	done
	[ "$(stat -c %i s1..s2/* | sort -u | wc -l)" = 5 ]
	for file in s1..s2/*; do
		[ "$(stat -c %s "$file")" = "$(wc -c <"$file")" ]
	done
}

@test "one comparison for all files of a directory" {
	ls -l s1..s2
	cat s1..s2/* >/dev/null
	stat -c %s s1..s2/*
	[ "$(daemon_log | grep -c ': planned')" = 1 ]
}

@test "any pair and any name of a snapshot" {
	id=$(btrfs inspect-internal rootid "$WORK/fs/snaps/s1")
	uuid=$(btrfs subvolume show "$WORK/fs/snaps/s2" | sed -n 's/^[[:space:]]*UUID:[[:space:]]*//p')
	cmp "$id..$uuid/stream" "$WORK/expected"
	[ "$(stat -c %i "$id..$uuid/stream")" = "$(stat -c %i s1..s2/stream)" ]
	cmp s3..s1/stream <(btrfs send -q -p "$WORK/fs/snaps/s3" "$WORK/fs/snaps/s1")
	cmp s3/stream <(btrfs send -q "$WORK/fs/snaps/s3")
}

@test "the root is not the source: paths with %2F" {
	cd /
	sendfs_umount
	sendfs_mount "$WORK/fs"
	cd "$WORK/view"
	cmp snaps%2Fs1..snaps%2Fs2/stream "$WORK/expected"
}

@test "info" {
	[ "$(stat -c %s s1..s2/info)" = "$(wc -c <s1..s2/info)" ]
	grep -qx "size=$(stat -c %s "$WORK/expected")" s1..s2/info
	grep -qx 'snapshot_name=s2' s1..s2/info
	grep -qx 'parent_name=s1' s1..s2/info
	grep -qx 'protocol=1' s1..s2/info
	for variant in v2 v2-compressed nodata; do
		grep -qx "size_${variant/-/_}=$(stat -c %s s1..s2/stream-$variant)" s1..s2/info
	done
	[ "$(sed -n 's/^commands_clone=//p' s1,s3..s2/info)" = \
		"$(btrfs receive --dump -f s1,s3..s2/stream | grep -c ^clone)" ]
	grep -qx 'clone_source_1_name=s3' s1,s3..s2/info
	grep -qx 'type=full' s1/info
	! grep -q '^parent' s1/info
	mkfiles=$(sed -n 's/^commands_mkfile=//p' s1..s2/info)
	[ "$mkfiles" = 201 ]
}

@test "cat, cp, dd and tail" {
	cat s1..s2/stream | cmp - "$WORK/expected"
	cp s1..s2/stream "$WORK/copy"
	cmp "$WORK/copy" "$WORK/expected"
	dd if=s1..s2/stream bs=1000 skip=1234 count=77 status=none |
		cmp - <(dd if="$WORK/expected" bs=1000 skip=1234 count=77 status=none)
	dd if=s1..s2/stream bs=4096 skip=3 iflag=direct status=none |
		cmp - <(dd if="$WORK/expected" bs=4096 skip=3 status=none)
	tail -c 12345 s1..s2/stream | cmp - <(tail -c 12345 "$WORK/expected")
	cut=$(($(stat -c %s "$WORK/expected") - 3))
	tail -c "+$cut" s1..s2/stream | cmp - <(tail -c "+$cut" "$WORK/expected")
}

@test "mmap and splice as the first thing done" {
	"$SUPPORT/file-probe" mmap s1..s2/stream "$WORK/expected"
	cd /
	sendfs_umount
	sendfs_mount "$WORK/fs/snaps"
	cd "$WORK/view"
	"$SUPPORT/file-probe" splice s1..s2/stream | cmp - "$WORK/expected"
}

@test "SEEK_DATA and SEEK_HOLE" {
	"$SUPPORT/file-probe" seek s1..s2/stream
	"$SUPPORT/file-probe" seek s1/info
}

@test "random reads and many readers" {
	"$SUPPORT/file-probe" random s1..s2/stream "$WORK/expected" 1000 1
	cd /
	sendfs_umount
	sendfs_mount "$WORK/fs/snaps"
	cd "$WORK/view"
	"$SUPPORT/file-probe" readers s1..s2/stream "$WORK/expected" 8
	[ "$(daemon_log | grep -c 's1..s2: planned')" = 1 ]
	"$SUPPORT/file-probe" random s1..s2/stream "$WORK/expected" 1000 2
}

@test "random reads of a small stream" {
	btrfs send -q -p "$WORK/fs/snaps/s2" "$WORK/fs/snaps/s3" >"$WORK/small"
	"$SUPPORT/file-probe" random s2..s3/stream "$WORK/small" 1000 3
}

@test "many files of the view at once" {
	pids=()
	for pair in s1 s2 s3 s1..s2 s2..s3 s1..s3 s3..s1 s3..s2; do
		cat "$pair/stream" | md5sum >"$WORK/sum.$pair" &
		pids+=($!)
	done
	wait "${pids[@]}"
	[ "$(cat "$WORK/sum.s1..s2")" = "$(md5sum <"$WORK/expected")" ]
	for pair in s1 s2 s3; do
		[ "$(cat "$WORK/sum.$pair")" = "$(btrfs send -q "$WORK/fs/snaps/$pair" | md5sum)" ]
	done
}

@test "readdir: positions, inode numbers, types" {
	"$SUPPORT/file-probe" readdir . >/dev/null
	"$SUPPORT/file-probe" readdir s1 >/dev/null
	for i in $(seq 60); do
		ln -s . "$WORK/fs/snaps/other$i" # no snapshots
		btrfs -q subvolume snapshot -r "$WORK/fs/snaps/s3" \
			"$WORK/fs/snaps/a-long-name-so-that-one-buffer-does-not-hold-all-$i"
	done
	"$SUPPORT/file-probe" readdir . >"$WORK/names"
	[ "$(grep -c '^a-long-name[^.]*$' "$WORK/names")" = 60 ]
	[ -z "$(sort "$WORK/names" | uniq -d)" ]
	btrfs -q subvolume delete "$WORK"/fs/snaps/a-long-name* >/dev/null
	rm "$WORK"/fs/snaps/other*
}

@test "inode numbers outlast the daemon" {
	before=$(stat -c %i . s1 s1..s2 s1..s2/stream s1..s2/info)
	cd /
	sendfs_umount
	sendfs_mount "$WORK/fs/snaps"
	cd "$WORK/view"
	[ "$before" = "$(stat -c %i . s1 s1..s2 s1..s2/stream s1..s2/info)" ]
}

@test "nothing can be written" {
	for command in 'touch new' 'mkdir new' 'rmdir s1' 'rm s1/info' 'mv s1 s4' 'ln -s x new' \
		'ln s1/info new' 'chmod 700 s1' 'truncate -s 0 s1/stream' 'mkfifo new' \
		'dd if=/dev/null of=s1/stream conv=notrunc'; do
		run $command
		[ "$status" != 0 ]
		[[ $output == *"Read-only file system"* ]]
	done
	mount -o remount,rw "$WORK/view" 2>/dev/null || true
	run rm s1/info
	[[ $output == *"Read-only file system"* ]]
}

@test "df and findmnt" {
	run findmnt -n -o FSTYPE,SOURCE "$WORK/view"
	[ "$(echo $output)" = "fuse.sendfs $WORK/fs/snaps" ]
	findmnt -n -o OPTIONS "$WORK/view" | grep -qE '^ro,nosuid,nodev'
	run df --output=size,avail -B1 .
	[ "$(echo ${lines[1]})" = "$((512 << 20)) 0" ]
}

@test "what cannot be had, and why" {
	run cat none/stream
	[[ $output == *"No such file or directory" ]]
	run ls s1..none
	[[ $output == *"No such file or directory" ]]
	run ls s1/other
	[[ $output == *"No such file or directory" ]]
	daemon_log | grep -qx 'sendfs: none: no such snapshot'
	btrfs -q subvolume snapshot "$WORK/fs/work" "$WORK/fs/snaps/writable"
	run cat writable/stream
	[[ $output == *"Operation not permitted" ]]
	run cat s1..writable/stream
	[[ $output == *"Operation not permitted" ]]
	daemon_log | grep -qx "sendfs: s1..writable: subvolume 'writable' is not read-only"
	! ls | grep writable
	btrfs -q subvolume delete "$WORK/fs/snaps/writable" >/dev/null
	mkdir "$WORK/fs/snaps/directory"
	run ls directory
	[[ $output == *"No such file or directory" ]]
	rmdir "$WORK/fs/snaps/directory"
}

@test "a snapshot on another file system" {
	image_new other 128M
	mkdir "$WORK/fs/snaps/elsewhere"
	mount -o loop "$WORK/other.img" "$WORK/fs/snaps/elsewhere"
	run cat s1..elsewhere/stream
	umount "$WORK/fs/snaps/elsewhere"
	rmdir "$WORK/fs/snaps/elsewhere"
	[[ $output == *"Invalid cross-device link" ]]
	daemon_log | grep -q 's1..elsewhere: '
}

@test "names with dots, and one that has two readings" {
	snapshot a
	snapshot a.
	snapshot .c
	snapshot c
	cat a....c/stream >/dev/null
	run cat a...c/stream
	[[ $output == *"Invalid argument" ]]
	daemon_log | grep -qx 'sendfs: a...c: the name can be read in more than one way'
	ls >"$WORK/names"
	! grep -Fx 'a...c' "$WORK/names"
	for name in a a. .c c; do
		btrfs -q subvolume delete "$WORK/fs/snaps/$name" >/dev/null
	done
}

@test "further clone sources" {
	for name in a,c a c; do snapshot $name; done
	cmp s1,s3,a..s2/stream s1,a,s3..s2/stream
	[ "$(stat -c %s s1,s3..s2/stream)" -lt "$(stat -c %s s1..s2/stream)" ]
	for name in s1,none..s2 none,s1..s2 s1,..s2; do
		run cat "$name/stream"
		[[ $output == *"No such file or directory" ]]
	done
	for name in s1,s3,s3..s2 s1,s1..s2 s1,s2..s2; do
		run cat "$name/stream"
		[[ $output == *"Invalid argument" ]]
		daemon_log | grep -qx "sendfs: $name: a clone source is named twice, or is the parent or the snapshot"
	done
	run cat a,c..s2/stream
	[[ $output == *"Invalid argument" ]]
	daemon_log | grep -qx 'sendfs: a,c..s2: the name can be read in more than one way'
	btrfs -q subvolume snapshot "$WORK/fs/work" "$WORK/fs/snaps/writable"
	run cat s1,writable..s2/stream
	[[ $output == *"Operation not permitted" ]]
	for name in a,c a c writable; do
		btrfs -q subvolume delete "$WORK/fs/snaps/$name" >/dev/null
	done
}

@test "one line for a stream opened, closed" {
	cat s1..s2/stream >/dev/null
	size=$(stat -c %s "$WORK/expected")
	within 5 grep -q closed "$WORK/view.daemon/log"
	[ "$(daemon_log | grep -c opened)" = 1 ]
	daemon_log | grep -qF "s1..s2/stream: opened, $size bytes"
	daemon_log | grep -qF "s1..s2/stream: closed, $size bytes read"
}
