package doctor

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"
)

const (
	// perTransfer is how many descriptors a transfer may take beside its connection.
	perTransfer = 2
	// spare is what the server needs for itself.
	spare = 100
)

// descriptors compares the limit on open files, which the server raises to the
// hard one, with what the settings let in.
func descriptors(m Machine, f *findings) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		f.warn(nil, "getrlimit: %v", err)
		return
	}
	wanted := uint64(m.MaxConnections + perTransfer*m.MaxTransfers + spare)
	raise := []Remedy{{"systemd", "LimitNOFILE=" + strconv.FormatUint(max(wanted, 65536), 10)}, {"sluice", "--max-connections, --max-transfers"}}
	if limit.Max < wanted {
		level := Warning
		if limit.Max < uint64(m.MaxConnections) {
			level = Problem
		}
		f.add(level, raise, "%d may be open in this shell, and the settings let in %d connections and %d transfers", limit.Max, m.MaxConnections, m.MaxTransfers)
		return
	}
	f.ok("%d may be open in this shell; the settings ask for %d", limit.Max, wanted)
}

// memory compares the memory for blocks with what there is.
func memory(m Machine, f *findings) {
	limit, of := memoryLimit()
	if limit == 0 {
		f.warn(nil, "it can't be found out how much there is")
		return
	}
	text := bytesText(m.BufferMemory) + " for blocks, " + bytesText(limit) + " " + of
	smaller := setting("sluice", "--buffer-memory of at most half of that")
	switch {
	case m.BufferMemory >= limit:
		f.problem(smaller, "%s: the server will be killed under load", text)
	case m.BufferMemory > limit/2:
		f.warn(smaller, "%s: little is left for connections and everything else", text)
	default:
		f.ok("%s", text)
	}
}

// memoryLimit is what this process may have, in bytes: what its control group
// allows, or the machine has.
func memoryLimit() (limit int64, of string) {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		limit, of = int64(uint64(info.Totalram)*uint64(info.Unit)), "in this machine"
	}
	for _, file := range groupFiles() {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 && (limit == 0 || n < limit) {
			limit, of = n, "allowed by "+filepath.Dir(file)
		}
	}
	return limit, of
}

// groupFiles are where the limits of this process' control groups may stand, in
// both versions, from inside a container and from outside.
func groupFiles() []string {
	const mount = "/sys/fs/cgroup"
	files := []string{mount + "/memory.max", mount + "/memory/memory.limit_in_bytes"}
	groups, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(parts) != 3:
		case parts[1] == "":
			files = append(files, filepath.Join(mount, parts[2], "memory.max"))
		case parts[1] == "memory":
			files = append(files, filepath.Join(mount, "memory", parts[2], "memory.limit_in_bytes"))
		}
	}
	return files
}

const (
	// enoughWindow is what a connection should be able to have on the way, in
	// bytes: 100 MB/s over 40 ms.
	enoughWindow = 4 << 20
	// enoughWaiting is how many connections should be able to wait to be taken.
	enoughWaiting = 1024
)

// sockets looks at what the kernel lets connections have.
func sockets(_ Machine, f *findings) {
	for _, window := range []struct{ name, way string }{{"tcp_rmem", "upload"}, {"tcp_wmem", "download"}} {
		values := kernel("net/ipv4/" + window.name)
		if len(values) != 3 {
			continue // not to be seen in this container
		}
		if limit := values[2]; limit < enoughWindow {
			f.warn(setting("sysctl", "net.ipv4."+window.name+"=4096 131072 16777216"),
				"at most %s of one %s are on the way at a time: %s/s for a client that is 40 ms away", bytesText(limit), window.way, bytesText(limit*25))
		}
	}
	if values := kernel("net/core/somaxconn"); len(values) == 1 && values[0] < enoughWaiting {
		f.warn(setting("sysctl", "net.core.somaxconn=4096"), "at most %d connections wait to be taken: a crowd is turned away", values[0])
	}
	if len(f.list) == 0 {
		f.ok("the kernel's limits don't bind")
	}
}

// kernel reads numbers from /proc/sys.
func kernel(name string) []int64 {
	text, _ := os.ReadFile("/proc/sys/" + name)
	var values []int64
	for field := range strings.FieldsSeq(string(text)) {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil
		}
		values = append(values, n)
	}
	return values
}

func bytesText(n int64) string { return humanize.IBytes(uint64(n)) }
