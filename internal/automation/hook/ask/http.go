package ask

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"

	"xbot/internal/automation/hook"
	"xbot/internal/fault"
)

// HTTP posts the payload to addresses, and reads the answer like that of a command. Redirects are not followed.
type HTTP struct {
	Client *http.Client      // limits the addresses that may be reached (internal/host/safehttp)
	Env    map[string]string // variables that headers may name
	Agent  string            // names the program
}

var _ hook.Asker = HTTP{}

// NewHTTP returns an HTTP that uses the connections of a client, and follows no redirects.
func NewHTTP(client *http.Client, env map[string]string, agent string) HTTP {
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return HTTP{Client: &own, Env: env, Agent: agent}
}

// Ask implements hook.Asker.
func (a HTTP) Ask(ctx context.Context, h hook.Handler, q hook.Question) (hook.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(q.Body))
	if err != nil {
		return hook.Answer{}, fault.Errorf(fault.Invalid, "its address is wrong")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", a.Agent)
	req.Header.Set("Idempotency-Key", q.Payload.ID)
	for name, value := range h.Headers {
		req.Header.Set(name, hook.Expand(value, a.Env))
	}
	resp, err := a.Client.Do(req)
	if err != nil {
		return hook.Answer{}, bare(err)
	}
	defer resp.Body.Close() // read only
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return hook.Answer{}, fault.Errorf(fault.Unavailable, "it answered %d", resp.StatusCode)
	}
	out, err := all(resp.Body)
	if err != nil {
		return hook.Answer{}, err
	}
	return hook.ParseAnswer(out)
}

// bare returns an error without the address, which may hold a secret.
func bare(err error) error {
	if in, ok := errors.AsType[*url.Error](err); ok {
		return in.Err
	}
	return err
}
