package toolkey

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"xbot/internal/fault"
)

// Limits of a test.
const (
	tryTime = 20 * time.Second
	maxRead = 4 << 20 // bytes of an answer
)

// Tried is the result of a request.
type Tried struct {
	Passed   bool   `json:"passed"`
	Untested bool   `json:"untested,omitempty" doc:"The service has no request that costs nothing: nothing was sent."`
	Problem  string `json:"problem,omitempty" doc:"The problem and its solution."`
	MS       int64  `json:"ms" doc:"How long the request took, in milliseconds."`
}

// Try makes one request that costs nothing, with the values of a draft, and stores nothing. An error describes a mistake in the draft's form;
// problems of the service are in the result.
func (s *Store) Try(ctx context.Context, d Draft) (Tried, error) {
	d, about, err := s.whole(ctx, d)
	if err != nil {
		return Tried{}, err
	}
	if about.probe == "" {
		return Tried{Untested: true, Problem: about.title + " has no request that costs nothing: the key is tried when it is used first"}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	began := time.Now()
	access := s.access(about, d)
	err = probe(ctx, access, about.probe, about.probeBody)
	if about.health != "" && fault.Is(err, fault.NotFound) {
		access.BaseURL = strings.TrimSuffix(access.BaseURL, "/v1")
		if probe(ctx, access, about.health, "") == nil {
			err = nil
		}
	}
	out := Tried{Passed: err == nil, MS: time.Since(began).Milliseconds()}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		out.Problem = "it did not answer in time"
	default:
		out.Problem = err.Error()
	}
	return out, nil
}

// probe sends a request that has no further cost. The answer must be JSON.
func probe(ctx context.Context, a Access, path, body string) error {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	req, err := a.Request(ctx, method, path, strings.NewReader(body))
	if err != nil {
		return err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	answer, err := a.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	switch err := Refused(answer); {
	case err != nil && answer.StatusCode == http.StatusNotFound:
		return fault.Errorf(fault.NotFound, "%w", err)
	case err != nil:
		return err
	}
	var said json.RawMessage
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxRead)).Decode(&said); err != nil {
		return fault.Errorf(fault.Unavailable, "what answers there is no such service: it sends no JSON (is the address right?)")
	}
	return refusedInBody(said)
}

// refusedInBody returns an error for an answer whose body has a refusal though its status has none, as MiniMax sends it.
func refusedInBody(body []byte) error {
	var said struct {
		Base struct {
			Code int `json:"status_code"`
		} `json:"base_resp"`
	}
	switch err := json.Unmarshal(body, &said); {
	case err != nil || said.Base.Code == 0: // other services have no such member
		return nil
	case said.Base.Code == 1004 || said.Base.Code == 2049:
		return fault.Errorf(fault.Invalid, "the key was not accepted (%d): enter another one", said.Base.Code)
	default:
		return fault.Errorf(fault.Invalid, "the service refused the request (%d)", said.Base.Code)
	}
}

// Request makes a request to a path of the service, with its key.
func (a Access) Request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.BaseURL+path, body)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the address cannot be used: enter it again")
	}
	a.Sign(req)
	return req, nil
}

// Sign adds the key to a request for the address of the access.
func (a Access) Sign(req *http.Request) {
	switch {
	case a.Key == "":
	case a.header != "":
		req.Header.Set(a.header, a.Key)
	default:
		req.Header.Set("Authorization", "Bearer "+a.Key)
	}
}

// Do sends a request. An error has the reason why there is no answer: Denied where the address may not be reached, else Unavailable.
func (a Access) Do(req *http.Request) (*http.Response, error) {
	answer, err := a.Client.Do(req)
	if err == nil {
		return answer, nil
	}
	kind := fault.Unavailable
	if fault.Is(err, fault.Denied) {
		kind = fault.Denied
	}
	return nil, fault.Errorf(kind, "%s cannot be reached: %w", req.URL.Host, err)
}

// Refused returns a sentence if a service refused a request, or nil if it did not. It returns Invalid if a retry would not help. The text of the service
// is left out: it may repeat the key.
func Refused(answer *http.Response) error {
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code >= 300 && code < 400:
		return fault.Errorf(fault.Invalid, "the service leads elsewhere (%d), which is not followed: enter the address it leads to", code)
	case code == http.StatusUnauthorized:
		return fault.Errorf(fault.Invalid, "the key was not accepted (401): enter another one")
	case code == http.StatusForbidden:
		return fault.Errorf(fault.Invalid, "the key may not do this, or the service does not allow it (403)")
	case code == http.StatusNotFound:
		return fault.Errorf(fault.Invalid, "there is nothing at the address (404): enter another one, such as https://host/v1")
	case code == http.StatusTooManyRequests:
		return fault.Errorf(fault.RateLimited, "the service has had too many requests (429), or the account has no credit")
	case code == http.StatusRequestEntityTooLarge:
		return fault.Errorf(fault.TooLarge, "it is too large for the service (413)")
	case code < 500:
		return fault.Errorf(fault.Invalid, "the service refused the request (%s)", status(code))
	}
	return fault.Errorf(fault.Unavailable, "the service failed (%s)", status(answer.StatusCode))
}

func status(code int) string { return fmt.Sprint(code, " ", http.StatusText(code)) }
