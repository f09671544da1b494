package local

import (
	"fmt"
	"io/fs"
	"os"

	"sluice/storage"
)

// stamp is what the store writes down about a file's content, in an extended
// attribute of the file itself, so that it stays with the file when that is
// renamed. It holds only as long as size and time are those of the file:
// another program that changes the file doesn't know of it.
type stamp struct {
	crc      uint64 // CRC-64/NVME of the content
	size     int64  // in bytes
	modified int64  // in ns since 1970
}

// stampForm fits into an inode of ext4 that has nothing else to hold, so that
// it costs no block of its own. The number in front is the form's version.
const stampForm = "1 %016x %d %d"

// stampFile stamps a complete file and describes it. Where the file system
// can't hold the stamp, or has no room for it, the file does without.
func stampFile(file *os.File, crc uint64) (content, error) {
	info, err := file.Stat()
	if err != nil {
		return content{}, err
	}
	s := stamp{crc: crc, size: info.Size(), modified: info.ModTime().UnixNano()}
	if setAttribute(file, fmt.Appendf(nil, stampForm, s.crc, s.size, s.modified)) != nil {
		return content{FileInfo: info}, nil
	}
	return content{info, &s}, nil
}

// readContent describes an open file, by its stamp where that holds.
func readContent(file *os.File) (content, error) {
	info, err := file.Stat()
	if err != nil {
		return content{}, err
	}
	var text [128]byte
	n, err := getAttribute(file, text[:])
	if err != nil {
		return content{FileInfo: info}, nil
	}
	var s stamp
	_, err = fmt.Sscanf(string(text[:n]), stampForm, &s.crc, &s.size, &s.modified)
	if err != nil || s.size != info.Size() || s.modified != info.ModTime().UnixNano() {
		return content{FileInfo: info}, nil
	}
	return content{info, &s}, nil
}

// content describes a file together with its stamp, nil where it has none.
type content struct {
	fs.FileInfo
	stamp *stamp
}

// version differs between any two contents that the store itself has taken in.
// Of one that it hasn't, time, size and inode have to tell.
func (c content) version() string {
	if c.stamp == nil {
		return version(c.FileInfo)
	}
	return fmt.Sprintf("%016x-%x", c.stamp.crc, c.stamp.size)
}

func (c content) digest() storage.Digest {
	if c.stamp == nil {
		return storage.Digest{}
	}
	return storage.NewCRC64NVME(c.stamp.crc)
}

// describe is what the contract calls the file, or the folder, under name.
func (c content) describe(name storage.Name) storage.Info {
	out := storage.Info{Name: name, ModTime: c.ModTime(), Folder: c.IsDir()}
	if !out.Folder {
		out.Size = c.Size()
		out.Version = c.version()
		out.Digest = c.digest()
	}
	return out
}
