package doctor

// What mends the faults of proxies, by name.
var (
	remedyBuffering = proxies(
		"proxy_request_buffering off; proxy_http_version 1.1;",
		"no request_buffers in reverse_proxy",
		"no option http-buffer-request",
		"no buffering middleware",
	)
	remedyBodyCap = proxies(
		"client_max_body_size 0;",
		"no request_body max_size",
		"no http-request deny by req.body_size or Content-Length",
		"no buffering.maxRequestBodyBytes",
	)
	remedyErrorPages = proxies(
		"proxy_intercept_errors off;",
		"no handle_response in reverse_proxy",
		"no errorfile or http-error for answers of the server",
		"no errors middleware",
	)
	remedyFields = proxies(
		"no proxy_set_header NAME \"\" and no proxy_hide_header of these",
		"no header_up -NAME and no header_down -NAME of these",
		"no http-request del-header and no http-response del-header of these",
		"no headers middleware that empties these",
	)
	remedyForwarded = append(proxies(
		"proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Forwarded-Host $http_host; no proxy_redirect",
		"no header_up of Host or X-Forwarded-*: Caddy sets them; trusted_proxies if another proxy stands before it",
		"http-request set-header X-Forwarded-Proto https; http-request set-header X-Forwarded-Host %[req.hdr(Host)]",
		"passHostHeader: true; forwardedHeaders.trustedIPs if another proxy stands before it",
	), Remedy{"sluice", "--trusted-proxies with the proxy's address; --base-path if it serves below a path"})
	remedySilence = proxies(
		"client_body_timeout 300s; send_timeout 300s; proxy_read_timeout 300s; proxy_send_timeout 300s;",
		"no read_timeout and no write_timeout in transport http",
		"timeout client 300s; timeout server 300s",
		"respondingTimeouts.idleTimeout of 300s",
	)
	remedyDuration = proxies(
		"client_body_timeout 300s; no limit on the whole request in front of it",
		"no timeouts read_body and no timeouts write in servers",
		"timeout client 300s; timeout server 300s; timeout http-request is for the head alone: no option http-buffer-request",
		"respondingTimeouts.readTimeout: 0 and writeTimeout: 0 (they bound the whole)",
	)
	remedyMethods = proxies(
		"no limit_except, no dav_methods at this place",
		"no method matcher before reverse_proxy",
		"no http-request deny by method",
		"no Method() in the router's rule",
	)
	remedyRanges = proxies(
		"proxy_force_ranges off; no slice, no proxy_cache for this place",
		"no cache before reverse_proxy",
		"no cache-use in this backend",
		"no cache before the service",
	)
	remedyCoding = proxies(
		"gzip off; for this place",
		"no encode for this place",
		"no compression in this backend",
		"no compress middleware",
	)
	remedyExpect = proxies(
		"proxy_http_version 1.1;",
		"expect_continue_timeout 10s in transport http",
		"no http-request deny by the field Expect",
		"no middleware that refuses the field Expect",
	)
	remedyHTTP2 = proxies(
		"proxy_request_buffering off; client_body_buffer_size 512k;",
		"Caddy 2.6 or newer",
		"tune.h2.initial-window-size 1048576 in global (tune.h2.fe.initial-window-size from 2.8 on)",
		"Traefik 3 or newer",
	)
	remedyHost    = []Remedy{{"sluice", "--allowed-hosts with the host of the URL"}}
	remedyPrivate = append(proxies(
		"proxy_pass to the address of --listen alone",
		"reverse_proxy to the address of --listen alone",
		"a server line for the address of --listen alone",
		"a service for the address of --listen alone",
	), Remedy{"sluice", "--admin-listen on loopback or a private network"})
)

// proxies is what mends something in each of the proxies that are known.
func proxies(nginx, caddy, haproxy, traefik string) []Remedy {
	return []Remedy{{"nginx", nginx}, {"Caddy", caddy}, {"HAProxy", haproxy}, {"Traefik", traefik}}
}

// setting is what mends something in sluice or the system.
func setting(of, text string) []Remedy { return []Remedy{{of, text}} }
