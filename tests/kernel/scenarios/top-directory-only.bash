# A file system with nothing in it.
