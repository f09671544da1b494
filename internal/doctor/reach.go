package doctor

import (
	"context"
	"net/http"
	"time"
)

// certificateWarning is how long before its end a certificate is worth a word.
const certificateWarning = 14 * 24 * time.Hour

// reach finds out whether there is a server behind the URL, and who stands before it.
func reach(ctx context.Context, v *visitor, f *findings) {
	v.lost = true
	a, err := v.quick(ctx, request{method: http.MethodOptions, url: v.URL.String() + "tus/", fields: []string{tusVersion}})
	switch {
	case err != nil:
		f.problem(nil, "%s can't be reached: %v", v.URL, err)
		return
	case a.refused(http.StatusMisdirectedRequest):
		f.problem(remedyHost, "sluice doesn't go by the name %s", v.URL.Host)
		return
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		f.problem(setting("sluice doctor", "--header with what lets you in"), "%s doesn't let us in: %v", v.URL, a)
		return
	case a.success() && a.header.Get("Tus-Version") != "":
		f.ok("%s answers in %s%s", v.URL, a.proto, by(a.header.Get("Server")))
	case a.success():
		f.problem(remedyFields, "%stus/ answers OPTIONS without Tus-Version: another server, or the field is dropped", v.URL)
	default:
		f.problem(append(proxies(
			"proxy_pass http://127.0.0.1:8080; with no path behind the port",
			"reverse_proxy without handle_path or uri strip_prefix",
			"no http-request set-path or replace-path",
			"no stripPrefix middleware",
		), Remedy{"sluice", "--base-path with the path of the URL"}), "%stus/ answers OPTIONS with %v", v.URL, a)
		return
	}
	v.lost = false
	certificate(a, f)
	v.findHTTP2(ctx)
}

func by(server string) string {
	if server == "" {
		return ""
	}
	return ", by " + server
}

// certificate looks at how long the certificate will last.
func certificate(a answer, f *findings) {
	if a.tls == nil {
		return
	}
	end := a.tls.PeerCertificates[0].NotAfter
	if left := time.Until(end); left < certificateWarning {
		f.warn(nil, "the certificate ends on %s", end.Format(time.DateOnly))
	}
}

// findHTTP2 gives up the client of HTTP/2 where the proxy doesn't speak it.
func (v *visitor) findHTTP2(ctx context.Context) {
	if v.URL.Scheme == "https" {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		a, err := v.do(ctx, v.http2, request{method: http.MethodHead, url: v.URL.String() + "files/"})
		if err == nil && a.proto == "HTTP/2.0" {
			return
		}
	}
	v.http2 = nil
}

// versions are the clients of all versions of HTTP that there are, by name.
func (v *visitor) versions() map[string]*http.Client {
	clients := map[string]*http.Client{"HTTP/1.1": v.http1}
	if v.http2 != nil {
		clients["HTTP/2"] = v.http2
	}
	return clients
}
