# newline, backslash, tab, a byte that is no UTF-8 before a digit; in
# attributes too.
before() {
	mkdir $'new\nline' 'back\slash' $'tab\t' ' '
	text 10 >$'new\nline/\xff1'
	ln -s $'to\n\\\t\xff7' $'tab\t/link'
	text 20 >'back\slash/\134'
	setfattr -n $'user.new\nline\xfe2' -v 0x000a5cff31 'back\slash/\134'
	touch -- '-n' '*' '?' "'" '"' '$x' 'a..b' '...'
}
after() {
	mv $'new\nline' $'new\nline2'
	mv $'tab\t/link' ' /link'
	setfattr -n $'user.new\nline\xfe2' -v '' 'back\slash/\134'
	rm -- '*' '?'
	text 5 >'back\slash/\134'
}
