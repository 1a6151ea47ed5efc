# 3.2: a full send creates directories before their turn, by several children;
# with their own entries, nested, and once only.
before() {
	mkdir a b c
	touch f1 f2 f3 f4
	mkdir -p z/y/x
	mv f1 f2 z/y/x
	mv a z/y
	mv f3 z/y/a
	mv b z/y/a
	mv c z
	ln f4 z/c/f4
	mkdir new
	mv z new
}
after() {
	mkdir -p q/r/s
	mv new/z/y q/r/s
	touch q/1 q/r/2
	mv q/r/s/y/x/f1 q/f1
}
