# 64 KiB nodes.
MKFS_OPTS="-n 65536"
before() {
	mkdir d{01..30}
	for i in {01..30}; do text 900 "$i" >"d$i/f"; setfattr -n user.n -v "$(printf 'v%.0s' {1..3000})" "d$i/f"; done
}
after() {
	for i in {05..25}; do mv "d$i/f" "d$((10#$i + 3))/g" 2>/dev/null || mv "d$i/f" "d0$((10#$i + 3))/g"; done
	rm -r d30
}
