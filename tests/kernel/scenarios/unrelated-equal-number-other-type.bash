# two subvolumes that are not related; number and generation the same,
# type not.  What receives this A..B gets is not B: the kernel's choice.
build() {
	subvolume one
	subvolume two
	commit
	mkdir one/a
	touch two/a
	freeze one A
	freeze two B
}
RECEIVE="A B"
