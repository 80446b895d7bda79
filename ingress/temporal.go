package ingress

import (
	"net/http"
	"net/http/httputil"
	"net/url"
)

// TemporalUI leads to the Temporal UI, which answers only requests with a secret header. It is mounted behind the
// login, for administrators; the person's own credentials (the cookie named ours) stay here.
func TemporalUI(target *url.URL, header, token, ours string, allowed func(*http.Request) bool) http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.URL.Path, r.Out.URL.RawPath = r.In.URL.Path, r.In.URL.RawPath
			r.Out.Host = target.Host
			dropCookie(r.Out, ours)
			r.Out.Header.Del("Authorization")
			r.Out.Header.Del("Origin")
			if header != "" {
				r.Out.Header.Set(header, token)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			http.Error(w, "The Temporal UI does not answer. Run \"xbot doctor\".", http.StatusBadGateway)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allowed(r) {
			http.Error(w, "The Temporal UI is for administrators.", http.StatusForbidden)
			return
		}
		w.Header().Del("X-Frame-Options")
		proxy.ServeHTTP(w, r)
	})
}

// dropCookie removes one cookie and keeps those of the UI itself.
func dropCookie(r *http.Request, name string) {
	cookies := r.Cookies()
	r.Header.Del("Cookie")
	for _, c := range cookies {
		if c.Name != name {
			r.AddCookie(c)
		}
	}
}
