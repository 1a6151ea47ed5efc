# Each RAID profile, whole, with bad copies, without devices, and with both.

source "$BATS_TEST_DIRNAME/../support/lib.bash"
source "$BATS_TEST_DIRNAME/../support/pool.bash"

setup() {
	local missing
	missing=$(missing_for_mounts)
	[ -z "$missing" ] || skip "$missing"
	for tool in perl filefrag; do
		have "$tool" || skip "needs $tool"
	done
	work_begin
}

teardown() {
	cleanup
}

# Two snapshots; a file whose data spans the stripes of all devices.
populate() {
	btrfs -q subvolume create "$WORK/pool/sub"
	head -c 1500 /dev/urandom >"$WORK/pool/sub/before"
	freeze A
	head -c 1200000 /dev/urandom >"$WORK/pool/sub/data"
	perl -e 'chdir(shift); for my $i (1 .. 400) { open(F, ">f$i") or die; print F "$i " x 150 }' \
		"$WORK/pool/sub"
	freeze B
	sync -f "$WORK/pool"
}

# The kernel's streams, and what damage is aimed at: the file's extent and a leaf.
survey() {
	local id
	kernel_streams
	pool_keep_chunks
	id=$(btrfs inspect-internal rootid "$WORK/pool/B")
	leaf=$(btrfs inspect-internal dump-tree -t "$id" "$LOOP" |
		awk '/^leaf/ { leaf[++n] = $2 } END { print leaf[int(n / 2)] }')
	data=$(($(filefrag -v "$WORK/pool/B/data" | awk '$1 == "0:" { print $4 + 0 }') * 4096))
}

# The command that writes byte $1 of the file: where it is in the stream of B.
offset_of() {
	"$SUPPORT/stream-dump" "$WORK/B.expected" | perl -ne \
		'print $1 if m{^(\d+) .* path=data offset=(\d+) } && $2 <= '"$1"' && '"$1"' < $2 + 49152'
}

stream_is_right() { cmp "$WORK/view/B/stream" "$WORK/B.expected"; }
both_streams_are_right() {
	stream_is_right && cmp "$WORK/view/A..B/stream" "$WORK/A..B.expected"
}

# Right up to an offset, and then EIO; in the page cache, up to its page.
breaks() { # OFFSET
	local size
	dd if="$WORK/view/B/stream" of="$WORK/copy" iflag=direct bs=256K status=none \
		2>"$WORK/said" && return 1
	cat "$WORK/said"
	grep -q 'Input/output error' "$WORK/said" || return 1
	size=$(stat -c %s "$WORK/copy")
	cmp -n "$size" "$WORK/copy" "$WORK/B.expected" || return 1
	[ "$size" = "$1" ] || { echo "breaks at $size, not at $1"; return 1; }
	size=$(cat "$WORK/view/B/stream" 2>/dev/null | cmp - "$WORK/B.expected" 2>&1 |
		sed -n 's/.*EOF on - after byte \([0-9]*\).*/\1/p')
	[ "${size:-0}" = $(($1 & ~4095)) ] || { echo "in the page cache at $size, not at $1"; return 1; }
}

daemon_log() { cat "$WORK/view.daemon/log"; }

# Without the devices whose numbers are given.
others() {
	local image
	for image in "${POOL[@]}"; do
		[[ " $* " == *" ${image#"$WORK/d"} "* ]] || echo "$image"
	done
}
view_without() { pool_view degraded $(others "$@"); }

# First what a whole file system gives, from the mount and from the images.
begin() { # N [mkfs options]
	pool_new "$@"
	pool_mount
	populate
	whole
}
whole() {
	survey
	sendfs_mount "$WORK/pool"
	both_streams_are_right
	sendfs_umount
	pool_umount
	pool_view rw "${POOL[@]}"
	both_streams_are_right
	[ "$(daemon_log | grep -c 'bad\|missing')" = 0 ]
	sendfs_umount
}

# The first place of each of some blocks, then the second, and so on: the others
# make it good.  (With parity: sectors at different places in their stripes, of
# which no two depend on each other.)  What is read first, and so told of, is the first copy.
each_bad_copy() { # LOGICAL...
	local round logical kind devid physical expected
	places "$@" | awk '{ print ++n[$1], $0 }' >"$WORK/places"
	for round in $(cut -d' ' -f1 "$WORK/places" | sort -nu); do
		expected=0
		while read -r _ logical kind devid physical; do
			spoil "$devid" "$physical"
			[ "$round" = 1 ] && expected=$((expected + 1))
		done < <(grep "^$round " "$WORK/places")
		pool_view rw "${POOL[@]}"
		both_streams_are_right
		sendfs_umount
		daemon_log | grep 'bad copy' || :
		[ "$(daemon_log | grep -c 'bad copy')" = "$expected" ]
		while read -r _ logical kind devid physical; do
			[ "$round" = 1 ] || break
			daemon_log | grep -q "^sendfs: \(data\|tree block\) .*$logical: bad copy ($WORK/d$devid (devid $devid) at $physical: wrong checksum.*), taken from "
		done < <(grep "^$round " "$WORK/places")
		unspoil
	done
	[ "$round" -gt 1 ]
}

# Whether any chunk lies on a device: what nothing needs is not missed.
used() { grep -cm 1 "devid $1 offset" "$WORK/chunks"; }

# With any one device missing.
each_missing() {
	local i
	for ((i = 1; i <= ${#POOL[@]}; i++)); do
		view_without $i
		stream_is_right
		[ "$(daemon_log | grep -c "device $i is missing; all can be read")" = "$(used $i)" ]
		sendfs_umount
	done
}

without_degraded() {
	local said
	said=$(pool_view rw $(others 2) 2>&1) && return 1
	echo "$said"
	[[ $said == *"device 2 of the file system is missing"*"-o degraded"* ]]
}

# All copies of a sector of the file.
all_bad() { # OFFSET-IN-FILE
	local logical kind devid physical
	while read -r logical kind devid physical; do
		spoil "$devid" "$physical"
	done < <(places $((data + $1)))
}

# No way is left to have that sector: EIO where its command begins, and one line.
all_bad_breaks() { # OFFSET-IN-FILE [devices that are missing]
	local at offset=$1
	shift
	at=$(offset_of "$offset")
	view_without "$@"
	breaks "$at"
	sendfs_umount
	[ "$(daemon_log | grep -c "B/stream: at $at: data of \"data\" .* data at logical $((data + offset)) (.*wrong checksum")" = 1 ]
	unspoil
}

# The number of the device of the sector's first place of a kind.
device_of() { # KIND OFFSET-IN-FILE
	places $((data + $2)) | awk -v kind="$1" '$2 == kind { print $3; exit }'
}
copy_bad() { # OFFSET-IN-FILE: the last copy
	spoil $(places $((data + $1)) | awk '$2 == "copy" { at = $3 " " $4 } END { print at }')
}

# A missing device without which some of the file cannot be had: EIO at the
# first sector that is only there.
missing_breaks() {
	local i offset at
	for ((i = 1; i <= ${#POOL[@]}; i++)); do
		for offset in $(seq 0 4096 1199999); do echo $((data + offset)); done |
			xargs "$BATS_TEST_DIRNAME/../support/chunk-places" "$WORK/chunks" >"$WORK/at"
		offset=$(awk -v i=$i -v data="$data" '$3 == i { print $1 - data; exit }' "$WORK/at")
		view_without $i
		if [ -n "$offset" ]; then
			breaks "$(offset_of "$offset")"
			daemon_log | grep "device $i is missing, and part"
			daemon_log | grep "devid $i: missing"
		fi
		sendfs_umount
	done
}

@test "single" {
	begin 2 -d single -m raid1
	each_bad_copy "$leaf"
	all_bad 700416
	all_bad_breaks 700416
	without_degraded
	missing_breaks
}

@test "dup" {
	POOL_SIZE=256M begin 1 -d dup -m dup
	each_bad_copy "$leaf" "$data" $((data + 700416))
	all_bad 700416
	all_bad_breaks 700416
}

@test "raid0" {
	begin 3 -d raid0 -m raid1
	all_bad 409600
	all_bad_breaks 409600
	without_degraded
	missing_breaks
}

@test "raid1" {
	begin 3 -d raid1 -m raid1
	each_bad_copy "$leaf" $((data + 409600))
	each_missing
	without_degraded
	all_bad 409600
	all_bad_breaks 409600
	copy_bad 409600
	all_bad_breaks 409600 "$(device_of copy 409600)"
}

@test "raid1c3" {
	begin 4 -d raid1c3 -m raid1c3
	each_bad_copy "$leaf" $((data + 409600))
	each_missing
	view_without 1 3
	stream_is_right
	sendfs_umount
	copy_bad 409600
	view_without "$(device_of copy 409600)"
	stream_is_right
	sendfs_umount
	unspoil
	all_bad 409600
	all_bad_breaks 409600
}

@test "raid1c4" {
	begin 4 -d raid1c4 -m raid1c4
	each_bad_copy "$leaf" $((data + 409600))
	view_without 1 2 4
	stream_is_right
	sendfs_umount
	all_bad 409600
	all_bad_breaks 409600
	copy_bad 409600
	local last
	last=$(places $((data + 409600)) | awk '{ at = $3 } END { print at }')
	all_bad_breaks 409600 $(seq 1 4 | grep -v "$last")
}

@test "raid10" {
	begin 4 -d raid10 -m raid10
	each_bad_copy "$leaf" "$data" $((data + 131072))
	each_missing
	all_bad 409600
	all_bad_breaks 409600
	copy_bad 409600
	all_bad_breaks 409600 "$(device_of copy 409600)"
}

@test "raid5" {
	begin 3 -d raid5 -m raid5
	each_bad_copy "$leaf" "$data" $((data + 65536 + 8192)) $((data + 131072 + 4096))
	each_missing
	without_degraded
	all_bad 409600
	all_bad_breaks 409600
	copy_bad 409600
	all_bad_breaks 409600 "$(device_of P 409600)"
}

@test "raid6" {
	begin 5 -d raid6 -m raid6
	each_bad_copy "$leaf" "$data" $((data + 65536 + 8192)) $((data + 131072 + 4096))
	each_missing
	local i j
	for ((i = 1; i <= 5; i++)); do
		j=$((i % 5 + 1))
		view_without $i $j
		stream_is_right
		sendfs_umount
	done
	# a bad sector, and any other device missing
	copy_bad 409600
	for ((i = 1; i <= 5; i++)); do
		view_without $i
		stream_is_right
		sendfs_umount
	done
	unspoil
	all_bad 409600
	all_bad_breaks 409600
	copy_bad 409600
	all_bad_breaks 409600 "$(device_of P 409600)" "$(device_of Q 409600)"
}

@test "a mixture, half converted" {
	pool_new 4 -d single -m raid1
	pool_mount
	populate
	local i
	for i in 1 2; do # chunks
		fallocate -l 80M "$WORK/pool/fill$i"
		head -c 400000 /dev/urandom >"$WORK/pool/sub/more$i"
		sync -f "$WORK/pool"
	done
	btrfs -q subvolume delete "$WORK/pool/B"
	freeze B
	rm "$WORK"/pool/fill*
	sync -f "$WORK/pool"
	btrfs -q balance start -f -dconvert=raid5,limit=1 -mconvert=raid1c3 "$WORK/pool"
	btrfs -q balance start -f -dconvert=raid10,profiles=single,limit=1 "$WORK/pool"
	whole
	grep -o 'type DATA.*' "$WORK/chunks" | sort | uniq -c
	[ "$(grep -o 'type DATA.*' "$WORK/chunks" | sort -u | wc -l)" -ge 2 ]
	each_bad_copy "$leaf"
}
