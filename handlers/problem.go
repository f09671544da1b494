package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/tus/tusd/v2/pkg/handler"
	"github.com/valyala/fasthttp"

	"sluice/internal/auth"
	"sluice/internal/framing"
	"sluice/internal/hooks"
	"sluice/internal/multipart"
	"sluice/internal/transfer"
	"sluice/storage"
)

// Errors of the HTTP edge itself.
var (
	errRange      = errors.New("range not satisfiable")
	errPartialPut = errors.New("PUT of a range")
	errNoFile     = errors.New("form holds no file")
	errArchive    = errors.New("unknown kind of archive")
	errNoChunks   = errors.New("client knows no chunks")
	// ErrForeignOrigin: a page of an origin that isn't allowed wants to change
	// something.
	ErrForeignOrigin = errors.New("request of a foreign origin")
	// ErrUnknownHost: the request means another server (RFC 9110 section 7.4).
	ErrUnknownHost = errors.New("request for an unknown host")
)

// problems is the one table from errors to answers. The first row that matches
// counts. Its texts are public: they say what happened and what to do, and
// nothing of the inside. Reasons are what problems are counted by.
var problems = []struct {
	err    error
	status int
	result transfer.Result
	reason string
	detail string
}{
	{framing.ErrMalformed, 400, transfer.ResultRefused, "malformed", "The request is malformed, or it is not certain where it ends."},
	{framing.ErrTargetTooLong, 414, transfer.ResultRefused, "target_too_long", "The request's URL is longer than this server accepts."},
	{framing.ErrHeadTooLarge, 431, transfer.ResultRefused, "head_too_large", "The request's head is larger than this server accepts."},
	{framing.ErrExpectation, 417, transfer.ResultRefused, "expectation", "This server can meet no expectation but 100-continue."},
	{framing.ErrUnsupported, 501, transfer.ResultRefused, "unsupported", "This server knows neither this method nor any transfer coding but chunked."},
	{framing.ErrVersion, 505, transfer.ResultRefused, "version", "This server speaks HTTP/1.1 and HTTP/1.0."},
	{auth.ErrThrottled, 429, transfer.ResultRefused, "credential_throttled", "Too many credentials from your address were wrong. Try again in a moment."},
	{auth.ErrUsedUp, 403, transfer.ResultRefused, "link", "The link has been used as often as it may. Ask whoever gave it to you for another one."},
	{auth.ErrLink, 403, transfer.ResultRefused, "link", "The link is wrong or has expired. Ask whoever gave it to you for another one."},
	{auth.ErrLinkSpec, 400, transfer.ResultRefused, "link_request", "There can't be such a link: methods are GET, PUT, POST and DELETE, expires_in is in seconds and at most 366 days, and all has to be what you may do yourself."},
	{errLinkRequest, 400, transfer.ResultRefused, "link_request", "A link is asked for by JSON: path, methods, expires_in, max_size, max_uses."},
	{auth.ErrNoKey, 501, transfer.ResultRefused, "link_request", "This server signs no links: its operator can set link-key-file."},
	{auth.ErrTooManyLinks, 503, transfer.ResultFailed, "busy", "So many links are in use that no more can be counted. Try again later."},
	{auth.ErrUnavailable, 503, transfer.ResultFailed, "credential_undecided", "Nobody could say whether the credential holds. Try again in a moment."},
	{auth.ErrExpired, 401, transfer.ResultRefused, "credential_expired", "The credential has expired."},
	{auth.ErrUnknown, 401, transfer.ResultRefused, "credential", "The credential is wrong, or no longer valid here."},
	{storage.ErrNotFound, 404, transfer.ResultRefused, "not_found", "There is nothing under this name."},
	{errNobody, 401, transfer.ResultRefused, "anonymous", "This takes a credential: send a token as a bearer, or as the password of any user."},
	{errForbidden, 403, transfer.ResultRefused, "scope", "The credential is good, but not for this."},
	{errOutside, 403, transfer.ResultRefused, "scope", "The credential is good for another folder."},
	{ErrTooLarge, 413, transfer.ResultRefused, "too_large", "The upload is larger than this server accepts."},
	{errPaused, 503, transfer.ResultTimeout, "stalled", "Data stopped arriving. Ask for the upload's offset and go on from there."},
	{errIdle, 408, transfer.ResultTimeout, "stalled", "No data arrived for too long."},
	{errSlow, 408, transfer.ResultTimeout, "slow", "Data arrived too slowly."},
	{errCrowded, 503, transfer.ResultRefused, "crowded", "Too many transfers are running. Try again in a moment."},
	{errLeft, 400, transfer.ResultAborted, "aborted", "The client left before it had all of it."},
	{errListeners, 503, transfer.ResultRefused, "crowded", "Too many listen already. Try again in a moment."},
	{errDraining, 503, transfer.ResultRefused, "draining", "This server takes no uploads at the moment. Try again later."},
	{errAborted, 400, transfer.ResultAborted, "aborted", "The request body ended before all of it had arrived; nothing was stored."},
	{errBadBody, 400, transfer.ResultRefused, "body", "The request body's chunked encoding is malformed."},
	{errHalted, 403, transfer.ResultStopped, "stopped", "An operator of this server has ended the transfer."},
	{errStopped, 400, transfer.ResultAborted, "taken_over", "Another request for this upload came and took its place."},
	{errLocked, 423, transfer.ResultRefused, "locked", "Another request for this upload is at work. Try again in a moment."},
	{errPartialPut, 400, transfer.ResultRefused, "partial_put", "Content-Range has no meaning for PUT here: send the whole file, or use tus to resume."},
	{errCoding, 415, transfer.ResultRefused, "coding", "Content is stored as it comes: send it without a Content-Encoding or Content-Transfer-Encoding."},
	{errDigestField, 400, transfer.ResultRefused, "digest_field", "A digest of the content is malformed: algorithm=:base64:, as long as the algorithm has it."},
	{errDigestUnknown, 400, transfer.ResultRefused, "digest_field", "None of the digests can be checked here: sha-256, sha-512, md5 and crc64nvme are known."},
	{errTaken, 405, transfer.ResultRefused, "conflict", "Something stands under this name already."},
	{errFolderBody, 415, transfer.ResultRefused, "destination", "A folder is made of nothing: send no body."},
	{errDestination, 400, transfer.ResultRefused, "destination", "Destination is the new path or URL, without query or fragment; Overwrite is T or F; Depth is infinity."},
	{errElsewhere, 502, transfer.ResultRefused, "destination", "Files move within this server alone, and stay below /files/."},
	{storage.ErrIntoItself, 403, transfer.ResultRefused, "destination", "Nothing can be moved to where it stands, or into itself."},
	{errChecksumField, 400, transfer.ResultRefused, "digest_field", "The checksum is malformed, or of an algorithm that isn't known here: an algorithm, a space, and the sum in base64."},
	{errChecksum, statusChecksumMismatch, transfer.ResultRefused, "digest", "The piece doesn't have the checksum that was sent with it; the upload is where it was before."},
	{errMetadata, 400, transfer.ResultRefused, "upload_fields", "Upload-Metadata is malformed: pairs of a key and a value in base64 with its padding, with a space between them and commas between the pairs; no key twice."},
	{errOverride, 400, transfer.ResultRefused, "upload_fields", "X-HTTP-Method-Override can be PATCH, DELETE or HEAD, in capitals."},
	{errDraft, 400, transfer.ResultRefused, "upload_fields", "The request's fields on the upload are malformed, incomplete, or contradict each other or the upload."},
	{ErrForeignOrigin, 403, transfer.ResultRefused, "origin", "Pages of this origin may not change anything here."},
	{ErrUnknownHost, 421, transfer.ResultRefused, "host", "This server doesn't go by this name; its operator can add it to allowed-hosts."},
	{errExpired, 410, transfer.ResultRefused, "expired", "The upload has expired."},
	{storage.ErrDigest, 400, transfer.ResultRefused, "digest", "The content doesn't have the digest that was sent with it; nothing was stored."},
	{errRange, 416, transfer.ResultRefused, "range", "None of the requested ranges lies inside the file."},
	{errArchive, 400, transfer.ResultRefused, "archive", "A folder can be had as archive=zip or archive=tar."},
	{errNoChunks, 505, transfer.ResultRefused, "version", "Archives are sent in chunks, which need HTTP/1.1."},
	{hooks.ErrDenied, 403, transfer.ResultRefused, "veto", "The upload isn't wanted here."},
	{hooks.ErrUndecided, 503, transfer.ResultFailed, "veto_unanswered", "Nobody could say whether the upload is wanted. Try again in a moment."},
	{storage.ErrCondition, 412, transfer.ResultRefused, "condition", "The file isn't in the state that the request asks for."},
	{errNoFile, 400, transfer.ResultRefused, "form", "The form holds no file."},
	{multipart.ErrNotMultipart, 415, transfer.ResultRefused, "form", "Send files as multipart/form-data, with a boundary."},
	{multipart.ErrBoundary, 400, transfer.ResultRefused, "form", "The form's boundary is invalid: it has 1 to 70 of the characters that RFC 2046 allows."},
	{multipart.ErrTooManyParts, 413, transfer.ResultRefused, "form", "The form has too many parts."},
	{multipart.ErrHeaderTooLarge, 431, transfer.ResultRefused, "form", "The header of a part of the form is too large."},
	{multipart.ErrFieldTooLarge, 413, transfer.ResultRefused, "form", "A field of the form is too large."},
	{multipart.ErrMalformed, 400, transfer.ResultRefused, "form", "The form is malformed or ends too early; nothing was stored."},
	{storage.ErrName, 400, transfer.ResultRefused, "name", "The file name is not allowed: no empty or dot segments, no control characters or backslashes, UTF-8, at most 255 bytes per segment."},
	{storage.ErrIsFolder, 409, transfer.ResultRefused, "conflict", "A folder stands under this name."},
	{storage.ErrNotFolder, 409, transfer.ResultRefused, "conflict", "A file stands where a folder is needed."},
	{storage.ErrExists, 409, transfer.ResultRefused, "exists", "A file stands under this name, and this server doesn't replace files."},
	{storage.ErrNotEmpty, 409, transfer.ResultRefused, "conflict", "The folder is not empty."},
	{storage.ErrTruncated, 400, transfer.ResultAborted, "truncated", "Fewer bytes arrived than were declared; nothing was stored."},
	{storage.ErrChanged, 500, transfer.ResultFailed, "changed", "The file was changed while it was being sent."},
	{storage.ErrSizeExceeded, 413, transfer.ResultRefused, "too_large", "More bytes arrived than were declared."},
	{storage.ErrOffset, 409, transfer.ResultRefused, "offset", "The upload doesn't end at this offset."},
	{storage.ErrIncomplete, 409, transfer.ResultRefused, "upload_state", "The upload is not complete."},
	{storage.ErrFinished, 403, transfer.ResultRefused, "upload_state", "The upload is finished."},
	{storage.ErrNoSpace, 507, transfer.ResultFailed, "no_space", "The server has no space left for this upload."},
	{storage.ErrPermission, 403, transfer.ResultRefused, "permission", "The server may not do that at this place."},
	{storage.ErrReadOnly, 503, transfer.ResultFailed, "read_only", "The server can't write to its disk at the moment."},
	{storage.ErrBusy, 503, transfer.ResultFailed, "busy", "The server is busy. Try again in a moment."},
	{context.Canceled, 503, transfer.ResultAborted, "stopping", "The server is shutting down."},
	{fiber.ErrBadRequest, 400, transfer.ResultRefused, "malformed", "The request is malformed."},
	{fiber.ErrNotFound, 404, transfer.ResultRefused, "not_found", "There is nothing at this path."},
	{fiber.ErrMethodNotAllowed, 405, transfer.ResultRefused, "method", "This path doesn't have this method; Allow lists those that it has."},
	{fiber.ErrRequestTimeout, 408, transfer.ResultTimeout, "timeout", "The head of the request didn't arrive in time."},
	{fiber.ErrNotImplemented, 501, transfer.ResultRefused, "unsupported", "This server doesn't know this method."},
}

// internalDetail is all that leaves of a fault of ours.
const internalDetail = "The server failed to do this. The request id leads to the reason in its log."

// statusChecksumMismatch is the checksum extension's own status (tus 1.0).
const statusChecksumMismatch = 460

// retryAfter is when a busy server should be asked again, in seconds.
const retryAfter = "5"

// problem is the body of every answer that isn't a success (RFC 9457).
type problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail,omitempty"`
	RequestID string `json:"request_id,omitempty"`
	// Expected and Actual are the digests that differ, in the form of
	// Repr-Digest.
	Expected string `json:"expected,omitempty"`
	Actual   string `json:"actual,omitempty"`

	result transfer.Result
	reason string
}

// problemOf finds what the client may know of err.
func problemOf(err error) problem {
	for _, row := range problems {
		if errors.Is(err, row.err) {
			return newProblem(row.status, row.result, row.reason, row.detail)
		}
	}
	var refusal tusError
	if errors.As(err, &refusal) {
		return newTusProblem(refusal)
	}
	return newProblem(http.StatusInternalServerError, transfer.ResultFailed, reasonInternal, internalDetail)
}

// Reasons of what stands in no row of the table: what tusd says of a client's
// mistake, and faults of ours.
const (
	reasonTus      = "tus"
	reasonInternal = "internal"
)

// Reasons lists what [Options.OnProblem] may be told, each once.
func Reasons() []string {
	reasons := []string{reasonTus, reasonInternal}
	for _, row := range problems {
		reasons = append(reasons, row.reason)
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}

// newTusProblem keeps what tusd says of a client's mistake, and nothing of what
// it says of a fault.
func newTusProblem(e tusError) problem {
	switch {
	case e.code == handler.ErrUploadInterrupted.ErrorCode:
		return newProblem(e.status, transfer.ResultAborted, "aborted", e.detail)
	case e.status >= http.StatusInternalServerError:
		return newProblem(e.status, transfer.ResultFailed, reasonInternal, internalDetail)
	}
	return newProblem(e.status, transfer.ResultRefused, reasonTus, e.detail)
}

func newProblem(status int, result transfer.Result, reason, detail string) problem {
	title := fasthttp.StatusMessage(status)
	if status == statusChecksumMismatch {
		title = "Checksum Mismatch"
	}
	return problem{Type: "about:blank", Title: title, Status: status, Detail: detail, result: result, reason: reason}
}

// describe is err as a problem, with what it tells beyond the table.
func describe(err error, requestID string) problem {
	p := problemOf(err)
	p.RequestID = requestID
	if errors.Is(err, errDraining) {
		p.Type = drainingType
	}
	var digests *storage.DigestError
	if errors.As(err, &digests) {
		p.Expected, p.Actual = digests.Expected.String(), digests.Actual.String()
	}
	var denied *hooks.DeniedError
	if errors.As(err, &denied) && denied.Reason != "" {
		p.Detail = denied.Reason
	}
	return p
}

// isPassing tells that the same request may work in a moment.
func (p problem) isPassing() bool {
	return p.Status == http.StatusServiceUnavailable || p.Status == http.StatusLocked
}

const problemType = "application/problem+json"

// Fail answers err as a problem. It is fiber's error handler, so that every
// handler can just return its error. [Handlers.LogRequest] tells it.
func (h *Handlers) Fail(c *fiber.Ctx, err error) error {
	shield(c)
	p := describe(err, RequestID(c))
	if errors.Is(err, errCoding) {
		// What would be taken (RFC 9110 section 12.5.3).
		c.Set(fiber.HeaderAcceptEncoding, "identity")
	}
	c.Locals(failureKey, failure{p, err})
	h.opts.OnProblem(p.reason)
	if wantsPage(c) {
		c.Status(p.Status)
		return h.failPage(c, p)
	}
	data, marshalErr := json.Marshal(p)
	if marshalErr != nil {
		return marshalErr
	}
	var throttled *auth.ThrottledError
	switch {
	case p.Status == http.StatusUnauthorized:
		h.challenge(c, err)
	case errors.As(err, &throttled):
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(throttled.Wait.Seconds()))))
	}
	if p.isPassing() {
		c.Set(fiber.HeaderRetryAfter, retryAfter)
	}
	c.Status(p.Status).Set(fiber.HeaderContentType, problemType)
	c.Response().Header.SetStatusMessage([]byte(p.Title))
	return c.Send(data)
}

// failHTTP is Fail on the operators' listener.
func (h *Handlers) failHTTP(w http.ResponseWriter, r *http.Request, err error) {
	p := describe(err, "")
	h.opts.OnProblem(p.reason)
	data, marshalErr := json.Marshal(p)
	if marshalErr != nil {
		panic(marshalErr) // it is made of texts and numbers
	}
	if p.isPassing() {
		w.Header().Set(fiber.HeaderRetryAfter, retryAfter)
	}
	w.Header().Set(fiber.HeaderContentType, problemType)
	w.WriteHeader(p.Status)
	_, _ = w.Write(data) // the client may have left
	h.logLine(requestLine{
		method: r.Method, path: r.URL.Path, client: r.RemoteAddr, user: operator.Name, agent: r.UserAgent(),
		status: p.Status, bytes: int64(len(data)), err: err,
	})
}

// end closes a transfer with what became of it and where its time went. Status
// is the answer's for a success and err's own otherwise.
func end(t *transfer.Transfer, stages storage.Stages, status int, err error) {
	outcome := transfer.Outcome{Result: transfer.ResultOK, Status: status, Stages: transfer.Stages(stages)}
	if err != nil {
		p := problemOf(err)
		outcome.Result, outcome.Status, outcome.Reason, outcome.Err = p.result, p.Status, p.Detail, err
	}
	t.End(outcome)
}
