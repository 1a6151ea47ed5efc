# 8.5: removed directories that wait, some of them for the same move; nested.
before() {
	mkdir -p del1/in/deep del2 keep
	mkdir del1/in/deep/m1 del2/m2 top
	touch del1/in/deep/f del2/g del1/h
	mkdir del2/m3 del1/m4
}
after() {
	mv del1/m4 keep/m4
	mv del2/m3 keep/m4/m3
	mv top keep/m4/m3/top
	mv del1/in/deep/m1 keep/m4/m3/top/m1
	mv del2/m2 keep/m4/m3/top/m1/m2
	mv keep/m4/m3/top/m1/m2 keep
	rm -r del1 del2
}
