# Nodes, pipes, sockets; made, removed, moved, linked, their numbers changed.
before() {
	mknod char c 1 3
	mknod block b 259 1048575
	mknod moved c 511 255
	mkfifo pipe
	perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("socket")) or die'
	mknod replaced c 1 5
}
after() {
	mkdir d
	mv moved d
	ln char d/char2
	rm pipe replaced
	mknod replaced c 1 7
	mknod new b 7 3
	perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("d/socket")) or die'
	chmod 660 block
	chown 1:2 socket
}
