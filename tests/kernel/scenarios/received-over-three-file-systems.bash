# Snapshots that came here through another file system name themselves, and
# what they clone from, by the identity they had on the first one.
build() {
	local here=$PWD name
	for name in one two; do
		truncate -s 256M "../$name.img"
		mkfs.btrfs -q -f "../$name.img"
		mkdir "../$name"
		mount -o loop "../$name.img" "../$name"
	done
	cd ../one
	subvolume sub
	put sub/f 0 200001
	settle sub/f
	freeze sub A
	cp --reflink=always sub/f sub/g
	put sub/new 0 100000 2
	settle sub/new
	cp --reflink=always sub/new sub/new2
	freeze sub B
	cd "$here"
	for name in A B; do
		btrfs send -q $([ $name = A ] || echo -p ../one/A) ../one/$name | btrfs receive -q ../two
		btrfs send -q $([ $name = A ] || echo -p ../two/A) ../two/$name | btrfs receive -q .
	done
	umount ../one ../two
}
STREAMS="A B A..B"
