# What the tests against mounts and the kernel share.  Source it.
#
# Everything made lives under one directory, $WORK, made by work_begin and
# taken down by cleanup: whatever is mounted below it is unmounted, daemons
# started here are ended, files deleted.  In a plain script work_begin sets the
# trap; a bats file calls it from setup (or setup_file) and cleanup from the
# matching teardown.  State is kept in files, so functions may be called from
# subshells and from `run`.  Tests may run side by side.
#
#   SENDFS        the program under test; otherwise `sendfs` from PATH
#   SENDFS_USER   sendfs_mount runs the daemon as this user
#   DEADLINE      seconds until a daemon must be visible, or gone (10)

: "${SENDFS:=sendfs}" "${DEADLINE:=10}"

have() { command -v "$1" >/dev/null 2>&1; }

# What is missing for tests with real mounts, as one line; nothing if all is there.
missing_for_mounts() {
	[ "$(id -u)" = 0 ] || { echo "needs root"; return; }
	local tool
	for tool in mkfs.btrfs btrfs losetup mountpoint; do
		have "$tool" || { echo "needs $tool"; return; }
	done
	[ -c /dev/loop-control ] || { echo "needs loop devices"; return; }
	grep -qw btrfs /proc/filesystems || modprobe btrfs 2>/dev/null ||
		{ echo "needs btrfs in the kernel"; return; }
	[ -c /dev/fuse ] || modprobe fuse 2>/dev/null || { echo "needs /dev/fuse"; return; }
}

# Runs this script again with mounts of its own, which end with it, however it ends.
private_mounts() { # "$0" "$@"
	[ -z "$PRIVATE_MOUNTS" ] || { let_go_of_others; return 0; }
	PRIVATE_MOUNTS=1 exec unshare --mount --propagation private -- "$@"
}

# In mounts of one's own: copies of what other tests have mounted would keep
# that alive when they unmount it.
let_go_of_others() {
	local point
	mounts_below "${TMPDIR:-/tmp}" | while read -r point; do
		case $point in "${WORK:-none}" | "${WORK:-none}"/*) continue ;; esac
		case $point in "${TMPDIR:-/tmp}"/sendfs-test.*) umount -l "$point" 2>/dev/null ;; esac
	done
	return 0
}

# For tests that make one small file system after the other: in memory, where
# there is enough, they do not wait for a disk to be flushed.
prefer_memory() {
	local free
	[ -z "$TMPDIR" ] || return 0
	free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
	[ "$((free))" -lt $((4 << 20)) ] ||
		[ "$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)" -lt $((6 << 20)) ] ||
		export TMPDIR=/dev/shm
}

work_begin() {
	WORK=$(mktemp -d "${TMPDIR:-/tmp}/sendfs-test.XXXXXX") || return
	export WORK
	chmod 755 "$WORK" # an ordinary user must reach the images
	[ -n "$BATS_VERSION$BATS_TEST_FILENAME" ] && return
	trap cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# Mount points at or below $1, the last mounted first.
mounts_below() {
	local point
	while read -r _ _ _ _ point _; do
		case $point in *\\*) printf -v point %b "$point" ;; esac
		case $point in "$1" | "$1"/*) printf '%s\n' "$point" ;; esac
	done </proc/self/mountinfo | tac
}

cleanup() {
	local point pid
	[ -n "$WORK" ] && [ -d "$WORK" ] || return 0
	mounts_below "$WORK" | while read -r point; do
		umount "$point" 2>/dev/null || umount -l "$point"
	done
	for pid in "$WORK"/*.daemon/pid; do
		[ -e "$pid" ] && [ ! -e "${pid%/pid}/status" ] && end_daemon "${pid%/pid}"
	done
	rm -rf --one-file-system "$WORK"
	unset WORK
}

# --- btrfs images: $WORK/NAME.img, mounted on $WORK/NAME ---

image_new() { # NAME SIZE [mkfs options]
	local name=$1 size=$2
	shift 2
	rm -f "$WORK/$name.img"
	truncate -s "$size" "$WORK/$name.img" && mkdir -p "$WORK/$name" &&
		mkfs.btrfs -q -f "$@" "$WORK/$name.img" >"$WORK/$name.mkfs" 2>&1 ||
		{ cat "$WORK/$name.mkfs" >&2; return 1; }
}

image_mount() { # NAME [mount options]
	mount -t btrfs -o "loop${2:+,$2}" "$WORK/$1.img" "$WORK/$1"
}

image_umount() { # NAME
	umount "$WORK/$1"
}

# --- sendfs: mounted on $WORK/view, or $WORK/$VIEW ---


as_user() { # USER command...
	local user=$1
	shift
	setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups -- "$@"
}

within() { # SECONDS command...: polls until the command succeeds
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.03
	done
}

daemon_ended() { [ -s "$1/status" ]; }
# not mountpoint(1): root may not look into a user's mount
view_visible() {
	[[ $(</proc/self/mountinfo) == *" ${1// /\\040} "* ]]
}
view_visible_or_ended() { view_visible "$1" || daemon_ended "$2"; }

# Ends a daemon that did not go by itself.  Only a process made here.
end_daemon() { # DIR
	kill -TERM "$(cat "$1/pid")" 2>/dev/null
	within 5 daemon_ended "$1" || kill -KILL "$(cat "$1/pid")" 2>/dev/null
}

# In the foreground of a shell of its own, so that its exit status is seen.
# What it says is in $WORK/VIEW.daemon/log.  Returns when the mount is visible;
# otherwise the daemon's status (1 if that is 0), after what it said.
sendfs_mount() { # SOURCE [options]
	local source=$1 view=$WORK/${VIEW:-view} daemon=$WORK/${VIEW:-view}.daemon
	shift
	rm -rf "$daemon"
	mkdir -p "$view" "$daemon"
	local run=("$SENDFS" -f "$@" "$source" "$view")
	if [ -n "$SENDFS_USER" ]; then
		chown "$SENDFS_USER" "$view"
		# not as_user: the daemon itself must be the child
		run=(setpriv --reuid="$SENDFS_USER" --regid="$(id -g "$SENDFS_USER")"
			--clear-groups -- "${run[@]}")
	fi
	(
		trap - EXIT INT TERM HUP
		"${run[@]}" &
		echo $! >"$daemon/pid"
		status=0
		wait $! || status=$?
		echo "$status" >"$daemon/status"
	) >"$daemon/log" 2>&1 </dev/null 3>&- 4>&- &
	within "$DEADLINE" view_visible_or_ended "$view" "$daemon"
	view_visible "$view" && return 0
	cat "$daemon/log" >&2
	daemon_ended "$daemon" || { end_daemon "$daemon"; return 1; }
	return "$(($(cat "$daemon/status") ? $(cat "$daemon/status") : 1))"
}

# Unmounts; the daemon's exit status, 124 if it did not end in time.
sendfs_umount() {
	local view=$WORK/${VIEW:-view} daemon=$WORK/${VIEW:-view}.daemon
	umount "$view" || umount -l "$view"
	# A test in mounts of its own may still have a copy of this one.
	within 3 daemon_ended "$daemon" || kill -TERM "$(cat "$daemon/pid")" 2>/dev/null
	within "$DEADLINE" daemon_ended "$daemon" || { end_daemon "$daemon"; return 124; }
	return "$(cat "$daemon/status")"
}

# Lets ordinary users open /dev/fuse, as it is on most machines; only for this
# script's own mounts (private_mounts), nothing else on the machine changes.
fuse_for_users() {
	[ "$(stat -c %a /dev/fuse)" = 666 ] && return
	[ -n "$PRIVATE_MOUNTS" ] || return 1
	mknod -m 666 "$WORK/fuse" c 10 229 && chmod 666 "$WORK/fuse" &&
		mount --bind "$WORK/fuse" /dev/fuse
}
