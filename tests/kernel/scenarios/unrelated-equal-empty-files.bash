# Equal empty files of two subvolumes that are not related.
build() {
	subvolume one
	subvolume two
	commit
	touch one/a
	touch two/a
	freeze one A
	freeze two B
}
