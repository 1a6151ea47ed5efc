# S13, second.
build() {
	subvolume one
	subvolume two
	commit
	touch one/a
	touch two/a
	freeze one A
	freeze two B
}
