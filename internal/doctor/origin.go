package doctor

import (
	"context"
	"net/http"
	"strings"
)

// origin sends a form as the server's own page does in a browser that doesn't
// send Sec-Fetch-Site: the server compares Origin with the host that it is asked for.
func origin(ctx context.Context, v *visitor, f *findings) {
	const boundary = "sluice-doctor"
	name := v.mark + "-form.txt"
	form := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\ncontent\r\n--" + boundary + "--\r\n"
	v.remember(v.URL.String() + "files/" + name)
	a, err := v.quick(ctx, request{
		method: http.MethodPost, url: v.URL.String() + "files/", body: strings.NewReader(form), length: int64(len(form)),
		fields: []string{"Content-Type: multipart/form-data; boundary=" + boundary, "Origin: " + v.URL.Scheme + "://" + v.URL.Host},
	})
	if err == nil && a.refused(http.StatusForbidden) {
		f.problem(remedyForwarded, "browsers can't upload by the server's own page, for it takes itself for another host: %v", a)
		return
	}
	if f.stored("a form", a, err) {
		f.ok("forms of the server's own page pass")
	}
}
