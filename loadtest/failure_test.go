package loadtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sluice/loadtest"
	"sluice/loadtest/payload"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// big is more than the socket buffers of both ends hold, so that a server that
// doesn't read is felt.
const big = 24 << 20

// silence is how long nothing may move where a test waits for that to be found
// out: longer than a busy machine makes those wait who do move.
const silence = 1500 * time.Millisecond

// TestFailuresAreWhatTheyAre runs a scenario against servers that do each thing
// wrong in a way of their own.
func TestFailuresAreWhatTheyAre(t *testing.T) {
	t.Parallel()
	// content is what the get scenario expects in its first file.
	content := payload.New(7, 0).File(0, size)
	body := func(change func([]byte) []byte) string {
		return string(change(bytesOf(content)))
	}
	whole := body(func(p []byte) []byte { return p })
	ok := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size)

	for _, test := range []struct {
		name     string
		scenario string
		size     int64
		timeout  time.Duration
		noVerify bool
		// serve handles what is measured: PUT, POST, PATCH or GET.
		serve  func(exchange) bool
		kind   record.ErrorKind
		status int
		offset int64
		detail string
	}{
		{
			name: "early 413, connection closed", scenario: "put", size: big,
			serve: func(x exchange) bool {
				x.reply("HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\nContent-Length: 49\r\n\r\n" +
					`{"title":"Too large","detail":"at most 10 bytes"}`)
				return false
			},
			kind: record.KindRefused, status: 413, detail: "Too large: at most 10 bytes",
		}, {
			// Without end, if the sender does not notice.
			name: "early 507, connection left open", scenario: "form", size: big, timeout: time.Hour,
			serve: func(x exchange) bool {
				x.reply("HTTP/1.1 507 Insufficient Storage\r\nContent-Length: 0\r\n\r\n")
				<-x.done
				return false
			},
			kind: record.KindRefused, status: 507,
		}, {
			name: "early 413 to a PATCH", scenario: "tus", size: big,
			serve: func(x exchange) bool {
				x.reply("HTTP/1.1 413 Payload Too Large\r\nContent-Length: 0\r\n\r\n")
				return false
			},
			kind: record.KindRefused, status: 413,
		}, {
			name: "413 after an interim answer", scenario: "put", size: big,
			serve: func(x exchange) bool {
				x.reply("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 413 Payload Too Large\r\nContent-Length: 0\r\n\r\n")
				return false
			},
			kind: record.KindRefused, status: 413,
		}, {
			name: "503 after the body", scenario: "put", size: size,
			serve: func(x exchange) bool {
				x.drain()
				x.reply("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy")
				return true
			},
			kind: record.KindRefused, status: 503,
		}, {
			name: "503 to a get", scenario: "get", size: size,
			serve: func(x exchange) bool {
				x.reply("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
				return true
			},
			kind: record.KindRefused, status: 503,
		}, {
			name: "early 201", scenario: "put", size: big,
			serve: func(x exchange) bool {
				x.reply("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
				return false
			},
			kind: record.KindProtocol, detail: "answered 201 after",
		}, {
			name: "redirection", scenario: "put", size: size,
			serve: func(x exchange) bool {
				x.drain()
				x.reply("HTTP/1.1 301 Moved Permanently\r\nLocation: /y\r\nContent-Length: 0\r\n\r\n")
				return true
			},
			kind: record.KindProtocol, detail: "301 Moved Permanently",
		}, {
			name: "no HTTP", scenario: "put", size: size,
			serve: func(x exchange) bool {
				x.drain()
				x.reply("220 smtp ready\r\n")
				return false
			},
			kind: record.KindProtocol, detail: "invalid answer",
		}, {
			name: "closed in mid-body", scenario: "put", size: big,
			serve: func(x exchange) bool {
				_, _ = io.CopyN(io.Discard, x.Body, 1<<20)
				return false
			},
			kind: record.KindShort, detail: fmt.Sprintf("of %d bytes sent", big),
		}, {
			name: "closed without an answer", scenario: "put", size: size,
			serve: func(x exchange) bool { x.drain(); return false },
			kind:  record.KindProtocol, detail: "connection lost before the answer",
		}, {
			name: "stalled upload", scenario: "put", size: big, timeout: silence,
			serve: func(x exchange) bool { <-x.done; return false },
			kind:  record.KindTimeout, detail: "nothing moved",
		}, {
			name: "no answer to an upload", scenario: "put", size: size, timeout: silence,
			serve: func(x exchange) bool { x.drain(); <-x.done; return false },
			kind:  record.KindTimeout, detail: "no answer",
		}, {
			name: "stalled download", scenario: "get", size: size, timeout: silence,
			serve: func(x exchange) bool { x.reply(ok + whole[:1000]); <-x.done; return false },
			kind:  record.KindTimeout, detail: "after 1000 bytes",
		}, {
			name: "stalled discarded download", scenario: "get", size: size, timeout: silence, noVerify: true,
			serve: func(x exchange) bool { x.reply(ok + whole[:1000]); <-x.done; return false },
			kind:  record.KindTimeout, detail: "after 1000 bytes",
		}, {
			name: "truncated download", scenario: "get", size: size,
			serve: func(x exchange) bool { x.reply(ok + whole[:size-1]); return false },
			kind:  record.KindShort, detail: fmt.Sprintf("after %d of %d bytes", size-1, size),
		}, {
			name: "truncated discarded download", scenario: "get", size: size, noVerify: true,
			serve: func(x exchange) bool { x.reply(ok + whole[:size-1]); return false },
			kind:  record.KindShort, detail: fmt.Sprintf("after %d of %d bytes", size-1, size),
		}, {
			name: "chunked download without its end", scenario: "get", size: size,
			serve: func(x exchange) bool {
				x.reply(fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", size, whole))
				return false
			},
			kind: record.KindShort, detail: fmt.Sprintf("after %d bytes", size),
		}, {
			name: "download that promises too little", scenario: "get", size: size,
			serve: func(x exchange) bool {
				x.reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + whole[:5])
				return true
			},
			kind: record.KindShort, detail: "promises 5 of",
		}, {
			name: "short download of unstated length", scenario: "get", size: size,
			serve: func(x exchange) bool { x.reply("HTTP/1.1 200 OK\r\n\r\n" + whole[:size-9]); return false },
			kind:  record.KindShort, detail: fmt.Sprintf("received %d of %d", size-9, size),
		}, {
			name: "one corrupted byte", scenario: "get", size: size,
			serve: func(x exchange) bool {
				x.reply(ok + body(func(p []byte) []byte { p[2222222]++; return p }))
				return true
			},
			kind: record.KindMismatch, offset: 2222222, detail: "offset 2222222",
		}, {
			name: "download with a byte too many", scenario: "get", size: size,
			serve: func(x exchange) bool {
				x.reply(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s!", size+1, whole))
				return true
			},
			kind: record.KindMismatch, offset: size,
		}, {
			name: "discarded download with a byte too many", scenario: "get", size: size, noVerify: true,
			serve: func(x exchange) bool {
				x.reply(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s!", size+1, whole))
				return true
			},
			kind: record.KindMismatch, offset: size,
		}, {
			name: "another digest", scenario: "put", size: size,
			serve: func(x exchange) bool {
				x.drain()
				x.reply("HTTP/1.1 201 Created\r\nRepr-Digest: " + loadtest.FormatDigest(1) + "\r\nContent-Length: 0\r\n\r\n")
				return true
			},
			kind: record.KindMismatch, detail: "server states crc64nvme=:AAAAAAAAAAE=:",
		}, {
			name: "another digest of a download", scenario: "get", size: size,
			serve: func(x exchange) bool {
				x.reply(strings.Replace(ok, "\r\n", "\r\nRepr-Digest: "+loadtest.FormatDigest(1)+"\r\n", 1) + whole)
				return true
			},
			kind: record.KindMismatch, detail: "server states",
		}, {
			name: "malformed digest", scenario: "put", size: size,
			serve: func(x exchange) bool {
				x.drain()
				x.reply("HTTP/1.1 201 Created\r\nRepr-Digest: crc64nvme=:AA==:\r\nContent-Length: 0\r\n\r\n")
				return true
			},
			kind: record.KindProtocol, detail: "is no CRC-64",
		}, {
			name: "form of which less is stored", scenario: "form", size: size,
			serve: func(x exchange) bool {
				x.drain()
				x.reply("HTTP/1.1 201 Created\r\nContent-Length: 34\r\n\r\n" + `{"files":[{"url":"/x","size":42}]}`)
				return true
			},
			kind: record.KindShort, detail: "stored 42 of",
		}, {
			name: "PATCH of which less is stored", scenario: "tus", size: size,
			serve: func(x exchange) bool {
				x.drain()
				x.reply("HTTP/1.1 204 No Content\r\nUpload-Offset: 7\r\n\r\n")
				return true
			},
			kind: record.KindShort, detail: "stands at byte 7",
		}, {
			name: "PATCH answered without an offset", scenario: "tus", size: size,
			serve: func(x exchange) bool { x.drain(); x.reply("HTTP/1.1 204 No Content\r\n\r\n"); return true },
			kind:  record.KindProtocol, detail: "Upload-Offset",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url := startRaw(t, func(x exchange) bool {
				switch {
				case x.Method == "DELETE":
					x.reply("HTTP/1.1 204 No Content\r\n\r\n")
					return true
				case test.scenario == "tus" && x.Method == "POST":
					x.reply("HTTP/1.1 201 Created\r\nLocation: /1\r\nContent-Length: 0\r\n\r\n")
					return true
				case test.scenario == "get" && x.Method == "PUT":
					x.drain()
					x.reply("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
					return true
				}
				return test.serve(x)
			})
			plan := newPlan(test.scenario, url)
			plan.Size, plan.Verify = payload.Fixed(test.size), !test.noVerify
			if test.timeout > 0 {
				plan.Timeout = test.timeout
			}
			repeats := 2
			if test.timeout == silence {
				repeats = 1
			}
			run := measure(t, plan, repeats)

			if err := report.NewRun(run).Err(); !errors.Is(err, report.ErrNothing) || !errors.Is(err, report.ErrFailed) {
				t.Errorf("run error is %v", err)
			}
			if got := report.NewRun(run).Failures(); len(got) != 1 || got[string(test.kind)] != repeats {
				t.Errorf("failures are %v", got)
			}
			if run.Repeats[0].Failed != 1 || run.Repeats[0].Bytes != 0 {
				t.Errorf("repeat: %d failed, %d bytes", run.Repeats[0].Failed, run.Repeats[0].Bytes)
			}
			for _, row := range run.Transfers {
				e := row.Error
				if e == nil || e.Kind != test.kind || e.Status != test.status || e.Offset != test.offset ||
					!strings.Contains(e.Detail, test.detail) {
					t.Errorf("repeat %d: %+v", row.Repeat, e)
				}
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String() + "/"
	_ = listener.Close()
	plan := newPlan("put", url)
	plan.Streams = 2
	run := measure(t, plan, 1)
	if got := report.NewRun(run).Failures()["connect"]; got != 2 {
		t.Errorf("failures are %v", report.NewRun(run).Failures())
	}
	if !errors.Is(report.NewRun(run).Err(), report.ErrNothing) {
		t.Errorf("run error is %v", report.NewRun(run).Err())
	}
}

// TestSomeFail mixes failed and successful transfers.
func TestSomeFail(t *testing.T) {
	t.Parallel()
	var puts atomic.Int32
	url := startRaw(t, func(x exchange) bool {
		x.drain()
		if x.Method == "PUT" && puts.Add(1) == 1 {
			x.reply("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n")
			return true
		}
		x.reply("HTTP/1.1 204 No Content\r\n\r\n")
		return true
	})
	plan := newPlan("put", url)
	plan.Streams = 3
	run := measure(t, plan, 1)
	if row := run.Repeats[0]; row.Bytes != 2*size || row.Failed != 1 {
		t.Errorf("%d bytes, %d failed", row.Bytes, row.Failed)
	}
	if err := report.NewRun(run).Err(); !errors.Is(err, report.ErrFailed) || errors.Is(err, report.ErrNothing) {
		t.Errorf("run error is %v", err)
	}
}

// TestNothingIsSentTwice has the server close the connection after the creation
// without a word: that the PATCH then fails must not be mended in silence.
func TestNothingIsSentTwice(t *testing.T) {
	t.Parallel()
	var patches atomic.Int32
	url := startRaw(t, func(x exchange) bool {
		switch x.Method {
		case "POST":
			x.reply("HTTP/1.1 201 Created\r\nLocation: /1\r\nContent-Length: 0\r\n\r\n")
		case "PATCH":
			patches.Add(1)
			_ = x.conn.(*net.TCPConn).SetLinger(0)
		default:
			x.reply("HTTP/1.1 204 No Content\r\n\r\n")
		}
		return false
	})
	plan := newPlan("tus", url)
	plan.Size = payload.Fixed(big)
	run := measure(t, plan, 1)
	if run.Transfers[0].Error == nil || patches.Load() > 1 {
		t.Errorf("error %v after %d PATCHes", run.Transfers[0].Error, patches.Load())
	}
}

func TestFileThatCannotBeRemoved(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"put", "get"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			content := payload.New(7, 0).File(0, 100)
			url := startRaw(t, func(x exchange) bool {
				x.drain()
				switch x.Method {
				case "PUT":
					x.reply("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
				case "GET":
					x.reply("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + string(bytesOf(content)))
				default:
					x.reply("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")
				}
				return true
			})
			plan := newPlan(scenario, url)
			plan.Size = payload.Fixed(100)
			run := measure(t, plan, 1)
			if run.Transfers[0].Error != nil || report.NewRun(run).Failures()["cleanup"] != 1 || len(run.Leftovers) != 1 {
				t.Errorf("failures are %v", report.NewRun(run).Failures())
			}
			if !errors.Is(report.NewRun(run).Err(), report.ErrFailed) {
				t.Errorf("run error is %v", report.NewRun(run).Err())
			}
		})
	}
}

func TestPreparationThatFailsEndsTheRun(t *testing.T) {
	t.Parallel()
	url := startRaw(t, func(x exchange) bool {
		x.reply("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
		return false
	})
	run := &record.Run{}
	err := loadtest.Measure(t.Context(), newPlan("get", url), 2, run, nil)
	var e *record.Error
	if !errors.As(err, &e) || e.Kind != record.KindRefused || e.Status != 403 {
		t.Errorf("error is %v", err)
	}
	if len(run.Transfers) != 0 {
		t.Errorf("%d transfers", len(run.Transfers))
	}
}

// TestInterruptedRunRemovesItsFiles ends the context while the second of two
// files is on its way.
func TestInterruptedRunRemovesItsFiles(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	stop := errors.New("stop")
	var puts, deletes atomic.Int32
	url := startRaw(t, func(x exchange) bool {
		if x.Method == "PUT" && puts.Add(1) == 2 {
			cancel(stop)
			<-ctx.Done()
		}
		if x.Method == "DELETE" {
			deletes.Add(1)
		}
		x.drain()
		x.reply("HTTP/1.1 204 No Content\r\n\r\n")
		return true
	})
	plan := newPlan("put", url)
	plan.Size = payload.Fixed(big)
	run := &record.Run{}
	err := loadtest.Measure(ctx, plan, 5, run, nil)
	if !errors.Is(err, stop) {
		t.Errorf("error is %v", err)
	}
	if len(run.Repeats) != 1 || len(run.Transfers) != 1 || deletes.Load() != 2 {
		t.Errorf("%d repeats, %d transfers, %d files removed", len(run.Repeats), len(run.Transfers), deletes.Load())
	}
}
