# a value of 5,000 bytes changed, one added; a name of 255 bytes.
before() {
	text 10 >f
	setfattr -n user.big -v "$(text 5000 1)" f
	setfattr -n "user.$(printf 'n%.0s' {1..250})" -v long f
}
after() {
	setfattr -n user.big -v "$(text 5000 2)" f
	setfattr -n user.bigger -v "$(text 8000 3)" f
}
