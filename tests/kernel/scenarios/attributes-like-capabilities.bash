# Trap 11: names that are prefixes of security.capability are never set by a
# stream (the kernel's error, followed for now), so received it would differ.
before() {
	text 10 >f
	setfattr -n security.cap -v 1 f
	setfattr -n security.capabilit -v 2 f
	setfattr -n security.capabilities -v 3 f
}
after() {
	setfattr -n security.cap -v 4 f
	setfattr -x security.capabilit f
	setfattr -n security.c -v 5 f
}
RECEIVE=""
