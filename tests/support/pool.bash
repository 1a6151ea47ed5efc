# File systems of several devices.  Source it after lib.bash.
#
# The devices are images, $WORK/d1 and so on, whose number is the devid; while
# mounted, on $WORK/pool, they are loop devices that go with the mount.

# N images, and a file system on them.
pool_new() { # N [mkfs options]
	local n=$1 i
	shift
	POOL=()
	for ((i = 1; i <= n; i++)); do
		POOL+=("$WORK/d$i")
		rm -f "$WORK/d$i"
		truncate -s "${POOL_SIZE:-160M}" "$WORK/d$i"
	done
	mkdir -p "$WORK/pool"
	mkfs.btrfs -q -f "$@" "${POOL[@]}" >"$WORK/mkfs" 2>&1 || { cat "$WORK/mkfs" >&2; return 1; }
}

# The first loop device is in $LOOP.
pool_mount() { # [mount options]
	local image options=${1:-defaults} loops=()
	for image in "${POOL[@]}"; do
		loops+=("$(losetup -f --show "$image")") || return
	done
	LOOP=${loops[0]}
	mount -t btrfs -o "$options$(printf ',device=%s' "${loops[@]}")" "$LOOP" "$WORK/pool"
	local status=$?
	losetup -d "${loops[@]}" # when it is not mounted any more
	return $status
}

pool_umount() { umount "$WORK/pool"; }

# Mounts sendfs on those of the images that are named, without those that are not.
pool_view() { # OPTIONS IMAGE...
	local options=$1 first=$2 image
	shift 2
	for image; do
		options+=,device=$image
	done
	sendfs_mount "$first" -o "$options"
}

# Snapshots of the subvolume sub, and the kernel's streams of B and A..B.
freeze() { btrfs -q subvolume snapshot -r "$WORK/pool/sub" "$WORK/pool/$1"; }
kernel_streams() {
	btrfs send -q -f "$WORK/B.expected" "$WORK/pool/B"
	btrfs send -q -p "$WORK/pool/A" -f "$WORK/A..B.expected" "$WORK/pool/B"
}

# Where logical addresses lie; see chunk-places.  After pool_keep_chunks.
pool_keep_chunks() {
	sync -f "$WORK/pool"
	btrfs inspect-internal dump-tree -t chunk "$LOOP" >"$WORK/chunks"
}
places() { "$BATS_TEST_DIRNAME/../support/chunk-places" "$WORK/chunks" "$@"; }

# Noise in place of a sector, which unspoil puts back.
spoil() { # DEVID PHYSICAL
	[ -e "$WORK/spoilt.$1.$2" ] ||
		dd if="$WORK/d$1" of="$WORK/spoilt.$1.$2" bs=4096 count=1 skip="$2" \
			iflag=skip_bytes status=none
	head -c 4096 /dev/urandom |
		dd of="$WORK/d$1" bs=4096 seek="$2" oflag=seek_bytes conv=notrunc status=none
}
unspoil() {
	local saved devid physical
	for saved in "$WORK"/spoilt.*; do
		[ -e "$saved" ] || continue
		physical=${saved##*.} devid=${saved%.*}
		dd if="$saved" of="$WORK/d${devid##*.}" bs=4096 seek="$physical" oflag=seek_bytes \
			conv=notrunc status=none
		rm "$saved"
	done
}
