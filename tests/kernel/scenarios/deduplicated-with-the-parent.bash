# Equal data of other files, and of the file itself, made one afterwards.
before() {
	put f 0 262144
	put g 0 262144
	put h 0 131072 2
	settle f g h
}
after() {
	dedupe f 0 131072 g 0
	put k 0 262144
	settle k
	dedupe f 0 262144 k 0
	{ noise 131072 2; noise 131072 2; } >l
	settle l
	dedupe h 0 131072 l 131072
	dedupe l 131072 131072 l 0
}
