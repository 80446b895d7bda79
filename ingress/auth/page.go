package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"xbot/internal/fault"
	"xbot/internal/secret"
)

// A browser sends a cookie to every port of a host: another server on another port receives that of a login. So the
// cookie is half of what a browser has to show. The page keeps the other half where only its own origin, port included,
// can read it: the page key, which each request of the page has in a header. Where a page cannot set a header, it asks
// for an address that shows the same: a pass for one download, a path for the Temporal UI.
const (
	// PageHeader is the header with the page key.
	PageHeader = "X-Xbot-Page"
	// passParameter is the query parameter of a pass.
	passParameter = "pass"
	// passLife is how long a pass can be used; a download that has begun continues.
	passLife = time.Minute
	// keyedFolder precedes the key in a path.
	keyedFolder = "k/"
)

var errNoPage = &SignInError{"the cookie of a login counts only together with the key of its page; sign in again"}

// mac authenticates a login for one purpose with the installation's key. Without that key it is empty.
func (a *Auth) mac(purpose string, login []byte, more ...[]byte) []byte {
	if a.Key == nil {
		return nil
	}
	h := hmac.New(sha256.New, a.Key.Derive(purpose))
	h.Write(login)
	for _, part := range more {
		h.Write(part)
	}
	return h.Sum(nil)
}

func text(mac []byte) string { return base64.RawURLEncoding.EncodeToString(mac) }

// same reports whether a text is the encoded mac. Without the installation's key it is always false.
func (a *Auth) same(shown string, mac []byte) bool {
	return a.Key != nil && hmac.Equal([]byte(shown), []byte(text(mac)))
}

func (a *Auth) pageKey(login []byte) []byte { return a.mac("page key", login) }

// shown fails unless a request with the cookie of a login comes from its page.
func (a *Auth) shown(r *http.Request, login []byte) error {
	if a.same(r.Header.Get(PageHeader), a.pageKey(login)) || a.passed(r, login) {
		return nil
	}
	return errNoPage
}

// Pass returns an address of the API that the browser of the request can open for a minute without the page's header.
func (a *Auth) Pass(ctx context.Context, address string) (string, error) {
	id, _ := ctx.Value(contextKey{}).(identity)
	if id.login == nil {
		return "", fault.Errorf(fault.Invalid, "a pass is for browsers; a program sends its token")
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(u.Path, "/api/") {
		return "", fault.Errorf(fault.Invalid, "a pass is for an address of this server that begins with /api/")
	}
	q := u.Query()
	q.Del(passParameter)
	var expires [8]byte
	binary.BigEndian.PutUint64(expires[:], uint64(time.Now().Add(passLife).Unix()))
	mac := a.mac("page passes", id.login, expires[:], []byte(u.EscapedPath()+"?"+q.Encode()))
	q.Set(passParameter, text(append(expires[:], mac...)))
	return u.EscapedPath() + "?" + q.Encode(), nil
}

// passed reports whether a request that changes nothing has a pass for its address.
func (a *Auth) passed(r *http.Request, login []byte) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	q := r.URL.Query()
	raw, err := base64.RawURLEncoding.DecodeString(q.Get(passParameter))
	if err != nil || len(raw) != 8+sha256.Size || time.Now().Unix() > int64(binary.BigEndian.Uint64(raw)) {
		return false
	}
	q.Del(passParameter)
	mac := a.mac("page passes", login, raw[:8], []byte(r.URL.EscapedPath()+"?"+q.Encode()))
	return a.same(text(raw[8:]), mac)
}

// Under returns the path that leads a browser to what RequireUnder guards at root: root itself for a program, which sends
// its token, and a path with a key for a browser, whose requests have no such header.
func (a *Auth) Under(ctx context.Context, root string) string {
	id, _ := ctx.Value(contextKey{}).(identity)
	if id.login == nil {
		return root
	}
	return root + keyedFolder + text(a.mac("path "+root, id.login)) + "/"
}

// RequireUnder lets only authenticated requests through to a separate program under root, which ends with a slash. A
// browser shows the page key by its path, which next does not see. A user who opens a path without a key, or with that of
// an earlier login, is sent to the page, which knows the whole path.
func (a *Auth) RequireUnder(root string, next http.Handler, refuse func(http.ResponseWriter, *http.Request, error)) http.Handler {
	tokens := a.Require(next, refuse)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			tokens.ServeHTTP(w, r)
			return
		}
		inner := &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
		key := ""
		if folder, rest, keyed := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), root+keyedFolder), "/"); keyed && strings.HasPrefix(r.URL.EscapedPath(), root+keyedFolder) {
			key, inner.RawPath = folder, root+rest
			inner.Path = root + strings.TrimPrefix(r.URL.Path, root+keyedFolder+key+"/")
		}
		id, err := a.byPath(w, r, root, key)
		if _, out := errors.AsType[*SignInError](err); out && r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
			http.Redirect(w, r, "/open?"+url.Values{"at": {inner.RequestURI()}}.Encode(), http.StatusSeeOther)
			return
		}
		if err != nil {
			refuse(w, r, err)
			return
		}
		through := r.WithContext(identified(r.Context(), id))
		through.URL = inner
		next.ServeHTTP(w, through)
	})
}

func (a *Auth) byPath(w http.ResponseWriter, r *http.Request, root, key string) (identity, error) {
	cookie, err := r.Cookie(CookieName)
	if err != nil {
		return identity{}, ErrSignIn
	}
	if err := a.Hosts.SameOrigin(r); err != nil {
		return identity{}, err
	}
	if !a.same(key, a.mac("path "+root, secret.HashToken(cookie.Value))) {
		return identity{}, errNoPage
	}
	return a.byCookie(w, r, cookie.Value)
}
