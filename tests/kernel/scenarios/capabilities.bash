# the capability follows the change of owner, and goes with every touch;
# the next inodes have none.
before() {
	for i in 1 2 3 4 5; do text 10 "$i" >"f$i"; done
	setcap cap_net_raw+ep f2
	setcap cap_chown+ep f4
}
after() {
	chown 0:12 f1
	chgrp 33 f2
	setcap cap_net_raw+ep f2
	touch f4
	chown 1:1 f5
	text 20 >f6
	setcap cap_kill,cap_net_raw+eip f6
	mv f3 f7
}
