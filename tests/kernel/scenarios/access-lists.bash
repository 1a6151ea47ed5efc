# ACLs, inherited ones too.
before() {
	mkdir d
	text 10 >f
	setfacl -m u:100:rw,g:200:r f
	setfacl -d -m u:100:rwx d
	touch d/inherits
	mkdir d/inherits-too
}
after() {
	setfacl -m u:101:r f
	setfacl -b d/inherits
	setfacl -d -m g:7:x d/inherits-too
	touch d/inherits-too/f
	chmod 640 d/inherits
}
