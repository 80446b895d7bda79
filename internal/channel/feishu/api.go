package feishu

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

const (
	callTimeout   = 20 * time.Second
	uploadTimeout = 3 * time.Minute
	// maxAnswer bounds the answer to a call, in bytes.
	maxAnswer = 8 << 20
)

// request is a call of the platform.
type request struct {
	method, path string
	in           any    // sent as JSON; nil: no body
	body         []byte // instead of in, of the type kind
	kind         string
	timeout      time.Duration // 0: callTimeout
}

// call asks the platform and reads the data of its answer; in and out may be nil. Its errors are faults, Uncertain when the
// request may have been carried out; one that the platform refused has a *refusal in its chain.
func (a *Account) call(ctx context.Context, method, path string, in, out any) error {
	return a.data(ctx, request{method: method, path: path, in: in}, out)
}

func (a *Account) data(ctx context.Context, r request, out any) error {
	var answer struct {
		Data json.RawMessage `json:"data"`
	}
	if err := a.authorized(ctx, r, &answer); err != nil {
		return err
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Data, out); err != nil {
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "Feishu answered in a way that was not understood: %w", err))
	}
	return nil
}

// whole is call for answers whose content is not under data.
func (a *Account) whole(ctx context.Context, method, path string, in, out any) error {
	return a.authorized(ctx, request{method: method, path: path, in: in}, out)
}

// authorized makes a request with the account's token. One that was refused is replaced once: nothing has happened then.
func (a *Account) authorized(ctx context.Context, r request, out any) error {
	for attempt := 0; ; attempt++ {
		token, err := a.tokens.Get(ctx)
		if err != nil {
			return err
		}
		err = a.once(ctx, r, token, out)
		if why, ok := refusalOf(err); ok && why.class() == badToken && attempt == 0 {
			a.tokens.Drop(token)
			continue
		}
		return err
	}
}

// once makes one request.
func (a *Account) once(ctx context.Context, r request, token string, out any) error {
	timeout := r.timeout
	if timeout == 0 {
		timeout = callTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	res, err := a.do(ctx, r, token)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "read the answer of Feishu: %w", err))
	}
	return readAnswer(res, raw, out)
}

// do sends a request and returns the answer, whatever it is; the caller closes its body.
func (a *Account) do(ctx context.Context, r request, token string) (*http.Response, error) {
	body, kind := r.body, r.kind
	if r.in != nil {
		var err error
		if body, err = json.Marshal(r.in); err != nil {
			return nil, err
		}
		kind = "application/json; charset=utf-8"
	}
	req, err := http.NewRequestWithContext(ctx, r.method, a.set.domain+r.path, bytes.NewReader(body))
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "call Feishu: %w", err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	return channel.Do(a.http, req, "call Feishu")
}

// readAnswer tells an answer from a refusal: a refusal has a code that is not 0, whatever its status.
func readAnswer(res *http.Response, raw []byte, out any) error {
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
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "Feishu answered in a way that was not understood: %w", err))
	}
	return nil
}

// delay reads when to come back.
func delay(h http.Header) time.Duration {
	for _, name := range []string{"X-Ogw-Ratelimit-Reset", "Retry-After"} {
		if s, err := strconv.Atoi(h.Get(name)); err == nil && s > 0 && s < 24*60*60 {
			return time.Duration(s) * time.Second
		}
	}
	return 0
}
