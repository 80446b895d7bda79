package auth

import (
	"context"
	"net/http"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/user/users"
)

// may refuses a request that its token does not allow. A browser may do all that its user may. A token that reads opens
// no socket, since one takes commands.
func (id identity) may(r *http.Request) error {
	switch {
	case !id.narrow():
		return nil
	case r.URL.Path == "/mcp": // one path for what reads and what writes: its tools ask MayConverse
		return nil
	case reads(r) && r.Header.Get("Upgrade") == "":
		return nil
	case id.scope == users.ScopeChat && converses(r):
		return nil
	}
	return fault.Errorf(fault.Denied, "the scope of this token is %q, which does not allow %s %s; make one with a wider scope", id.scope, r.Method, r.URL.Path)
}

// MayConverse refuses to write in conversations where the token of a request only reads, and a request that did not pass Require.
func MayConverse(ctx context.Context) error {
	id, _ := ctx.Value(contextKey{}).(identity)
	if !id.narrow() || id.scope == users.ScopeChat {
		return nil
	}
	return fault.Errorf(fault.Denied, "the scope of this token is %q, which does not allow to write in conversations; make one with a wider scope", id.scope)
}

// narrow reports whether it is a token's that may less than its user.
func (id identity) narrow() bool { return id.login == nil && id.scope != users.ScopeAdmin }

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// converses reports whether a request is about conversations, or recordings for them.
func converses(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/v1/") || r.URL.Path == "/api/sessions" || r.URL.Path == "/api/transcriptions" || strings.HasPrefix(r.URL.Path, "/api/sessions/")
}
