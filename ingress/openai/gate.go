package openai

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"xbot/ingress/callers"
	"xbot/ingress/largebody"
	"xbot/internal/fault"
)

// maxOpen is how many requests of one caller may be open at once: each that waits holds a connection.
const maxOpen = 32

// AllowOrigins lets programs in pages of other sites call the API with a key or token: a browser adds no credentials that count there. It
// answers preflight requests and reports whether it did.
func AllowOrigins(w http.ResponseWriter, r *http.Request) (answered bool) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Retry-After, X-Conversation-Id, X-Should-Retry, Content-Disposition")
	if r.Method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Conversation-Id, X-Xbot-Channel, *")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// Caller identifies the sender of a request.
type Caller interface {
	Of(ctx context.Context) int64
}

// Gate bounds the requests of a caller that are open at once, and the large ones that are read.
type Gate struct {
	Next     http.Handler
	Who      Caller
	Refusals Refusals
	Large    *largebody.Places

	open callers.Limit[int64]
}

// ServeHTTP implements http.Handler.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who := g.Who.Of(r.Context())
	leave, err := g.open.EnterOr(who, maxOpen, errTooManyOpen)
	if err != nil {
		Refuse(w, err, g.Refusals)
		return
	}
	defer leave()
	place, err := g.Large.Enter(r, strconv.FormatInt(who, 10))
	if err != nil {
		Refuse(w, err, g.Refusals)
		return
	}
	defer place.Leave()
	g.Next.ServeHTTP(w, place.With(r))
}

// errTooManyOpen is the error of a request of who has maxOpen of them open.
var errTooManyOpen = fault.Limited(time.Second, "%d requests of yours are open already; wait for one of them to end", maxOpen)

// Unknown is the error of a request that nothing here answers.
func Unknown(r *http.Request) error {
	return &Error{
		Status: http.StatusNotFound, Code: "unknown_url",
		Message: "nothing answers " + r.Method + " " + r.URL.Path + " here; the documents of xbot list what of the OpenAI API there is",
	}
}

// WithoutSlash answers a path with slashes at its end as the one without them.
func WithoutSlash(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, TrimSlash(r, 2)) })
}

// TrimSlash returns a request without the slashes at the end of its path, if that has at least so many parts. A redirect would lose the body.
func TrimSlash(r *http.Request, parts int) *http.Request {
	path := strings.TrimRight(r.URL.Path, "/")
	if path == r.URL.Path || strings.Count(path, "/") < parts {
		return r
	}
	out := *r
	out.URL = new(*r.URL)
	out.URL.Path, out.URL.RawPath = path, strings.TrimRight(r.URL.RawPath, "/")
	return &out
}
