package channels

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// Prefix begins the addresses of webhooks: Prefix + channel, or Prefix + channel/account.
const Prefix = "/channels/"

// ServeHTTP passes a request of a platform to its account, which checks by a signature or token that the platform sent it.
// For an account that takes no webhooks, or does not exist, the answer is the same: not found.
func (d *AccountRunner) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	name, account, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, Prefix), "/")
	a, err := d.Live.Account(q.Context(), name, account)
	if fault.Is(err, fault.Unavailable) {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	hook, ok := a.(channel.Webhook)
	if err != nil || !ok {
		http.NotFound(w, q)
		return
	}
	if q.Method == http.MethodPost { // NapCat comes with a connection that stays, and has no body
		body, done, err := d.bodies.read(w, q, d.address(q))
		if err != nil {
			refuse(w, err)
			return
		}
		defer done()
		q.Body = io.NopCloser(bytes.NewReader(body))
	}
	r := d.receiver(name, account)
	hook.Webhook(r, r).ServeHTTP(w, q)
}

// address returns the source address of a call; empty: unknown.
func (d *AccountRunner) address(q *http.Request) string {
	if d.Addresses == nil {
		return ""
	}
	return d.Addresses.Address(q)
}

// refuse answers that the body of a caller was not accepted. Platforms repeat an event that was not answered with success.
func refuse(w http.ResponseWriter, err error) {
	switch {
	case fault.Is(err, fault.RateLimited):
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error(), http.StatusTooManyRequests)
	case fault.Is(err, fault.TooLarge):
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
	default:
		http.Error(w, "the body did not arrive", http.StatusBadRequest)
	}
}
