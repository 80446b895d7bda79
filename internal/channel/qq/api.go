package qq

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// refusal is an error response of the API.
type refusal struct {
	status  int
	code    int64
	message string
	trace   string        // the trace id for QQ's support
	after   time.Duration // when to ask again, if the platform gives a time
}

// Error returns the platform's message.
func (r *refusal) Error() string {
	return fmt.Sprintf("QQ refused (HTTP %d, code %d, trace %s): %s", r.status, r.code, r.trace, r.message)
}

// call asks the API; in and out may be nil. Its error is a *refusal, or a fault that is Uncertain when the request may
// have arrived.
func (a *Account) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	return a.request(ctx, method, path, "application/json; charset=utf-8", body, out)
}

// request sends a body. A token that was refused is replaced once: nothing has happened yet then.
func (a *Account) request(ctx context.Context, method, path, kind string, body []byte, out any) error {
	for attempt := 0; ; attempt++ {
		token, err := a.tokens.Get(ctx)
		if err != nil {
			return err
		}
		err = a.once(ctx, method, path, kind, token, body, out)
		if r, ok := errors.AsType[*refusal](err); ok && r.class() == unauthorized && attempt == 0 {
			a.tokens.Drop(token)
			continue
		}
		return err
	}
}

func (a *Account) once(ctx context.Context, method, path, kind, token string, body []byte, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, a.set.api+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "QQBot "+token)
	req.Header.Set("X-Union-Appid", a.set.appID)
	if len(body) > 0 {
		req.Header.Set("Content-Type", kind)
	}
	res, err := channel.Do(a.http, req, "call QQ")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "read the answer of QQ: %w", err))
	}
	return readAnswer(res.StatusCode, res.Header, raw, out)
}

// readAnswer separates answers from refusals: failures have a code in their body, some of them with a status of success.
func readAnswer(status int, header http.Header, raw []byte, out any) error {
	var verdict struct {
		Code    loose  `json:"code"`
		ErrCode loose  `json:"err_code"`
		Message string `json:"message"`
		Trace   string `json:"trace_id"`
	}
	garbled := len(raw) > 0 && json.Unmarshal(raw, &verdict) != nil && !json.Valid(raw) // lists have no code
	r := &refusal{status: status, code: verdict.ErrCode.int(), message: verdict.Message, trace: verdict.Trace}
	if r.code == 0 {
		r.code = verdict.Code.int()
	}
	if r.trace == "" {
		r.trace = header.Get("X-Tps-Trace-Id")
	}
	if s, err := strconv.Atoi(header.Get("Retry-After")); err == nil && s >= 0 {
		r.after = time.Duration(s) * time.Second
	}
	switch {
	case status >= 300 || r.code != 0:
		return r
	case garbled:
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "QQ answered with something that is not JSON (HTTP %d)", status))
	case out == nil || len(raw) == 0:
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "QQ answered in a way that was not understood: %w", err))
	}
	return nil
}
