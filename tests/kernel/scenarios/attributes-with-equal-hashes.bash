# 9.4: names that share one item, in stored order.
before() {
	touch f g
	setfattr -n user.n1162952 -v one f
	setfattr -n user.n2213568 -v two f
	setfattr -n user.n1033578 -v three g
	setfattr -n user.n2342942 -v four g
}
after() {
	setfattr -n user.n1162952 -v uno f
	setfattr -x user.n2342942 g
	touch h
	setfattr -n user.n2603573 -v five h
	setfattr -n user.n1572949 -v six h
	setfattr -n user.n2342942 -v seven f
	setfattr -n user.n1033578 -v eight f
}
