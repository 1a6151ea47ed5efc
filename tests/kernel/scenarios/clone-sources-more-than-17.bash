# A leaf that more clone roots reach than an entry of the cache holds (12.5).
build() {
	local i
	subvolume sub
	put sub/f 0 200001
	pieces sub/p 40 2
	settle sub/f sub/p
	freeze sub A
	for i in {1..19}; do freeze sub C$i; done
	cp --reflink=always sub/f sub/g
	cp --reflink=always sub/p sub/q
	share sub/p 0 81920 sub/q 163840
	freeze sub B
}
STREAMS="A A..B A,C1..B A,C1,C2,C3,C4,C5,C6,C7,C8,C9,C10,C11,C12,C13,C14,C15..B
	A,C1,C2,C3,C4,C5,C6,C7,C8,C9,C10,C11,C12,C13,C14,C15,C16..B
	A,C1,C2,C3,C4,C5,C6,C7,C8,C9,C10,C11,C12,C13,C14,C15,C16,C17,C18,C19..B"
RECEIVE="A A..B"
