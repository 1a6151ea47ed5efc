# The file system that the tests of the mounted view look at: sourced by them.

source "$BATS_TEST_DIRNAME/../support/lib.bash"

# $WORK/fs, mounted, with the subvolume work and in snaps its read-only
# snapshots s1, s2, s3.
fixture_begin() {
	local missing
	missing=$(missing_for_mounts)
	[ -z "$missing" ] || skip "$missing"
	work_begin
	image_new fs 512M
	image_mount fs
	btrfs -q subvolume create "$WORK/fs/work"
	mkdir "$WORK/fs/snaps"
	mkdir -p "$WORK/fs/work/dir"
	head -c 3000000 /dev/urandom >"$WORK/fs/work/random"
	yes 'a line of text' | head -c 500000 >"$WORK/fs/work/text"
	snapshot s1
	for i in $(seq 200); do echo "$i" >"$WORK/fs/work/dir/file$i"; done
	head -c 5000000 /dev/urandom >"$WORK/fs/work/more"
	rm "$WORK/fs/work/text"
	snapshot s2
	mv "$WORK/fs/work/dir" "$WORK/fs/work/moved"
	snapshot s3
}

snapshot() { # NAME: of work, in snaps
	btrfs -q subvolume snapshot -r "$WORK/fs/work" "$WORK/fs/snaps/$1"
	sync -f "$WORK/fs"
}

# What the daemon has said.
daemon_log() { cat "$WORK/${VIEW:-view}.daemon/log"; }
daemon_pid() { cat "$WORK/${VIEW:-view}.daemon/pid"; }

# A daemon whose reads of devices wait while $GATE is there.
sendfs_mount_gated() { # SOURCE [options]
	if ldd "$SENDFS" | grep -qE 'lib[atu]b?san'; then skip "no preloading under a sanitizer"; fi
	export GATE=$WORK/gate
	printf '#!/bin/sh\nexec env LD_PRELOAD=%s %s "$@"\n' "$SUPPORT/gate.so" "$SENDFS" >"$WORK/gated"
	chmod +x "$WORK/gated"
	SENDFS=$WORK/gated sendfs_mount "$@"
}
