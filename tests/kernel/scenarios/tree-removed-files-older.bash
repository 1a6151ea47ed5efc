# 15.11: and with lower numbers.
before() {
	touch 1 2 3
	mkdir a b c
	mv c a/c
	mv b a/b
	mv 1 a
	mv 2 a/b
	mv 3 a/c
}
after() { rm -r a; }
