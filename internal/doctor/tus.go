package doctor

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
)

const (
	tusVersion = "Tus-Resumable: 1.0.0"
	tusType    = "Content-Type: application/offset+octet-stream"
)

// create makes a tus upload and returns its URL.
func (v *visitor) create(ctx context.Context, length int, name string) (string, answer, error) {
	a, err := v.quick(ctx, request{method: http.MethodPost, url: v.URL.String() + "tus/", fields: []string{
		tusVersion, fmt.Sprintf("Upload-Length: %d", length), "Upload-Metadata: filename " + base64.StdEncoding.EncodeToString([]byte(name)),
	}})
	if err != nil || !a.success() {
		return "", a, err
	}
	// Wherever Location leads, the upload is at the end of it.
	location := a.header.Get("Location")
	at := v.URL.String() + "tus/" + location[strings.LastIndexByte(location, '/')+1:]
	v.remember(at)
	return at, a, nil
}

// tus makes an upload in pieces, with each field and method that the protocol
// has, and one piece by X-HTTP-Method-Override.
func tus(ctx context.Context, v *visitor, f *findings) {
	name := v.mark + "-tus.bin"
	v.remember(v.URL.String() + "files/" + name)
	at, a, err := v.create(ctx, 10, name)
	if err != nil || !a.success() {
		f.problem(remedyFields, "an upload can't be created; Tus-Resumable, Upload-Length and Upload-Metadata have to pass: %v", because(a, err))
		return
	}
	var lost []string
	keep := func(a answer, names ...string) {
		for _, name := range names {
			if a.header.Get(name) == "" {
				lost = append(lost, name)
			}
		}
	}
	keep(a, "Location", "Tus-Resumable")
	do := func(method, content string, fields ...string) answer {
		var body *strings.Reader
		r := request{method: method, url: at, fields: append(fields, tusVersion)}
		if content != "" {
			body = strings.NewReader(content)
			r.body, r.length, r.fields = body, int64(len(content)), append(r.fields, tusType)
		}
		a, doErr := v.quick(ctx, r)
		if doErr != nil && err == nil {
			err = fmt.Errorf("%s: %w", method, doErr)
		}
		return a
	}
	head := do(http.MethodHead, "")
	keep(head, "Upload-Offset", "Upload-Length", "Tus-Resumable", "Cache-Control")
	if head.header.Get("Upload-Metadata") == "" {
		lost = append(lost, "Upload-Metadata")
	}
	if a := do(http.MethodPatch, "hello", "Upload-Offset: 0", "Upload-Checksum: sha1 "+base64.StdEncoding.EncodeToString(make([]byte, 20))); a.success() {
		lost = append(lost, "Upload-Checksum")
	} else if a = do(http.MethodPatch, "hello", "Upload-Offset: 0"); !a.success() {
		f.problem(append(append([]Remedy(nil), remedyMethods...), remedyFields...), "PATCH with Upload-Offset: %v", because(a, err))
	}
	if a := do(http.MethodPost, "world", "Upload-Offset: 5", "X-HTTP-Method-Override: PATCH"); !a.success() {
		f.problem(remedyFields, "X-HTTP-Method-Override doesn't pass, which clients use where PATCH is blocked: %v", because(a, err))
	} else {
		keep(a, "Upload-Offset", "Content-Location")
	}
	switch {
	case err != nil:
		f.problem(nil, "%v", err)
	case len(lost) > 0:
		f.problem(remedyFields, "fields are lost: %s", strings.Join(lost, ", "))
	case len(f.list) == 0:
		f.ok("an upload in pieces, its fields and X-HTTP-Method-Override pass")
	}
}
