# What happens to a file system, or to a reader, while a stream is being read.

source "$BATS_TEST_DIRNAME/../support/lib.bash"

setup() {
	local missing
	missing=$(missing_for_mounts)
	[ -z "$missing" ] || skip "$missing"
	work_begin
	image_new fs 1G
	image_mount fs
	btrfs -q subvolume create "$WORK/fs/sub"
}

teardown() {
	cleanup
}

freeze() { btrfs -q subvolume snapshot -r "$WORK/fs/sub" "$WORK/fs/$1"; }
kernel_stream() { btrfs send -q -p "$WORK/fs/A" -f "$WORK/expected" "$WORK/fs/B"; }

many_files() { # COUNT
	perl -e 'chdir(shift); for my $i (1 .. shift) { open(F, ">f$i") or die; print F "$i " x (20 + $i % 3000) }' \
		"$WORK/fs/sub" "$1"
}

@test "balance while four read" {
	many_files 100
	freeze A
	many_files 3000
	freeze B
	sync -f "$WORK/fs"
	kernel_stream
	sendfs_mount "$WORK/fs"
	(
		while [ ! -e "$WORK/enough" ]; do
			btrfs -q balance start --full-balance "$WORK/fs" >/dev/null 2>&1
		done
	) 3>&- &
	local balance=$! readers=()
	for i in 1 2 3 4; do
		# a clean error and a retry are right, other bytes never
		for round in 1 2 3; do
			cat "$WORK/view/A..B/stream" >"$WORK/copy$i.$round" 2>/dev/null ||
				cat "$WORK/view/A..B/stream" >"$WORK/copy$i.$round" 2>"$WORK/said$i.$round" ||
				: >"$WORK/copy$i.$round"
		done 3>&- &
		readers+=($!)
	done
	wait "${readers[@]}"
	touch "$WORK/enough"
	wait "$balance"
	local good=0 copy
	for copy in "$WORK"/copy*; do
		[ -s "$copy" ] || continue
		cmp "$copy" "$WORK/expected"
		good=$((good + 1))
	done
	echo "$good of 12 copies"
	[ "$good" -ge 6 ]
	cmp "$WORK/view/A..B/stream" "$WORK/expected"
	sendfs_umount
}

@test "a snapshot deleted while its stream is read, and its space asked for" {
	freeze A
	head -c 200M /dev/urandom >"$WORK/fs/sub/data"
	freeze B
	sync -f "$WORK/fs"
	kernel_stream
	sendfs_mount "$WORK/fs"
	exec 8<"$WORK/view/A..B/stream"
	head -c 60000000 <&8 >"$WORK/copy"
	rm "$WORK/fs/sub/data"
	btrfs -q subvolume delete --commit-after "$WORK/fs/B"
	head -c 500M /dev/zero | tr '\0' 'X' >"$WORK/fs/other" || :
	sync -f "$WORK/fs"
	[ ! -e "$WORK/view/B" ]
	cat <&8 >>"$WORK/copy" || echo "an error is right, too"
	exec 8<&-
	local size
	size=$(stat -c %s "$WORK/copy")
	[ "$size" -ge 60000000 ]
	cmp -n "$size" "$WORK/copy" "$WORK/expected"
	sendfs_umount
}

@test "a reader that gets signals" {
	freeze A
	head -c 100M /dev/urandom >"$WORK/fs/sub/data"
	many_files 2000
	freeze B
	sync -f "$WORK/fs"
	kernel_stream
	sendfs_mount "$WORK/fs"
	perl -e '$SIG{WINCH} = sub {}; open(IN, "<", shift) or die "open: $!"; open(OUT, ">", shift) or die;
		for (;;) { my $n = sysread(IN, my $data, 30000);
			next if !defined $n && $!{EINTR}; defined $n or die "read: $!";
			last if !$n; syswrite(OUT, $data) == $n or die; select(undef, undef, undef, 0.0002) }' \
		"$WORK/view/A..B/stream" "$WORK/copy" 3>&- &
	local reader=$! n=0
	# Being stopped is nothing to a wait for the plan; a handler that is to be
	# called ends it.
	while kill -STOP "$reader" 2>/dev/null; do
		kill -CONT "$reader" || break
		[ ! -s "$WORK/copy" ] || kill -WINCH "$reader" || break
		n=$((n + 1))
		sleep 0.01
	done
	wait "$reader"
	echo "$n times"
	[ "$n" -gt 5 ]
	cmp "$WORK/copy" "$WORK/expected"
	sendfs_umount
}

# Writes over one copy of a tree block of the unmounted image.
spoil() { # LOGICAL COPY
	local physical
	physical=$(btrfs-map-logical -l "$1" "$WORK/fs.img" |
		sed -n "s/^mirror $2 .*physical \([0-9]*\) .*/\1/p")
	[ -n "$physical" ]
	head -c 4096 /dev/urandom | dd of="$WORK/fs.img" bs=1M seek="$physical" oflag=seek_bytes \
		conv=notrunc status=none
}

@test "one bad copy of a leaf, then both" {
	have btrfs-map-logical || skip "needs btrfs-map-logical"
	many_files 200
	freeze A
	many_files 1000
	freeze B
	sync -f "$WORK/fs"
	kernel_stream
	local id leaf
	id=$(btrfs inspect-internal rootid "$WORK/fs/B")
	image_umount fs
	leaf=$(btrfs inspect-internal dump-tree -t "$id" "$WORK/fs.img" |
		awk '/^leaf/ { leaf[++n] = $2 } END { print leaf[int(n / 2)] }')
	spoil "$leaf" 1
	sendfs_mount "$WORK/fs.img"
	cmp "$WORK/view/A..B/stream" "$WORK/expected"
	cat "$WORK/view/A..B/stream" >/dev/null
	sendfs_umount
	cat "$WORK/view.daemon/log"
	[ "$(grep -c "$leaf" "$WORK/view.daemon/log")" = 1 ]

	spoil "$leaf" 2
	sendfs_mount "$WORK/fs.img"
	local said
	for round in 1 2; do
		said=$(stat "$WORK/view/A..B/stream" 2>&1 >/dev/null) && false
		[[ $said == *"Input/output error" ]]
	done
	cmp "$WORK/view/A/stream" <(:) && false
	sendfs_umount
	cat "$WORK/view.daemon/log"
	grep -F 'A..B: planning failed' "$WORK/view.daemon/log"
}
