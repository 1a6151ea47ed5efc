#pragma once
#include <unistd.h>

/* A descriptor closed at the end of its scope: AUTOFD int fd = -1; */
static inline void autofd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline int autofd_steal(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}

#define AUTOFD __attribute__((cleanup(autofd_close)))
