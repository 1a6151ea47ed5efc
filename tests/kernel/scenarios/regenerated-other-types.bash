# Every type in the place of every other, the data before the attributes.
build() {
	subvolume sub
	snapshot sub first
	snapshot sub second
	make() { # NAME TYPE
		case $2 in
		0) text 70000 "$1" >"n$1"; setfattr -n user.a -v "$1" "n$1"; setfattr -n user.b -v 2 "n$1" ;;
		1) mkdir "n$1"; setfattr -n user.d -v "$1" "n$1" ;;
		2) ln -s "t$1" "n$1" ;;
		3) mknod "n$1" c 1 "$1" ;;
		4) mkfifo "n$1" ;;
		esac
	}
	(cd first && for i in {0..24}; do make "$i" $((i / 5)); done)
	commit
	(cd second && for i in {0..24}; do make "$i" $((i % 5)); done)
	freeze first A
	freeze second B
}
