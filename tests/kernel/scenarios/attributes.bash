# 9.4: new, changed, removed, empty; several an inode, on every type that may.
before() {
	text 10 >f
	mkdir d
	ln -s x link
	mkfifo fifo
	for i in {1..12}; do setfattr -n "user.a$i" -v "value $i" f; done
	setfattr -n user.d -v 1 d
	setfattr -n trusted.t -v 0x00ff00 f
	setfattr -h -n trusted.link -v l link
	setfattr -n trusted.fifo -v p fifo
	setfattr -n security.other -v s f
}
after() {
	setfattr -x user.a3 f
	setfattr -x user.a7 f
	setfattr -n user.a5 -v changed f
	setfattr -n user.a6 -v '' f
	setfattr -n user.new -v n f
	setfattr -n user.e -v 2 d
	setfattr -h -x trusted.link link
	setfattr -n trusted.fifo -v q fifo
	setfattr -n user.top -v of-the-subvolume .
}
