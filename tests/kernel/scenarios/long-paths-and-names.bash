# names of 255 bytes, a path of over 230 and one of over 3,000.
before() {
	local n
	n=$(printf 'n%.0s' {1..255})
	mkdir -p "$n/$n/$n"
	text 10 >"$n/$n/$n/$n"
	mkdir -p deep/$(printf 'part%.0s/' {1..300})
	(cd deep && cd -P $(printf 'part%.0s/' {1..300}) && text 20 >f && ln f g)
}
after() {
	local n
	n=$(printf 'n%.0s' {1..255})
	mv "$n/$n/$n/$n" "$n/$n/$n/${n%n}m"
	mv "$n" "${n%n}o"
	(cd -P deep/$(printf 'part%.0s/' {1..300}) && rm f && text 30 2 >h)
	mv deep/part/part top
}
