package channels

import (
	"net/http"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// Prefix begins the addresses of webhooks: Prefix + channel, or Prefix + channel/account.
const Prefix = "/channels/"

// ServeHTTP hands a request of a platform to the account that it is for, which knows by its signature or token whether the
// platform has sent it. Whoever asks for an account that takes no webhooks learns no more than that there is nothing.
func (d *Desk) ServeHTTP(w http.ResponseWriter, q *http.Request) {
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
	r := d.receiver(name, account)
	hook.Webhook(r, r.report).ServeHTTP(w, q)
}
