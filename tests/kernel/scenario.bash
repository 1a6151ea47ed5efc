# What scenarios are made with; and, run with a scenario and a mounted file
# system, makes its snapshots there:  scenario.bash SCENARIO DIRECTORY

# Bytes that depend on the seed alone: text that compresses, noise that does not.
text() { yes "line of seed ${2:-0}" | head -c "$1"; }           # BYTES [SEED]
noise() { seq "${2:-1}1000" 9999999 | gzip -1 -n | head -c "$1"; } # BYTES [SEED], up to 20 MiB

# Writes over a range, and leaves the rest as it is.
put() { # FILE OFFSET BYTES [SEED]
	noise "$3" "$4" | dd of="$1" bs=1M iflag=fullblock seek="$2" oflag=seek_bytes \
		conv=notrunc status=none
}
punch() { fallocate -p -o "$2" -l "$3" "$1"; } # FILE OFFSET BYTES
reserve() { fallocate "${@:4}" -o "$2" -l "$3" "$1"; } # FILE OFFSET BYTES [-n]

# A range of a file, shared by another (FICLONERANGE).
share() { # FROM OFFSET BYTES TO OFFSET
	perl -e 'open(F, "<", $ARGV[0]) or die; open(T, "+>>", $ARGV[3]) or die; close(T);
		open(T, "+<", $ARGV[3]) or die;
		ioctl(T, 0x4020940d, pack("qQQQ", fileno(F), @ARGV[1, 2, 4])) or die "share: $!"' "$@"
}

# The same range N times, at every STEP from TO_OFFSET on.
share_many() { # FROM OFFSET BYTES TO TO_OFFSET STEP N
	perl -e 'open(F, "<", $ARGV[0]) or die; open(T, "+>>", $ARGV[3]) or die; close(T);
		open(T, "+<", $ARGV[3]) or die;
		for my $i (0 .. $ARGV[6] - 1) { ioctl(T, 0x4020940d, pack("qQQQ", fileno(F),
			@ARGV[1, 2], $ARGV[4] + $i * $ARGV[5])) or die "share: $!" }' "$@"
}

# Makes two ranges of equal content one (FIDEDUPERANGE).
dedupe() { # FROM OFFSET BYTES TO OFFSET
	perl -e 'open(F, "<", $ARGV[0]) or die; open(T, "+<", $ARGV[3]) or die;
		my $r = pack("QQSSLqQQlL", @ARGV[1, 2], 1, 0, 0, fileno(T), $ARGV[4], 0, 0, 0);
		ioctl(F, 0xc0189436, $r) or die "dedupe: $!";
		(unpack("QQSSLqQQlL", $r))[8] == 0 or die "dedupe: not equal"' "$@"
}

# Content in extents of a block each.
pieces() { # FILE BLOCKS [SEED]
	noise $(($2 * 4096)) "$3" | dd of="$1" bs=4096 iflag=fullblock oflag=direct status=none
}

subvolume() { btrfs -q subvolume create "$1"; }
snapshot() { btrfs -q subvolume snapshot "$1" "$2"; }     # writable
freeze() { btrfs -q subvolume snapshot -r "$1" "$2"; }    # read-only
commit() { btrfs filesystem sync "${1:-.}"; }

# Writes a file out, so that its extents end here and the next ones begin anew.
settle() { sync "$@"; }

# The number that `stat` shows, for scenarios that depend on which is lower.
inode() { stat -c %i "$1"; }

# While an unnamed file (O_TMPFILE) with data is open in DIRECTORY.
with_unnamed_file() { # DIRECTORY command...
	perl -e '$^F = 255; sysopen(my $f, shift, 020200002, 0600) or die "O_TMPFILE: $!";
		syswrite($f, "x" x 10000) or die; exit(system(@ARGV) ? 1 : 0)' "$@"
}

# Does the text have lines that begin so, in this order (others between)?
lines_in_order() { # TEXT BEGINNING...
	local rest=$'\n'$1 line
	shift
	for line; do
		case $rest in
		*$'\n'"$line"*) rest=${rest#*$'\n'"$line"} ;;
		*) echo "missing, or too early: $line"; return 1 ;;
		esac
	done
}

# Unmounts and mounts again, so that inode numbers are given anew from the
# highest in use.  Only from a build that has not gone into a subshell.
remount() {
	local top=$PWD
	cd /
	umount "$top"
	mount -t btrfs -o "loop${MOUNT_OPTS:+,$MOUNT_OPTS}" "$top.img" "$top"
	cd "$top"
}

build() {
	subvolume sub
	(cd sub && before)
	freeze sub A
	between_snapshots
	(cd sub && after)
	freeze sub B
}
before() { :; }
after() { :; }
between_snapshots() { :; }

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	MOUNT_OPTS=
	. "$1"
	cd "$2"
	build
	commit
fi
