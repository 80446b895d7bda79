package feishu

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

const (
	callTimeout   = 20 * time.Second
	uploadTimeout = 3 * time.Minute
	// maxAnswer bounds the answer to a call, in bytes.
	maxAnswer = 8 << 20
)

// wire sends the library's calls to the platform: one request for a call, whose answer is bounded and classified here, before
// the library reads it. The library passes the errors of wire through unchanged.
type wire struct{ *Account }

// Interface guards.
var (
	_ larkcore.HttpClient   = wire{}
	_ larkcore.Serializable = wire{}
)

// config returns the account's configuration of the library's services. The library's cache of tokens is process-wide and keeps
// tokens that were refused, so it is off.
func (a *Account) config() *larkcore.Config {
	return &larkcore.Config{
		BaseUrl: a.set.domain, AppId: a.set.appID, AppSecret: a.set.secret, HttpClient: wire{a}, Serializable: wire{a}, Logger: quiet{},
	}
}

// Do makes a request. A token that was refused is replaced once: nothing has happened then.
func (w wire) Do(req *http.Request) (*http.Response, error) {
	res, err := w.once(req)
	token, given := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	if !given || !refusedAs(err, badToken) {
		return res, err
	}
	w.tokens.Drop(token)
	if token, err = w.tokens.Get(req.Context()); err != nil {
		return nil, err
	}
	again := req.Clone(req.Context())
	if again.Body, err = req.GetBody(); err != nil {
		return nil, fault.Errorf(fault.Internal, "call Feishu again: %w", err)
	}
	again.Header.Set("Authorization", "Bearer "+token)
	return w.once(again)
}

// once makes one request and returns its answer if it is no refusal.
func (w wire) once(req *http.Request) (*http.Response, error) {
	res, err := channel.Do(w.http, req, "call Feishu")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, channel.Uncertain(fault.Errorf(fault.Unavailable, "read the answer of Feishu: %w", err))
	}
	if err := readAnswer(res, raw); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(raw)),
	}, nil
}

// Serialize writes the body of a request.
func (wire) Serialize(v any) ([]byte, error) { return json.Marshal(v) }

// Deserialize reads an answer as far as it fits the library's types, which name many members that are unused here.
func (wire) Deserialize(raw []byte, v any) error {
	if err := channel.Decode(raw, v); err != nil {
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "Feishu answered in a way that was not understood: %w", err))
	}
	return nil
}

// quiet is the library's log: relevant events come back as errors, and the rest would show contents and addresses.
type quiet struct{}

var _ larkcore.Logger = quiet{}

func (quiet) Debug(context.Context, ...any) {}
func (quiet) Info(context.Context, ...any)  {}
func (quiet) Warn(context.Context, ...any)  {}
func (quiet) Error(context.Context, ...any) {}

// method is a call of the library.
type method[Q, R any] func(context.Context, Q, ...larkcore.RequestOptionFunc) (R, error)

// call makes a call of the library with the account's token. Its errors are faults, Uncertain when the request may have been
// carried out; one that the platform refused has a *refusal in its chain.
func call[Q, R any](ctx context.Context, a *Account, m method[Q, R], q Q) (R, error) {
	return callWithin(ctx, a, callTimeout, m, q)
}

func callWithin[Q, R any](ctx context.Context, a *Account, limit time.Duration, m method[Q, R], q Q) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	token, err := a.tokens.Get(ctx)
	if err != nil {
		var none R
		return none, err
	}
	r, err := m(ctx, q, larkcore.WithTenantAccessToken(token))
	return r, unsent(err)
}

// request makes a call that the library has no types for, with the account's token; out may be nil.
func (a *Account) request(ctx context.Context, q *larkcore.ApiReq, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	token, err := a.tokens.Get(ctx)
	if err != nil {
		return err
	}
	q.SupportedAccessTokenTypes = []larkcore.AccessTokenType{larkcore.AccessTokenTypeTenant}
	return a.plain(ctx, q, out, larkcore.WithTenantAccessToken(token))
}

// plain makes a call that the library has no types for.
func (a *Account) plain(ctx context.Context, q *larkcore.ApiReq, out any, with ...larkcore.RequestOptionFunc) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	res, err := larkcore.Request(ctx, q, a.config(), with...)
	if err != nil || out == nil {
		return unsent(err)
	}
	return wire{a}.Deserialize(res.RawBody, out)
}

// unsent makes a fault of the library's own error: it comes from making a request, not from sending it.
func unsent(err error) error {
	if fault.Is(err, fault.Internal) { // it has no kind
		return fault.Errorf(fault.Invalid, "call Feishu: %w", err)
	}
	return err
}

// data returns the result of a call, empty if there is none.
func data[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}

// readAnswer separates answers from refusals: a refusal has a code that is not 0, with any HTTP status.
func readAnswer(res *http.Response, raw []byte) error {
	var verdict struct {
		Code  *int64 `json:"code"`
		Msg   string `json:"msg"`
		Error struct {
			LogID      string `json:"log_id"`
			Violations []struct {
				Subject string `json:"subject"`
			} `json:"permission_violations"`
		} `json:"error"`
	}
	err := json.Unmarshal(raw, &verdict)
	r := &refusal{status: res.StatusCode, message: verdict.Msg, trace: verdict.Error.LogID, after: delay(res.Header)}
	if r.trace == "" {
		r.trace = res.Header.Get("X-Tt-Logid")
	}
	if verdict.Code != nil {
		r.code = *verdict.Code
	}
	for _, v := range verdict.Error.Violations {
		r.scopes = append(r.scopes, v.Subject)
	}
	switch {
	case r.code != 0 || res.StatusCode >= 300:
		return r.explained()
	case err != nil || verdict.Code == nil:
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "Feishu answered with something that is not its JSON (HTTP %d)", res.StatusCode))
	}
	return nil
}

// delay reads how long to wait.
func delay(h http.Header) time.Duration {
	for _, name := range []string{"X-Ogw-Ratelimit-Reset", "Retry-After"} {
		if s, err := strconv.Atoi(h.Get(name)); err == nil && s > 0 && s < 24*60*60 {
			return time.Duration(s) * time.Second
		}
	}
	return 0
}
