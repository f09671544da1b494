//go:build !linux

package doctor

// What follows can only be found out on Linux.

func fileSystem(_ Machine, f *findings) {
	f.warn(nil, "direct I/O, reserving space and keeping digests with files are Linux's; plain I/O is used here")
}

func space(Machine, *findings) {}

func descriptors(Machine, *findings) {}

func memory(Machine, *findings) {}

func sockets(Machine, *findings) {}
