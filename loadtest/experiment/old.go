package experiment

// oldUpload is a row of measurement A, of 2008: the upload of a large file
// through a browser, server and client on one machine.
type oldUpload struct {
	server string
	buffer int64 // bytes, 0 where it isn't known
	runs   []float64
	rate   float64 // MB/s, as it was reported
	change float64 // per cent against the smallest buffer or the state before, 0 where none was reported
}

const (
	largeFile = 600_037_000
	smallFile = 106_491_000
)

// The buffers of the old measurement.
const (
	kib8  = 8 << 10
	mib1  = 1 << 20
	mib10 = 10 << 20
	mib30 = 30 << 20
)

var oldUploads = map[int64][]oldUpload{
	largeFile: {
		{"Kom/Seaside (Squeak), before", 0, []float64{92, 98, 117}, 5.9, 0},
		{"Swazoo/Aida (Squeak), before", 0, []float64{108, 111, 107}, 5.6, 0},
		{"Swazoo/Aida (VisualWorks), before", 0, []float64{67, 68, 66}, 9, 0},
		{"Kom/Seaside (Squeak)", mib1, []float64{110, 104, 104}, 5.7, 0},
		{"Kom/Seaside (Squeak)", mib10, []float64{100, 104, 98}, 5.9, 4},
		{"Swazoo/Aida (Squeak)", kib8, []float64{102, 107, 105}, 5.7, 0},
		{"Swazoo/Aida (Squeak)", mib1, []float64{93, 92, 93}, 6.5, 20},
		{"Swazoo/Aida (Squeak)", mib10, []float64{90, 89, 91}, 6.7, 0},
		{"Swazoo/Aida (VisualWorks)", kib8, []float64{63, 63, 63}, 9.5, 0},
		{"Swazoo/Aida (VisualWorks)", mib1, []float64{75, 72, 73}, 8.2, -15},
		{"Swazoo/Aida (VisualWorks)", mib10, []float64{70, 70, 70}, 8.6, 0},
	},
	smallFile: {
		{"Kom/Seaside (Squeak), before", 0, []float64{18, 35, 25, 32}, 3.9, 0},
		{"Swazoo/Aida (Squeak), before", 0, []float64{16, 16, 17, 16}, 6.6, 0},
		{"Swazoo/Aida (VisualWorks), before", 0, []float64{5, 5, 6, 5}, 20, 0},
		{"Kom/Seaside (Squeak)", mib1, []float64{22, 20, 21}, 5, 0},
		{"Kom/Seaside (Squeak)", mib10, []float64{16, 21, 16}, 6, 20},
		{"Swazoo/Aida (Squeak)", kib8, []float64{14, 15, 14}, 7.5, 0},
		{"Swazoo/Aida (Squeak)", mib1, []float64{11, 11, 12}, 9, 20},
		{"Swazoo/Aida (Squeak)", mib10, []float64{12, 11, 12}, 9, 0},
		{"Swazoo/Aida (VisualWorks)", kib8, []float64{5, 5, 6}, 20, 0},
		{"Swazoo/Aida (VisualWorks)", mib1, []float64{6, 6, 6}, 18, -10},
		{"Swazoo/Aida (VisualWorks)", mib10, []float64{6, 6, 6}, 18, 0},
	},
}

// largerFiles were sent too: in the first the memory stayed flat, the second
// worked, and one over 2 GB failed.
var largerFiles = []struct {
	size int64
	then string
}{
	{731_654_144, "memory flat"},
	{1_463_308_288, "worked"},
	{2_500_000_000, "over 2 GB failed"},
}

// oldSoak is measurement B, of 2010: two days of reading and writing while the
// store grew to 6 GB, 24 GB of work.
var oldSoak = struct {
	firstObjects, lastObjects float64 // per second
	firstKB, lastKB           float64 // KB/s
	memory                    float64 // MB, at most
	store                     float64 // GB, at the end
}{4000, 2300, 282, 750, 300, 6}

// oldLine is a row of measurement C, of 2005: the time of a message over its
// length, at 4 to 4096 bytes, on three systems.
type oldLine struct {
	name             string
	slope, intercept [3]float64 // ps per byte, us per message
	share            [3]float64 // of native, per cent; 0 where it is native
}

var oldSystems = [3]string{"RH7.2", "CL4", "FC4"}

var oldLines = []oldLine{
	{"LiS", [3]float64{1620, 886, 925}, [3]float64{19.20, 7.72, 7.83}, [3]float64{12.7, 28.1, 38.8}},
	{"LfS", [3]float64{1230, 919, 987}, [3]float64{6.54, 3.57, 4.02}, [3]float64{40, 60, 75}},
	{"native pipe", [3]float64{760, 750, 482}, [3]float64{2.43, 2.17, 3.03}, [3]float64{}},
}

// oldResponse is a row of measurement D: answers at a fixed rate, as many
// connections as requests, each closed at once.
type oldResponse struct {
	size    int64 // of the content in bytes
	name    string
	squeak  oldRate
	vworks  oldRate
	offered float64 // per second: what is repeated
}

// oldRate is what a server reached at a rate of offered requests; the zero value
// is not measured.
type oldRate struct {
	offered, reached float64 // per second
	kbps             float64
}

var oldResponses = []oldResponse{
	{0, "header only", oldRate{2000, 2000, 350}, oldRate{2000, 2000, 350}, 2000},
	{3_000, "3 KB", oldRate{1000, 1000, 3e3}, oldRate{2000, 1700, 5e3}, 2000},
	{100_000, "100 KB", oldRate{800, 800, 80e3}, oldRate{900, 900, 88e3}, 900},
	{1_000_000, "1 MB", oldRate{180, 180, 180e3}, oldRate{210, 210, 200e3}, 210},
	{10_000_000, "10 MB", oldRate{}, oldRate{40, 40, 370e3}, 40},
}
