#!/usr/bin/env bats
# Daemons and snapshots that come and go; waits; users.

source "$BATS_TEST_DIRNAME/fixture.bash"

setup_file() {
	fixture_begin
	btrfs send -q -p "$WORK/fs/snaps/s1" "$WORK/fs/snaps/s2" >"$WORK/expected"
}
teardown_file() { cleanup; }

setup() {
	[ -d "$WORK" ] || skip "nothing to mount"
	cd "$WORK"
}
teardown() {
	rm -f "$WORK/gate"
	cd /
	if mountpoint -q "$WORK/view"; then sendfs_umount; fi
}

# --- snapshots ---

@test "snapshots appear and disappear" {
	sendfs_mount fs/snaps
	! ls view | grep s4
	snapshot s4
	ls view | grep -x s3..s4
	cat view/s3..s4/stream >/dev/null
	btrfs -q subvolume delete fs/snaps/s4 >/dev/null
	! ls view | grep s4
	run cat view/s3..s4/stream
	[[ $output == *"No such file or directory" ]]
}

@test "a snapshot made anew under its name is another file" {
	sendfs_mount fs/snaps
	snapshot s4
	before=$(stat -c %i view/s4/stream)
	cat view/s4/stream >/dev/null # so that its pages are cached
	btrfs -q subvolume delete fs/snaps/s4 >/dev/null
	echo changed >fs/work/changed
	snapshot s4
	[ "$before" != "$(stat -c %i view/s4/stream)" ]
	cmp view/s4/stream <(btrfs send -q fs/snaps/s4)
	btrfs -q subvolume delete fs/snaps/s4 >/dev/null
	rm fs/work/changed
}

@test "a snapshot deleted under an open file stays readable" {
	sendfs_mount fs/snaps
	snapshot s4
	btrfs send -q fs/snaps/s4 >"$WORK/s4"
	mkfifo "$WORK/go"
	"$SUPPORT/file-probe" hold view/s4/stream <"$WORK/go" >"$WORK/got" &
	holder=$!
	exec 7>"$WORK/go"
	within 5 grep -q open "$WORK/got"
	btrfs -q subvolume delete fs/snaps/s4 >/dev/null
	btrfs filesystem sync fs
	echo go >&7
	exec 7>&-
	wait "$holder"
	tail -c +6 "$WORK/got" | cmp - "$WORK/s4"
	rm "$WORK/go"
}

@test "a snapshot made writable and changed: the old bytes or an error, never a mixture" {
	sendfs_mount fs/snaps
	snapshot s4
	btrfs send -q fs/snaps/s4 >"$WORK/s4"
	mkfifo "$WORK/go"
	"$SUPPORT/file-probe" hold view/s4/stream <"$WORK/go" >"$WORK/got" 2>"$WORK/said" &
	holder=$!
	exec 7>"$WORK/go"
	within 5 grep -q open "$WORK/got"
	before=$(stat -c %i view/s4/stream)
	btrfs property set -f fs/snaps/s4 ro false
	head -c 300000 /dev/urandom >fs/snaps/s4/new
	head -c 2000000 /dev/urandom >fs/snaps/s4/random
	btrfs property set fs/snaps/s4 ro true
	sync -f fs
	echo go >&7
	exec 7>&-
	status=0
	wait "$holder" || status=$?
	if [ "$status" = 0 ]; then
		tail -c +6 "$WORK/got" | cmp - "$WORK/s4"
	else
		grep -q 'Stale file handle' "$WORK/said"
		tail -c +6 "$WORK/got" | cmp -n "$(($(stat -c %s "$WORK/got") - 5))" - "$WORK/s4"
	fi
	[ "$before" != "$(stat -c %i view/s4/stream)" ]
	cmp view/s4/stream <(btrfs send -q fs/snaps/s4)
	btrfs -q subvolume delete fs/snaps/s4 >/dev/null
	rm "$WORK/go"
}

# --- copies that are continued ---

@test "rsync continues a cut copy, also after the daemon was restarted" {
	have rsync || skip "needs rsync"
	sendfs_mount fs/snaps
	size=$(stat -c %s "$WORK/expected")
	for cut in 1 $((size / 3)) $((size - 1)); do
		head -c "$cut" view/s1..s2/stream >"$WORK/copy"
		sendfs_umount
		sendfs_mount fs/snaps
		rsync --partial --append-verify view/s1..s2/stream "$WORK/copy"
		cmp "$WORK/copy" "$WORK/expected"
	done
}

# --- waits ---

@test "names and lists are served while many wait for plans" {
	sendfs_mount_gated fs/snaps
	ls view >/dev/null
	touch "$GATE"
	pids=()
	for i in $(seq 40); do
		timeout 60 stat -c %s view/s1..s2/stream >"$WORK/size.$i" &
		pids+=($!)
		timeout 60 cat view/s2/stream >/dev/null &
		pids+=($!)
	done
	sleep 0.5
	timeout 5 ls view >/dev/null
	timeout 5 ls view/s1..s2 view/s3 >/dev/null
	timeout 5 stat view/s3 >/dev/null
	timeout 5 df view >/dev/null
	rm "$GATE"
	wait "${pids[@]}"
	for i in $(seq 40); do
		[ "$(cat "$WORK/size.$i")" = "$(stat -c %s "$WORK/expected")" ]
	done
}

@test "a wait for a plan can be interrupted" {
	sendfs_mount_gated fs/snaps
	ls view >/dev/null
	touch "$GATE"
	stat view/s1..s2/stream &
	waiting=$!
	cat view/s2..s3/info &
	other=$!
	sleep 0.3
	kill -0 "$waiting" "$other"
	kill -INT "$other" 2>/dev/null # ignored by a background job of a shell
	kill -TERM "$waiting" "$other"
	gone() { ! kill -0 "$waiting" 2>/dev/null && ! kill -0 "$other" 2>/dev/null; }
	within 3 gone
	rm "$GATE"
	cmp view/s1..s2/stream "$WORK/expected"
}

@test "the daemon ends while requests wait" {
	sendfs_mount_gated fs/snaps
	ls view >/dev/null
	touch "$GATE"
	stat view/s1..s2/stream 2>"$WORK/said" &
	waiting=$!
	sleep 0.3
	kill -TERM "$(daemon_pid)"
	! wait "$waiting"
	rm "$GATE"
	within 5 daemon_ended "$WORK/view.daemon"
	[ "$(cat "$WORK/view.daemon/status")" = 0 ]
	! mountpoint -q view
}

# --- daemons ---

@test "SIGTERM, SIGINT and SIGHUP unmount" {
	# a job of a shell can ignore SIGINT or SIGHUP, and sendfs leaves what is ignored alone
	printf '#!/bin/sh\nexec env --default-signal=INT,HUP,TERM %s "$@"\n' "$SENDFS" >"$WORK/plain"
	chmod +x "$WORK/plain"
	for signal in TERM INT HUP; do
		SENDFS=$WORK/plain sendfs_mount fs/snaps
		cat view/s1/info >/dev/null
		kill -"$signal" "$(daemon_pid)"
		within 5 daemon_ended "$WORK/view.daemon"
		[ "$(cat "$WORK/view.daemon/status")" = 0 ]
		! mountpoint -q view
	done
}

@test "umount and fusermount3 end the daemon" {
	sendfs_mount fs/snaps
	cat view/s1/stream >/dev/null
	fusermount3 -u view
	within 5 daemon_ended "$WORK/view.daemon"
	[ "$(cat "$WORK/view.daemon/status")" = 0 ]
}

@test "a daemon that is killed leaves errors, and a mount that can be taken away" {
	sendfs_mount fs/snaps
	exec 8<view/s1..s2/stream
	kill -KILL "$(daemon_pid)"
	within 5 daemon_ended "$WORK/view.daemon"
	run cat <&8
	exec 8<&-
	[ "$status" != 0 ]
	run cat view/s1/stream
	[[ $output == *"Transport endpoint is not connected" ]]
	run "$SENDFS" fs/snaps view
	[ "$status" = 4 ]
	[ "$output" = "sendfs: mount point view: a dead mount is in the way: unmount it with fusermount3 -u" ]
	fusermount3 -u view
	! mountpoint -q view
}

@test "in the background: usable when the parent returns" {
	mkdir -p view
	for i in 1 2 3; do
		"$SENDFS" fs/snaps view
		cmp view/s1..s2/stream "$WORK/expected"
		pid=$(pgrep -f "^$SENDFS fs/snaps view")
		umount view
		gone() { ! kill -0 "$pid" 2>/dev/null; }
		within 5 gone
	done
}

@test "in the background: relative paths, no terminal kept" {
	mkdir -p view
	umount fs
	# the pipe ends only when nobody holds it any more
	timeout 10 bash -c "'$SENDFS' fs.img view -o 'snapshots=snaps/*' 2>&1 | cat"
	cmp view/s1..s2/stream "$WORK/expected"
	umount view
	image_mount fs
}

@test "mount(8) finds it" {
	have mount.fuse3 || skip "needs mount.fuse3"
	mkdir -p view
	# by its path: mount(8) looks in its own places for it
	mount -t fuse "$SENDFS#$WORK/fs/snaps" view -o nofail,noauto,x-systemd.automount,cache=64M
	[ "$(findmnt -n -o FSTYPE view)" = fuse.sendfs ]
	cmp view/s1..s2/stream "$WORK/expected"
	umount view
}

@test "threads: one, and as many as wanted" {
	sendfs_mount fs/snaps -s
	cmp view/s1..s2/stream "$WORK/expected"
	sendfs_umount
	sendfs_mount fs/snaps -o max_threads=2,max_idle_threads=1,clone_fd,max_read=32768
	"$SUPPORT/file-probe" readers view/s1..s2/stream "$WORK/expected" 8
}

@test "small caches give the same bytes" {
	sendfs_mount fs/snaps -o cache=1M,readahead=0,workers=0
	cmp view/s1..s2/stream "$WORK/expected"
	"$SUPPORT/file-probe" readers view/s1..s2/stream "$WORK/expected" 8
}

# --- users ---

@test "only who mounts may look, unless said otherwise" {
	chmod 755 "$WORK"
	sendfs_mount fs/snaps
	run as_user nobody ls view
	[[ $output == *"Permission denied"* ]]
	sendfs_umount
	sendfs_mount fs/snaps -o allow_other,default_permissions
	run as_user nobody ls view
	[[ $output == *"Permission denied"* ]]
	sendfs_umount
	sendfs_mount fs/snaps -o allow_other,default_permissions,uid=65534,gid=65534,umask=227
	[ "$(stat -c '%a %u %g' view/s1/stream)" = "440 65534 65534" ]
	as_user nobody cat view/s1..s2/stream | cmp - "$WORK/expected"
}

@test "an image, by an ordinary user" {
	umount fs
	chmod 644 fs.img
	# in mounts of its own, so that the user may open /dev/fuse
	PRIVATE_MOUNTS=1 unshare --mount --propagation private bash -e -c '
		source "$1"
		let_go_of_others
		fuse_for_users
		SENDFS_USER=nobody sendfs_mount "$WORK/fs.img" -o "snapshots=snaps/*"
		trap sendfs_umount EXIT
		as_user nobody cat "$WORK/view/s1..s2/stream" | cmp - "$WORK/expected"
		[ "$(as_user nobody stat -c "%a %U" "$WORK/view/s1/stream")" = "400 nobody" ]
		! ls "$WORK/view" 2>/dev/null
	' - "$BATS_TEST_DIRNAME/../support/lib.bash"
	image_mount fs
}

# --- damage ---

@test "damaged data: an error at its place, the right bytes everywhere else" {
	image_new bad 256M -d single -m dup
	image_mount bad
	btrfs -q subvolume create bad/work
	head -c 4000000 /dev/urandom >bad/work/big
	printf 'the-mark-to-be-damaged' | dd of=bad/work/big bs=1 seek=2000000 conv=notrunc status=none
	btrfs -q subvolume snapshot -r bad/work bad/s1
	btrfs send -q bad/s1 >"$WORK/good"
	umount bad
	place=$(grep -abom1 the-mark-to-be-damaged bad.img | cut -d: -f1)
	printf X | dd of=bad.img bs=1 seek="$place" conv=notrunc status=none
	sendfs_mount "$WORK/bad.img"
	[ "$(stat -c %s view/s1/stream)" = "$(stat -c %s "$WORK/good")" ]
	run dd if=view/s1/stream of="$WORK/got" bs=4096 status=none
	[ "$status" != 0 ]
	[[ $output == *"Input/output error"* ]]
	got=$(stat -c %s "$WORK/got")
	[ "$got" -gt 1900000 ]
	[ "$got" -lt 2100000 ]
	cmp -n "$got" "$WORK/got" "$WORK/good"
	tail -c 1500000 view/s1/stream | cmp - <(tail -c 1500000 "$WORK/good")
	[ "$(stat -c %s view/s1/stream)" = "$(stat -c %s "$WORK/good")" ]
	[ "$(daemon_log | grep -c 's1/stream: at .*"big"')" = 1 ]
}
