# 15.13: only a truncation; at and between block boundaries, and to nothing.
before() {
	put one 0 262144
	put two 0 262144
	put three 0 262144
	put inline 0 1500
}
after() {
	truncate -s 100001 one
	truncate -s 131072 two
	truncate -s 0 three
	truncate -s 700 inline
}
# Backwards the kernel counts what was cut as unchanged: only bytes are compared.
