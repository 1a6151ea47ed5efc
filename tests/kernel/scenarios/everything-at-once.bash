# A little of all: many inodes of many kinds change together.
MKFS_OPTS="-n 4096"
before() {
	for i in {01..40}; do
		mkdir "d$i"
		text $((10#$i * 90)) "$i" >"d$i/f"
		ln "d$i/f" "d$i/l"
		ln -s "../d$i/f" "d$i/s"
		setfattr -n user.i -v "$i" "d$i"
	done
	put big 0 400000
}
after() {
	for i in {01..10}; do mv "d$i/f" "d$((10#$i + 20))/g"; done
	for i in {11..20}; do rm -r "d$i"; mkdir "d$i"; done
	for i in {21..30}; do mv "d$i" "d01/e$i"; done
	for i in {31..35}; do setfattr -n user.i -v x "d$i"; chmod 700 "d$i/f"; done
	for i in {36..40}; do text 5000 1 >>"d$i/l"; rm "d$i/f"; done
	put big 100000 50000 2
	punch big 200000 40000
}
