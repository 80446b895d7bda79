package feishu

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"
	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// Limits of a request.
const (
	callTime  = 30 * time.Second
	maxAnswer = 8 << 20 // bytes
	attempts  = 3       // while Feishu reports too many requests
	maxPause  = 10 * time.Second
)

// Person acts with the account that a user has connected.
type Person struct {
	service  *Service
	user     chat.UserID
	provider chat.OAuthProvider
	base     string
}

// Config returns the configuration of the library's services. Its own cache of tokens is of the whole process, so it is off.
func (p *Person) Config() *larkcore.Config {
	return &larkcore.Config{BaseUrl: p.base, AppId: "xbot", HttpClient: p, Serializable: lenient{}, Logger: quiet{}}
}

// Method is a call of the library.
type Method[Q, R any] func(context.Context, Q, ...larkcore.RequestOptionFunc) (R, error)

// Call makes a call of the library as the person. Errors are faults: Denied, NotFound, Invalid, RateLimited with sentences for the model; one
// whose outcome is unknown is Unavailable.
func Call[Q, R any](ctx context.Context, p *Person, m Method[Q, R], q Q) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return m(ctx, q, larkcore.WithUserAccessToken(placeholder))
}

// placeholder is replaced with the token by Do, so that the library never holds one.
const placeholder = "connected-account"

// Do sends a request of the library with a token, and once more with another where the first one is refused: nothing has happened then.
func (p *Person) Do(req *http.Request) (*http.Response, error) {
	resp, err := p.Send(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, lost("the answer of Feishu broke off")
	case len(raw) > maxAnswer:
		return nil, fault.Errorf(fault.TooLarge, "the answer of Feishu has more than %d bytes; ask for less at once", maxAnswer)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(raw))}, nil
}

// Send is Do without reading the body of the answer, which is the caller's to close. A refusal is an error.
func (p *Person) Send(req *http.Request) (*http.Response, error) {
	renewed := false
	for n := 1; ; n++ {
		token, err := p.service.accounts.Token(req.Context(), p.user, p.provider.ID)
		if err != nil {
			return nil, err
		}
		resp, err := p.once(req, token)
		r, refused := errors.AsType[*refusal](err)
		switch {
		case !refused:
			return resp, err
		case r.token() && !renewed:
			renewed = true
			if err := p.service.accounts.Refused(req.Context(), p.user, p.provider.ID, token); err != nil {
				return nil, err
			}
		case r.limited() && n < attempts && pause(req.Context(), r.after):
		default:
			return nil, p.explained(r)
		}
	}
}

// once sends a request once. A redirect is not followed: the request carries a secret.
func (p *Person) once(req *http.Request, token string) (*http.Response, error) {
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, fault.Errorf(fault.Internal, "call Feishu again: %w", err)
		}
		again.Body = body
	}
	again.Header.Set("Authorization", "Bearer "+token)
	resp, err := p.service.http.RoundTrip(again)
	if err != nil {
		if cause := context.Cause(req.Context()); errors.Is(cause, context.Canceled) {
			return nil, cause
		}
		return nil, lost("Feishu cannot be reached: " + safehttp.Reason(err))
	}
	return judged(resp)
}

func pause(ctx context.Context, after time.Duration) bool {
	timer := time.NewTimer(min(max(after, time.Second), maxPause))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// ClientToken returns the key by which Feishu knows a write again: a UUID of the call and of what of it is written.
func ClientToken(call chat.CallID, part string) string {
	sum := sha256.Sum256([]byte(string(call) + "\x00" + part))
	id, err := uuid.FromBytes(sum[:16])
	if err != nil {
		panic(err) // it has 16 bytes
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // version 4, which Feishu asks for
	return id.String()
}

// lostError is the error of a request that has no answer.
type lostError struct{ said string }

func (e *lostError) Error() string { return e.said }

func lost(said string) error { return fault.Errorf(fault.Unavailable, "%w", &lostError{said}) }

// lenient reads answers as far as they fit the library's types.
type lenient struct{}

// Serialize writes the body of a request.
func (lenient) Serialize(v any) ([]byte, error) { return json.Marshal(v) }

// Deserialize reads an answer.
func (lenient) Deserialize(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); err == nil || odd {
		return nil
	}
	return lost("Feishu answered with something that is not its JSON")
}

// quiet is the library's log: what matters comes back as an error.
type quiet struct{}

func (quiet) Debug(context.Context, ...any) {}
func (quiet) Info(context.Context, ...any)  {}
func (quiet) Warn(context.Context, ...any)  {}
func (quiet) Error(context.Context, ...any) {}

// Address returns the URL of a path at Feishu.
func (p *Person) Address(path string) string { return p.base + path }
