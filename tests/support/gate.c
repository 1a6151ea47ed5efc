/*
 * Preloaded into the daemon: pread() waits while the file $GATE is there.  So
 * a test decides when devices are read and plans become ready.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_at_gate(void)
{
	const char *gate = getenv("GATE");

	while (gate && access(gate, F_OK) == 0)
		usleep(10000);
}

ssize_t pread64(int fd, void *buffer, size_t len, off64_t offset);
ssize_t pread64(int fd, void *buffer, size_t len, off64_t offset)
{
	ssize_t (*next)(int, void *, size_t, off64_t) =
		(ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");

	wait_at_gate();
	return next(fd, buffer, len, offset);
}

ssize_t pread(int fd, void *buffer, size_t len, off_t offset)
{
	return pread64(fd, buffer, len, offset);
}
