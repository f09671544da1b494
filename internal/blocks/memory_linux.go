package blocks

import "golang.org/x/sys/unix"

// hugePage is the size from which the kernel can back memory by huge pages,
// which saves most of the page faults and of direct I/O's page pinning.
const hugePage = 2 << 20

// allocate maps anonymous memory: page-aligned, and given back in full by free.
func allocate(size int) ([]byte, error) {
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	if size >= hugePage {
		// Only advice: without it the block works with small pages.
		_ = unix.Madvise(mem, unix.MADV_HUGEPAGE)
	}
	return mem, nil
}

func free(mem []byte) {
	// It fails only for memory that isn't a mapping of ours.
	_ = unix.Munmap(mem)
}
