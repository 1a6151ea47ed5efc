# File systems with unusual features, each held against the kernel's stream, from
# the mount and from the images.

source "$BATS_TEST_DIRNAME/../support/lib.bash"
source "$BATS_TEST_DIRNAME/../support/pool.bash"

setup() {
	local missing
	missing=$(missing_for_mounts)
	[ -z "$missing" ] || skip "$missing"
	have perl || skip "needs perl"
	work_begin
}

teardown() {
	cleanup
}

populate() {
	btrfs -q subvolume create "$WORK/pool/sub"
	head -c 100000 /dev/urandom >"$WORK/pool/sub/old"
	freeze A
	change
	freeze B
	sync -f "$WORK/pool"
}

change() {
	head -c 200000 /dev/urandom >"$WORK/pool/sub/data"
	truncate -s 1M "$WORK/pool/sub/sparse"
	perl -e 'chdir(shift); for my $i (1 .. 200) { open(F, ">f$i") or die; print F "$i " x 100 }
		for my $i (1 .. 300) { link("f1", "a name that takes some room " . "x" x 100 . $i) or exit }' \
		"$WORK/pool/sub"
	cp --reflink=always "$WORK/pool/sub/old" "$WORK/pool/sub/clone"
}

streams_are_right() {
	cmp "$WORK/view/B/stream" "$WORK/B.expected"
	cmp "$WORK/view/A..B/stream" "$WORK/A..B.expected"
	sendfs_umount
}

# A file system that is mounted on $WORK/pool.
compare() {
	sync -f "$WORK/pool"
	kernel_streams
	sendfs_mount "$WORK/pool"
	streams_are_right
	pool_umount
	pool_view rw "${POOL[@]}"
	streams_are_right
}

make_and_compare() { # mkfs options
	POOL_SIZE=256M pool_new 1 "$@" || skip "mkfs.btrfs cannot: $*"
	pool_mount
	populate
	compare
}

@test "metadata UUID" {
	have btrfstune || skip "needs btrfstune"
	POOL_SIZE=256M pool_new 1
	btrfstune -m "$WORK/d1" >/dev/null || skip "btrfstune cannot"
	pool_mount
	populate
	compare
	btrfstune -m "$WORK/d1" >/dev/null
	pool_view rw "$WORK/d1"
	streams_are_right
}

@test "seed device with its sprout" {
	have btrfstune || skip "needs btrfstune"
	POOL_SIZE=256M pool_new 1
	pool_mount
	btrfs -q subvolume create "$WORK/pool/sub"
	head -c 100000 /dev/urandom >"$WORK/pool/sub/old"
	freeze A
	pool_umount
	btrfstune -f -S 1 "$WORK/d1"
	pool_mount ro
	truncate -s 256M "$WORK/d2"
	local loop
	loop=$(losetup -f --show "$WORK/d2")
	btrfs -q device add -f "$loop" "$WORK/pool" >/dev/null
	losetup -d "$loop"
	mount -o remount,rw "$WORK/pool"
	btrfs -q subvolume snapshot "$WORK/pool/sub" "$WORK/pool/grown"
	btrfs -q subvolume delete "$WORK/pool/sub"
	mv "$WORK/pool/grown" "$WORK/pool/sub"
	change
	freeze B
	POOL+=("$WORK/d2")
	compare
	pool_view rw "$WORK/d2" "$WORK/d1"
	streams_are_right
	run pool_view rw "$WORK/d2"
	[ "$status" = 3 ]
	[[ $output == *"device 1 of the file system is missing"* ]]
}

# What fsync() left in the log is of no snapshot; mounting would replay it.
@test "a log that has not been replayed" {
	POOL_SIZE=256M pool_new 1
	pool_mount commit=600
	populate
	kernel_streams
	perl -MIO::Handle -e 'open(F, ">", shift) or die; print F "x" x 5000; F->sync or die' \
		"$WORK/pool/sub/logged"
	cp --sparse=always "$WORK/d1" "$WORK/crashed"
	pool_umount
	btrfs inspect-internal dump-super "$WORK/crashed" | grep '^log_root[^_]' | grep -v '[^0-9]0$'
	pool_view rw "$WORK/crashed"
	streams_are_right
}

@test "without free-space-tree, no-holes and skinny metadata" {
	make_and_compare -O ^no-holes,^skinny-metadata -R ^free-space-tree
}

@test "mixed block groups" {
	make_and_compare -M -n 4096
}

@test "quotas" {
	POOL_SIZE=256M pool_new 1
	pool_mount
	btrfs -q quota enable "$WORK/pool"
	populate
	btrfs -q quota rescan -w "$WORK/pool" >/dev/null
	compare
}

# By ioctl: not every btrfs-progs has a word for it.
@test "simple quotas" {
	POOL_SIZE=256M pool_new 1
	pool_mount
	perl -e 'open(D, "<", shift) or die; ioctl(D, 0xc0109428, my $args = pack("QQ", 4, 0)) or die "$!\n"' \
		"$WORK/pool" || skip "the kernel has no simple quotas"
	populate
	compare
	btrfs inspect-internal dump-super "$WORK/d1" | grep -i '^incompat_flags.*0x1....$'
}

@test "checksums" {
	local type
	for type in xxhash sha256 blake2; do
		make_and_compare --csum "$type"
	done
}

# A device that was away for some commits is read where nothing else is left.
@test "a device that has missed commits" {
	pool_new 2 -d raid1 -m raid1
	pool_mount
	btrfs -q subvolume create "$WORK/pool/sub"
	head -c 100000 /dev/urandom >"$WORK/pool/sub/old"
	touch "$WORK/pool/sub/plain"
	chattr +C "$WORK/pool/sub/plain"
	head -c 300000 /dev/zero >"$WORK/pool/sub/plain"
	freeze A
	pool_umount
	cp --sparse=always "$WORK/d2" "$WORK/behind"
	pool_mount
	dd if=/dev/urandom of="$WORK/pool/sub/plain" bs=10000 count=30 conv=notrunc status=none
	change
	freeze B
	compare
	mv "$WORK/behind" "$WORK/d2"
	for order in "d1 d2" "d2 d1"; do
		pool_view rw "$WORK/${order% *}" "$WORK/${order#* }"
		grep "$WORK/d2: its superblock is of generation" "$WORK/view.daemon/log"
		streams_are_right
	done
}
