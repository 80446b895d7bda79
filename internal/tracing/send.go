package tracing

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"xbot/internal/fault"
	"xbot/internal/tracing/spans"
)

// Limits of a request.
const (
	sendTime    = 10 * time.Second
	maxAnswer   = 64 << 10 // bytes that are read of a response
	maxSpans    = 256      // of one request
	testTimeout = 20 * time.Second
)

// Resource describes the process that exports.
type Resource struct {
	Service    string // service.name
	Version    string // of xbot
	Attributes map[string]string
}

func (r Resource) proto() *resourcepb.Resource {
	var a spans.Attributes
	a.Text("service.name", orElse(r.Attributes["service.name"], r.Service))
	a.Text("service.version", orElse(r.Attributes["service.version"], r.Version))
	for key, value := range r.Attributes {
		if key != "service.name" && key != "service.version" {
			a.Text(key, value)
		}
	}
	return &resourcepb.Resource{Attributes: a}
}

// refusal is a response by which a target refuses an export permanently: repeating it cannot help.
type refusal struct{ error }

// Unwrap returns the reason.
func (r refusal) Unwrap() error { return r.error }

// send posts spans to a target, in several requests if there are many.
func send(ctx context.Context, t target, r Resource, all []*tracepb.Span) error {
	for len(all) > 0 {
		n := min(len(all), maxSpans)
		if err := sendRequest(ctx, t, r, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

func sendRequest(ctx context.Context, t target, r Resource, part []*tracepb.Span) error {
	body, err := proto.Marshal(&coltracepb.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: r.proto(),
		ScopeSpans: []*tracepb.ScopeSpans{{
			Scope: &commonpb.InstrumentationScope{Name: "xbot", Version: r.Version}, Spans: part,
		}},
	}}})
	if err != nil {
		return refusal{fmt.Errorf("encode spans: %w", err)}
	}
	answer, err := request(ctx, t, http.MethodPost, t.url, "application/x-protobuf", body)
	if err != nil {
		return err
	}
	var said coltracepb.ExportTraceServiceResponse
	if proto.Unmarshal(answer, &said) == nil && said.GetPartialSuccess().GetRejectedSpans() > 0 { // Langfuse answers with JSON
		return refusal{fault.Errorf(fault.Invalid, "the target rejected %d of %d spans", said.GetPartialSuccess().GetRejectedSpans(), len(part))}
	}
	return nil
}

// request sends a request with the headers of a target and returns the body of the response. A refusal cannot be repeated; other errors can, also
// those of a wrong key or address: an administrator may correct them.
func request(ctx context.Context, t target, method, address, kind string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the address cannot be used: enter it again")
	}
	req.Header = t.header.Clone()
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	answer, err := client().Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fault.Errorf(fault.Unavailable, "%s did not answer within %s", req.URL.Host, sendTime)
		}
		return nil, fault.Errorf(fault.Unavailable, "%s cannot be reached: %w", req.URL.Host, withoutURL(err))
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil && answer.StatusCode < 300 {
		return nil, fault.Errorf(fault.Unavailable, "%s broke off its response: %w", req.URL.Host, err)
	}
	return text, refused(answer)
}

// withoutURL removes the address from an error of a client.
func withoutURL(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok && u.Unwrap() != nil {
		return u.Unwrap()
	}
	return err
}

// refused returns why a response is no success, or nil if it is one. The text of the target is left out: it may repeat the key.
func refused(answer *http.Response) error {
	code := answer.StatusCode
	status := strconv.Itoa(code) + " " + http.StatusText(code)
	switch {
	case code >= 200 && code < 300:
		return nil
	case code >= 300 && code < 400:
		return fault.Errorf(fault.Invalid, "the target redirects (%s), which xbot does not follow: enter the address that it redirects to", status)
	case code == http.StatusUnauthorized:
		return fault.Errorf(fault.Denied, "the target does not accept the key or the headers (%s): enter others", status)
	case code == http.StatusForbidden:
		return fault.Errorf(fault.Denied, "the key or the headers may not write traces (%s): check their permissions", status)
	case code == http.StatusNotFound, code == http.StatusMethodNotAllowed:
		return fault.Errorf(fault.Invalid, "the address does not accept traces (%s): check it", status)
	case code == http.StatusTooManyRequests:
		return fault.Errorf(fault.RateLimited, "the target has had too many requests (%s)", status)
	case code == http.StatusBadRequest, code == http.StatusRequestEntityTooLarge, code == http.StatusUnprocessableEntity, code == http.StatusUnsupportedMediaType:
		return refusal{fault.Errorf(fault.Invalid, "the target refused the request (%s)", status)}
	case code < 500:
		return fault.Errorf(fault.Invalid, "the target refused the request (%s)", status)
	}
	return fault.Errorf(fault.Unavailable, "the target failed (%s)", status)
}

// Tested is the result of a test.
type Tested struct {
	Passed  bool   `json:"passed"`
	Problem string `json:"problem,omitempty" doc:"What is wrong, and what to do."`
	MS      int64  `json:"ms" doc:"How long the test took, in milliseconds."`
}

// Test exports a span with the values of a draft, and checks the keys of Langfuse before. It stores nothing. An error describes a mistake in the
// form of the draft; problems of the target are in the result.
func (s *Settings) Test(ctx context.Context, d Draft, r Resource) (Tested, error) {
	d, err := s.whole(ctx, d)
	if err != nil {
		return Tested{}, err
	}
	t, err := newTarget(d.Name, d.Endpoint, d.PublicKey, d.Secret, false)
	if err != nil {
		return Tested{}, err
	}
	return test(ctx, t, r), nil
}

// TestInForce does the same with the targets in force, by name.
func (s *Settings) TestInForce(ctx context.Context, r Resource) (map[string]Tested, error) {
	targets, problems, err := s.inForce(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]Tested{}
	for name, t := range targets {
		out[name] = test(ctx, t, r)
	}
	for name, problem := range problems {
		out[name] = Tested{Problem: problem.Error()}
	}
	return out, nil
}

func test(ctx context.Context, t target, r Resource) Tested {
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	began := time.Now()
	err := t.authenticate(ctx)
	if err == nil {
		err = send(ctx, t, r, []*tracepb.Span{testSpan(began)})
	}
	out := Tested{Passed: err == nil, MS: time.Since(began).Milliseconds()}
	if err != nil {
		out.Problem = err.Error()
	}
	return out
}

// authenticate checks the keys of Langfuse: it answers them with their project.
func (t target) authenticate(ctx context.Context) error {
	if t.name != Langfuse {
		return nil
	}
	answer, err := request(ctx, t, http.MethodGet, t.base+"/projects", "", nil)
	if err != nil {
		return err
	}
	if !json.Valid(answer) {
		return fault.Errorf(fault.Invalid, "the address is not that of Langfuse: it answers with something other than JSON")
	}
	return nil
}

// testSpan returns a span in a new trace.
func testSpan(at time.Time) *tracepb.Span {
	id := make([]byte, 24)
	_, _ = rand.Read(id) // never fails
	return &tracepb.Span{
		TraceId: id[:16], SpanId: id[16:], Name: "xbot connection test", Kind: tracepb.Span_SPAN_KIND_INTERNAL, Flags: 1,
		StartTimeUnixNano: uint64(at.UnixNano()), EndTimeUnixNano: uint64(time.Now().UnixNano()), Status: &tracepb.Status{},
	}
}
