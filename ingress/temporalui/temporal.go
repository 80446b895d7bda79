// Package temporalui serves the Temporal UI behind the sign-in, with a codec server that decrypts histories for it.
package temporalui

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Proxy leads to the Temporal UI, which answers only requests with a secret header. It is mounted behind the login, for
// administrators; the user's own credentials stay here.
type Proxy struct {
	Target *url.URL
	Header string // empty if the UI asks for none
	Token  string
	Cookie string // of the user's login
	Access Access
}

// Access decides who may see the UI, and under which path they see it.
type Access interface {
	Allowed(r *http.Request) bool
	Base(r *http.Request) string // where this browser finds the UI; ends with a slash
}

// maxIndex bounds the page of the UI, in bytes; it has some kilobytes.
const maxIndex = 1 << 20

// Handler returns the handler of the proxy.
func (t Proxy) Handler() http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite:        t.rewrite,
		ModifyResponse: t.rebase,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			http.Error(w, "The Temporal UI does not answer. Run \"xbot doctor\".", http.StatusBadGateway)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !t.Access.Allowed(r) {
			http.Error(w, "The Temporal UI is for administrators.", http.StatusForbidden)
			return
		}
		w.Header().Del("X-Frame-Options")
		proxy.ServeHTTP(w, r)
	})
}

func (t Proxy) rewrite(r *httputil.ProxyRequest) {
	r.SetURL(t.Target)
	r.Out.URL.Path, r.Out.URL.RawPath = r.In.URL.Path, r.In.URL.RawPath
	r.Out.Host = t.Target.Host
	dropCookie(r.Out, t.Cookie)
	r.Out.Header.Del("Authorization")
	r.Out.Header.Del("Origin")
	r.Out.Header.Del("Referer") // has the path that identifies the user
	if strings.Contains(r.In.Header.Get("Accept"), "text/html") {
		r.Out.Header.Del("Accept-Encoding") // the page is read on the way
	}
	if t.Header != "" {
		r.Out.Header.Set(t.Header, t.Token)
	}
}

// rebase makes the UI's own addresses begin where this browser finds it.
func (t Proxy) rebase(resp *http.Response) error {
	resp.Header.Del("Referrer-Policy") // ours applies: other sites must not learn the path
	base, root := strings.TrimSuffix(t.Access.Base(resp.Request), "/"), strings.TrimSuffix(Root, "/")
	if base == root {
		return nil
	}
	if rest, ok := strings.CutPrefix(resp.Header.Get("Location"), root); ok {
		resp.Header.Set("Location", base+rest)
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") || strings.HasPrefix(resp.Request.URL.Path, root+"/render") {
		return nil // others wrote the content that is rendered there, and it must not learn the path
	}
	page, err := io.ReadAll(io.LimitReader(resp.Body, maxIndex))
	if err != nil {
		return err
	}
	if err := resp.Body.Close(); err != nil {
		return err
	}
	there := strings.NewReplacer(`"`+root+`"`, `"`+base+`"`, `"`+root+`/`, `"`+base+`/`)
	moved := there.Replace(string(page))
	if policy := resp.Header.Get("Content-Security-Policy"); policy != "" {
		resp.Header.Set("Content-Security-Policy", permit(policy, string(page), there))
	}
	resp.Body = io.NopCloser(strings.NewReader(moved))
	resp.ContentLength = int64(len(moved))
	resp.Header.Set("Content-Length", strconv.Itoa(len(moved)))
	resp.Header.Set("Cache-Control", "no-store")
	return nil
}

// inlineScript matches a script inside a page.
var inlineScript = regexp.MustCompile(`(?s)<script[^>]*>(.+?)</script>`)

// permit replaces the hashes of scripts in a content security policy by those of the changed scripts.
func permit(policy, page string, changed *strings.Replacer) string {
	hash := func(script string) string {
		sum := sha256.Sum256([]byte(script))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	for _, script := range inlineScript.FindAllStringSubmatch(page, -1) {
		policy = strings.ReplaceAll(policy, hash(script[1]), hash(changed.Replace(script[1])))
	}
	return policy
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
