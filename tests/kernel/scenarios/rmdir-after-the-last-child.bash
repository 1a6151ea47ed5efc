# removed last, though others wait for one another before.
before() {
	mkdir a tmp del a/c
	touch del/x del/y
	mv tmp del/tmp
}
after() {
	mv a/c c
	mv del/tmp c/tmp
	mv del/x a/x
	mv del/y a/y
	rmdir del
}
