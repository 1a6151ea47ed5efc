# 4.3: exactly the names that the new inodes would be created under.
build() {
	local generation
	subvolume sub
	mkdir sub/below
	commit
	freeze sub before
	# a dry run tells which generation the next inode has; ours comes two later
	touch sub/probe
	commit
	generation=$(lsattr -v sub/probe | awk '{ print $1 }')
	rm sub/probe
	for g in $(seq "$generation" $((generation + 12))); do
		touch sub/o{285..300}-"$g"-0 sub/below/o286-"$g"-0
		touch sub/o{290..292}-"$g"-1
	done
	freeze sub A
	mkdir sub/new
	touch sub/new/{1..60}
	rm sub/o29*-1
	freeze sub B
}
expect() { grep -q 'mkfile o[0-9]*-g-[12]$' <<<"$1" || ! grep -q 'mkfile o2[89]' <<<"$1"; }
