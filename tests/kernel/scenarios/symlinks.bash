# Short, long, dangling; replaced, linked, moved.
before() {
	ln -s target short
	ln -s "$(printf 'd/%.0s' {1..1000})x" long
	ln -s ../../.. up
	ln -s ' spaced -> arrow' odd
}
after() {
	ln -sfn other short
	ln long long2
	mkdir d
	mv up d
	rm odd
	ln -s "$(printf 'e/%.0s' {1..1900})x" longer
	chown -h 7:7 long
}
