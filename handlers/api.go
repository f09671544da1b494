package handlers

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"sluice/internal/auth"
)

// operation is what operators can ask for, whichever listener they come by.
type operation func(inquiry) (reply, error)

// inquiry is what an operation needs to know of its request.
type inquiry struct {
	who  auth.Identity
	id   string          // of what the path names
	gone <-chan struct{} // closed when the client has left, where that is noticed
}

// reply is what an operation answers.
type reply struct {
	status int
	kind   string // media type of what follows, if anything does
	data   []byte
	stream io.ReadCloser // in place of data; each Read is sent at once
}

func jsonReply(value any) (reply, error) {
	data, err := json.Marshal(value)
	return reply{status: http.StatusOK, kind: fiber.MIMEApplicationJSON, data: data}, err
}

// accepted is the reply to what happens in a moment.
var accepted = reply{status: http.StatusAccepted}

// operate answers a request of the public listener.
func (h *Handlers) operate(c *fiber.Ctx, op operation) error {
	r, err := op(inquiry{who: caller(c), id: strings.Clone(c.Params("id"))})
	if err != nil {
		return err
	}
	c.Status(r.status).Set(fiber.HeaderCacheControl, "no-store")
	if r.kind != "" {
		c.Set(fiber.HeaderContentType, r.kind)
	}
	if r.stream == nil {
		return c.Send(r.data)
	}
	c.Context().SetBodyStream(timed{r.stream, c.Context().SetWriteDeadline, h.IdleTimeout}, -1)
	return nil
}

// operator is whoever comes by the operators' listener.
var operator = auth.Identity{Name: "operator", Scopes: auth.Admin}

// Operations answers requests of the operators' listener.
func (h *Handlers) Operations() http.Handler {
	mux := http.NewServeMux()
	for pattern, op := range map[string]operation{
		"GET /api/v1/transfers":         h.listTransfers,
		"GET /api/v1/transfers/stream":  h.streamTransfers,
		"DELETE /api/v1/transfers/{id}": h.stopTransfer,
		"GET /api/v1/drain":             h.drainState,
		"PUT /api/v1/drain":             h.drain(true),
		"DELETE /api/v1/drain":          h.drain(false),
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { h.operateHTTP(w, r, op) })
	}
	return mux
}

func (h *Handlers) operateHTTP(w http.ResponseWriter, req *http.Request, op operation) {
	r, err := op(inquiry{operator, req.PathValue("id"), req.Context().Done()})
	if err != nil {
		h.failHTTP(w, req, err)
		return
	}
	w.Header().Set(fiber.HeaderCacheControl, "no-store")
	if r.kind != "" {
		w.Header().Set(fiber.HeaderContentType, r.kind)
	}
	w.WriteHeader(r.status)
	// Whoever has left needs no answer.
	if r.stream == nil {
		_, _ = w.Write(r.data)
		return
	}
	defer r.stream.Close()
	control := http.NewResponseController(w)
	_, _ = io.Copy(flushing{w, control}, timed{r.stream, control.SetWriteDeadline, h.IdleTimeout})
}

// flushing sends each write at once.
type flushing struct {
	w       io.Writer
	control *http.ResponseController
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	return n, errors.Join(err, f.control.Flush())
}

// timed gives the write that follows each Read its time.
type timed struct {
	io.ReadCloser
	deadline func(time.Time) error
	patience func() time.Duration
}

func (t timed) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if n > 0 {
		if err := t.deadline(time.Now().Add(t.patience())); err != nil {
			return 0, err
		}
	}
	return n, err
}
