# All directories keep their places and exchange their names, in cycles.
before() {
	for i in {1..20}; do
		mkdir -p "$i/$i"
		touch "$i/$i/$i"
	done
}
after() {
	for i in {1..20}; do mv "$i/$i" "$i/t"; mv "$i" "t$i"; done
	for i in {1..20}; do mv "t$i" "$((i * 7 % 20 + 1))"; done
	for i in {1..20}; do mv "$i/t" "$i/$((21 - i))"; done
}
