# Nothing in common but numbers: all of them regenerated.
build() {
	subvolume one
	mkdir -p one/d/e one/f
	text 5000 1 >one/d/file
	ln -s x one/d/link
	commit
	subvolume two
	text 6000 2 >two/first
	mkdir -p two/x/y
	text 7000 3 >two/x/y/file
	mknod two/null c 1 3
	freeze one A
	freeze two B
}
