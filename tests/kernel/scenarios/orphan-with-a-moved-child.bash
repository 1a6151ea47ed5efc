# directory orphanised by its successor in the name, its child moved out
# and changed in the same step.
before() {
	mkdir -p a/x b
	touch a/x/f a/g
	mkdir c
}
after() {
	mv a c/a
	mv b a
	mv c/a/x a/x
	mv c/a/g a/x/g
	chmod 750 a/x
	chown 10:20 a/x/f
	setfattr -n user.k -v v a/x
}
