# The file systems and snapshots that mkfs and the kernel make, as fsls sees
# them: mounted and not, in every profile, node size and checksum.

load ../support/lib.bash

setup() {
	missing=$(missing_for_mounts)
	[ -z "$missing" ] || skip "$missing"
	FSLS=${SENDFS%/*}/tests/support/fsls
	[ -x "$FSLS" ] || skip "needs fsls"
	work_begin
}

teardown() { cleanup; }

uuid_of() { btrfs subvolume show "$1" | awk '$1 == "UUID:" { print $2 }'; }
snap() { btrfs -q subvolume snapshot "$@"; }

# Leaves enough for trees of two levels.
fill() {
	btrfs -q subvolume create "$1/home"
	local i
	for i in $(seq 150); do head -c 3000 /dev/urandom >"$1/home/$i"; done
	snap -r "$1/home" "$1/old"
	echo more >"$1/home/more"
	snap -r "$1/home" "$1/new"
}

# What fsls says of the names and ids, mounted and then not, is the same and
# is what the kernel says.
check_both() { # NAME
	local mounted unmounted
	mounted=$("$FSLS" -s "$WORK/$1" 2>"$WORK/said") || { cat "$WORK/said"; return 1; }
	[ "$(echo "$mounted" | cut -d' ' -f1,11)" = $'new old\nold -' ]
	[ "$(echo "$mounted" | cut -d' ' -f1,2)" = \
		"$(btrfs subvolume list -r "$WORK/$1" | awk '{ print $NF, $2 }' | sort)" ]
	image_umount "$1"
	unmounted=$("$FSLS" "$WORK/$1.img" 2>>"$WORK/said") || { cat "$WORK/said"; return 1; }
	[ "$mounted" = "$unmounted" ]
	[ ! -s "$WORK/said" ]
}

@test "node sizes, single and DUP, checksums" {
	local options
	for options in "-n 4k -m single" "-n 4k -m dup" "-n 16k -m single" "-n 16k -m dup -d dup" \
		"-n 64k -m dup" "--csum xxhash" "--csum sha256" "--csum blake2" "-n 4k --mixed" \
		"-O ^no-holes,^skinny-metadata"; do
		echo "# $options"
		# shellcheck disable=SC2086
		image_new a 256M $options
		image_mount a
		fill "$WORK/a"
		check_both a
	done
}

@test "an image needs no privilege but to be read" {
	image_new a 256M
	image_mount a
	fill "$WORK/a"
	image_umount a
	chmod 644 "$WORK/a.img"
	run as_user nobody "$FSLS" "$WORK/a.img"
	[ "$status" = 0 ]
	[ "${#lines[@]}" = 2 ]
	chmod 600 "$WORK/a.img"
	run as_user nobody "$FSLS" "$WORK/a.img"
	[ "$status" = 1 ]
	[ "$output" = "fsls: $WORK/a.img: Permission denied" ]
}

@test "several devices" {
	local profile mounted i
	for profile in single raid0 raid1 raid10 raid1c3 raid1c4; do
		echo "# $profile"
		mkdir -p "$WORK/m"
		local loops=()
		for i in 1 2 3 4; do
			rm -f "$WORK/$i.img"
			truncate -s 256M "$WORK/$i.img"
			loops+=("$(losetup -f --show "$WORK/$i.img")")
		done
		mkfs.btrfs -q -f -d "$profile" -m "$profile" "${loops[@]}" >/dev/null 2>&1 &&
			btrfs -q device scan "${loops[@]}" && mount "${loops[3]}" "$WORK/m" &&
			fill "$WORK/m" && mounted=$("$FSLS" "$WORK/m") &&
			umount "$WORK/m" || mounted=
		losetup -d "${loops[@]}"
		[ -n "$mounted" ]
		cd "$WORK"
		[ "$("$FSLS" -d 4.img -d 2.img -d 3.img 1.img)" = "$mounted" ]
		[ "$profile" != single ] || continue # its chunks may lie on these two
		run "$FSLS" -d 3.img 1.img
		printf '%s\n' "$status" "${lines[@]}"
		[ "$status" = 1 ]
		[[ $output == "fsls: 1.img: device "[24]" of the file system is missing; name it with "* ]]
	done
}

@test "layouts, names, ids and UUIDs, mounted and not" {
	image_new a 256M
	image_mount a
	local top=$WORK/a uuid way
	btrfs -q subvolume create "$top/home"
	mkdir -p "$top/snaps/deep" "$top/.snapshots"/{1,2}
	snap -r "$top/home" "$top/snaps/deep/h.1"
	snap "$top/home" "$top/snaps/deep/rw"
	snap -r "$top/home" "$top/.snapshots/1/snapshot"
	snap -r "$top/home" "$top/.snapshots/2/snapshot"
	ln -s h.1 "$top/snaps/deep/link"
	touch "$top/snaps/deep/file"
	mkdir "$top/snaps/deep/dir" "$top/home/in"
	snap -r "$top/home" "$top/home/in/nested"
	uuid=$(uuid_of "$top/snaps/deep/h.1")
	id=$(btrfs inspect-internal rootid "$top/snaps/deep/h.1")

	names() { "$FSLS" "$@" | cut -d' ' -f1,7 | tr '\n' ' '; }
	[ "$(names -s "$top/snaps/deep")" = "h.1 h.1 " ]
	[ "$(names -s "$top/.snapshots")" = "1 snapshot 2 snapshot " ]
	for way in "$top" "$WORK/a.img"; do
		[ "$way" = "$top" ] || image_umount a
		[ "$(names -p '.snapshots/*/snapshot' "$way")" = "1 snapshot 2 snapshot " ]
		[ "$(names -p 'snaps/deep/h.*' "$way")" = "1 h.1 " ]
		[ "$(names -p 'home/*/nested' "$way")" = "in nested " ]
		[ "$(names "$way")" = "" ]
		[ "$(names -n home -n snaps%2Fdeep%2Fh.1 -n home%2Fin%2Fnested -n "$id" \
			-n "$uuid" "$way")" = "home home snaps%2Fdeep%2Fh.1 h.1 home%2Fin%2Fnested nested $id h.1 $uuid h.1 " ]
		for name in nope 9999 .. . snaps snaps%2Fdeep%2Flink snaps%2Fdeep%2Ffile \
			snaps%2F..%2Fhome %2Fhome; do
			run "$FSLS" -n "$name" "$way"
			[ "$output" = "fsls: $name: not found" ]
		done
	done
}

@test "a subvolume that no path from the source leads to" {
	image_new a 256M
	image_mount a
	fill "$WORK/a"
	mkdir "$WORK/b"
	mount -o subvol=home "$(findmnt -no SOURCE "$WORK/a")" "$WORK/b"
	run "$FSLS" -s -n "$(uuid_of "$WORK/a/old")" "$WORK/b"
	[ "$status" = 0 ]
	[[ $output == *" ro old old "* ]]
}

@test "another file system mounted on an entry" {
	image_new a 256M
	image_new b 256M
	image_mount a
	image_mount b
	fill "$WORK/a"
	btrfs -q subvolume create "$WORK/b/sub"
	btrfs property set -ts "$WORK/b/sub" ro true
	mkdir "$WORK/a/b" "$WORK/a/b2"
	mount --bind "$WORK/b/sub" "$WORK/a/b"
	mount --bind "$WORK/a/old" "$WORK/a/b2"
	[ "$("$FSLS" "$WORK/a" | cut -d' ' -f1 | tr '\n' ' ')" = "b2 new old " ]
	run "$FSLS" -n b "$WORK/a"
	[ "$status" = 1 ]
}

@test "a snapshot written to and made read-only again is settled" {
	image_new a 512M
	image_mount a noatime,commit=300
	local i disk
	btrfs -q subvolume create "$WORK/a/home"
	for i in 1 2 3 4; do
		snap "$WORK/a/home" "$WORK/a/s$i"
		head -c 3000000 /dev/urandom >"$WORK/a/s$i/data"
		btrfs property set -ts "$WORK/a/s$i" ro true
		run "$FSLS" -s -n "s$i" "$WORK/a"
		[ "$status" = 0 ]
		# Nothing is left to be written: the root block stays where it is.
		disk=$(echo "$output" | cut -d' ' -f9)
		sync
		[ "$("$FSLS" -n "s$i" "$WORK/a" | cut -d' ' -f9)" = "$disk" ]
	done
}

@test "snapshots come and go, commits and relocations, while they are listed" {
	image_new a 1G -n 4k -m single
	image_mount a noatime
	fill "$WORK/a"
	local i end=$((SECONDS + 8)) wrong=0 n=0
	(
		i=0
		while [ $SECONDS -lt $end ]; do
			i=$((i + 1))
			head -c 20000 /dev/urandom >"$WORK/a/home/x$((i % 50))"
			snap -r "$WORK/a/home" "$WORK/a/t$i"
			btrfs -q subvolume delete "$WORK/a/t$((i - 3))" 2>/dev/null
			sync -f "$WORK/a"
			[ $((i % 10)) = 0 ] && btrfs balance start --full-balance "$WORK/a" >/dev/null 2>&1
		done
		true
	) >/dev/null 2>&1 3>&- &
	while [ $SECONDS -lt $end ]; do
		n=$((n + 1))
		"$FSLS" -s -n old -n new "$WORK/a" >"$WORK/out" 2>"$WORK/said" || {
			wrong=$((wrong + 1))
			cat "$WORK/said"
		}
		[ "$(cut -d' ' -f1 "$WORK/out" | tr '\n' ' ')" = "old new " ] || wrong=$((wrong + 1))
		"$FSLS" -s "$WORK/a" >"$WORK/out" 2>"$WORK/said" ||
			# only those that are being deleted
			! grep -v '^fsls: t[0-9]*: ' "$WORK/said" || { cat "$WORK/said"; wrong=$((wrong + 1)); }
	done
	wait
	echo "# $n rounds, $wrong wrong"
	[ "$n" -gt 10 ]
	[ "$wrong" = 0 ]
}

@test "damage: told if another copy is good, else in one line" {
	image_new a 256M -m dup
	image_mount a
	fill "$WORK/a"
	image_umount a
	cd "$WORK"
	local tree logical at places
	for tree in chunk_root root; do
		logical=$(btrfs inspect-internal dump-super a.img | awk -v t=$tree '$1 == t { print $2 }')
		mapfile -t places < <(btrfs-map-logical -l "$logical" a.img | awk '{ print $6 }')
		[ "${#places[@]}" = 2 ]
		cp --sparse=always a.img b.img
		for at in "${places[@]}"; do
			printf damage | dd of=b.img bs=1 seek=$((at + 200)) conv=notrunc status=none
			run "$FSLS" b.img
			if [ "$at" = "${places[0]}" ]; then
				[ "$status" = 0 ]
				printf '%s\n' "${lines[@]}"
				[[ ${lines[0]} == *"tree block $logical: bad copy (b.img (devid 1) at $at: wrong checksum), taken from b.img (devid 1) at ${places[1]}" ]]
			else
				[ "$status" = 1 ]
				[ "${#lines[@]}" = 1 ]
				[[ $output == "fsls: b.img: the ${tree%_root}"* ]] ||
					[[ $output == "fsls: b.img: the root tree"* ]]
			fi
		done
	done
	# Superblocks: the copy at 64 MiB makes up for the first.
	cp --sparse=always a.img b.img
	printf damage | dd of=b.img bs=1 seek=$((65536 + 500)) conv=notrunc status=none
	run "$FSLS" b.img
	[ "$status" = 0 ]
	printf damage | dd of=b.img bs=1 seek=$((67108864 + 500)) conv=notrunc status=none
	run "$FSLS" b.img
	[ "$status" = 1 ]
	[ "$output" = "fsls: b.img: the superblock does not match its checksum" ]
}

@test "what is refused, and how it says so" {
	cd "$WORK"
	truncate -s 100M zeros.img
	truncate -s 1000 small.img
	mkfifo fifo
	run "$FSLS" zeros.img
	[ "$output" = "fsls: zeros.img: not a btrfs" ]
	run "$FSLS" small.img
	[ "$output" = "fsls: small.img: too small to be a btrfs" ]
	run "$FSLS" fifo
	[ "$output" = "fsls: fifo: neither a block device nor a file" ]
	run "$FSLS" nope
	[ "$output" = "fsls: nope: No such file or directory" ]
	run "$FSLS" /proc
	[ "$output" = "fsls: not on a btrfs file system" ]
	image_new a 256M
	image_new b 256M
	run "$FSLS" -d b.img a.img
	[ "$output" = "fsls: a.img and b.img belong to different file systems" ]
	run "$FSLS" -p 'a/b' a.img
	[ "$output" = "fsls: pattern 'a/b': it must be a relative path with one '*'" ]
	truncate -s 24M a.img
	run "$FSLS" a.img
	[[ $output == "fsls: a.img: truncated: it has 25165824 bytes, the file system reaches to "* ]]
}
