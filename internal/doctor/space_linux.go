package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const (
	// fewBytes and fewInodes are shares of the file system below which it is worth
	// a word.
	fewBytes  = 0.1
	fewInodes = 0.05
)

// space looks at what is left on the disk.
func space(m Machine, f *findings) {
	var st unix.Statfs_t
	if err := unix.Statfs(existing(m.Root), &st); err != nil {
		f.problem(nil, "statfs: %v", err)
		return
	}
	free, all := int64(st.Bavail)*int64(st.Bsize), int64(st.Blocks)*int64(st.Bsize)
	text := fmt.Sprintf("%s of %s are free", bytesText(free), bytesText(all))
	make := setting("system", "make room, or a larger disk")
	switch {
	case free <= m.MinFree:
		f.problem(append(make, Remedy{"sluice", "--min-free"}), "%s, and --min-free is %s: every upload gets 507", text, bytesText(m.MinFree))
	case float64(free) < fewBytes*float64(all):
		f.warn(make, "%s", text)
	default:
		f.ok("%s", text)
	}
	switch { // file systems without a limit on files tell 0
	case st.Files > 0 && st.Ffree == 0:
		f.problem(setting("system", "a file system with more inodes: mkfs.ext4 -N, or xfs"), "no inode is free: no file can be made")
	case st.Files > 0 && float64(st.Ffree) < fewInodes*float64(st.Files):
		f.warn(setting("system", "a file system with more inodes: mkfs.ext4 -N, or xfs"), "%d of %d inodes are free", st.Ffree, st.Files)
	}
}
