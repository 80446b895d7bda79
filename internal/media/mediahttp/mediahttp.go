// Package mediahttp has the requests that the providers of media share: paid ones, whose failure says whether something may have been paid for,
// free ones, and downloads.
package mediahttp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
	"xbot/internal/media"
)

// Limits of answers, in bytes.
const (
	maxJSON  = 100 << 20 // pictures of media.MaxPictures in base64, and what is around them
	maxFault = 64 << 10
)

// Refusal is the reason for which a provider refuses a request, read from its answer.
type Refusal struct {
	Code    string
	Message string
}

// Reader reads the reason from the body of an answer; the zero Refusal: there is none.
type Reader func(body []byte) Refusal

// Request is a request to a provider.
type Request struct {
	Method string // default: POST with a body, else GET
	Path   string // below the address of the access, or an absolute address there
	Body   any    // JSON, or a Form
	Header map[string]string
	Reason Reader
}

// Form is a body of another form.
type Form struct {
	Type string
	Data []byte
}

// Answer is a successful answer.
type Answer struct {
	Body   []byte
	Header http.Header
}

// Paid sends a request that is paid for. Its error is media.Uncertain where the provider may have worked: the answer is missing, broken, or a
// failure of the provider.
func Paid(ctx context.Context, a toolkey.Access, r Request) (Answer, error) {
	return send(ctx, a, r, true)
}

// Free sends a request that can be repeated.
func Free(ctx context.Context, a toolkey.Access, r Request) (Answer, error) {
	return send(ctx, a, r, false)
}

func send(ctx context.Context, a toolkey.Access, r Request, paid bool) (Answer, error) {
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	req, err := request(ctx, a, r)
	if err != nil {
		return Answer{}, err
	}
	answer, err := a.Do(req)
	switch {
	case err != nil && paid && sent.Load():
		return Answer{}, media.Uncertain("the provider did not answer: %w", err)
	case err != nil:
		return Answer{}, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		body, _ := io.ReadAll(io.LimitReader(answer.Body, maxFault)) // the status says enough
		return Answer{}, Refused(a, answer, reason(r.Reason, body), paid)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxJSON+1))
	switch {
	case err != nil && paid:
		return Answer{}, media.Uncertain("the connection to the provider broke during its answer")
	case err != nil:
		return Answer{}, fault.Errorf(fault.Unavailable, "the connection to the provider broke during its answer")
	case len(body) > maxJSON && paid:
		return Answer{}, media.Uncertain("the answer of the provider has more than %d MB", maxJSON>>20)
	case len(body) > maxJSON:
		return Answer{}, fault.Errorf(fault.TooLarge, "the answer of the provider has more than %d MB", maxJSON>>20)
	}
	return Answer{body, answer.Header}, nil
}

func reason(read Reader, body []byte) Refusal {
	if read == nil {
		return Refusal{}
	}
	return read(body)
}

func request(ctx context.Context, a toolkey.Access, r Request) (*http.Request, error) {
	method, kind, data := cmp.Or(r.Method, http.MethodGet), "", []byte(nil)
	if r.Body != nil {
		method = cmp.Or(r.Method, http.MethodPost)
		form, ok := r.Body.(Form)
		if !ok {
			body, err := json.Marshal(r.Body)
			if err != nil {
				return nil, err
			}
			form = Form{"application/json", body}
		}
		kind, data = form.Type, form.Data
	}
	req, err := a.Request(ctx, method, r.Path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	return req, nil
}

// Refused returns the error for an answer without success.
func Refused(a toolkey.Access, answer *http.Response, why Refusal, paid bool) error {
	code := answer.StatusCode
	said := Said(a, why.Message)
	switch about := refusals[strings.ToLower(why.Code)]; {
	case about != nil:
		return about(said, after(answer))
	case code == http.StatusServiceUnavailable, code == 529: // it has not begun
		return fault.Later(fault.Unavailable, after(answer), "the provider is overloaded (%d)%s", code, said)
	case code >= 500 && paid:
		return media.Uncertain("the provider failed (%d)%s", code, said)
	case code >= 500:
		return fault.Errorf(fault.Unavailable, "the provider failed (%d)%s", code, said)
	case code == http.StatusTooManyRequests:
		return limited(said, after(answer))
	case code == http.StatusUnauthorized:
		return badKey(said, 0)
	case code == http.StatusPaymentRequired:
		return noCredit(said, 0)
	case code == http.StatusForbidden:
		return fault.Errorf(fault.Denied, "the key may not do this, or the provider does not allow it (403)%s", said)
	case code == http.StatusNotFound, code == http.StatusGone:
		return fault.Errorf(fault.NotFound, "the provider does not know it (%d): is the address right, and the model?%s", code, said)
	case code == http.StatusRequestEntityTooLarge:
		return fault.Errorf(fault.TooLarge, "it is too large for the provider (413)%s", said)
	case code >= 300 && code < 400:
		return fault.Errorf(fault.Invalid, "the provider leads elsewhere (%d), which is not followed: enter the address it leads to", code)
	}
	return fault.Errorf(fault.Invalid, "the provider refused the request (%d)%s", code, said)
}

// refusals are the codes of providers, in lower case, that mean more than their status. Sources are named with the providers.
var refusals = map[string]func(said string, after time.Duration) error{
	"moderation_blocked": Content, "content_policy_violation": Content, "content_filter": Content, // OpenAI and compatible services
	"datainspectionfailed": Content, "data_inspection_failed": Content, // DashScope
	"insufficient_quota": noCredit, "billing_hard_limit_reached": noCredit, "insufficient_user_quota": noCredit,
	"arrearage": noCredit, "quota_exceeded": noCredit, "allocationquota.freetieronly": noCredit,
	"invalid_api_key": badKey, "invalidapikey": badKey,
	"throttling": limited, "throttling.ratequota": limited, "rate_limit_exceeded": limited, "too_many_concurrent_requests": limited, "system_busy": limited,
}

// Content is the error for a refusal of what was asked for.
func Content(said string, _ time.Duration) error {
	return fault.Errorf(fault.Denied, "the provider refuses the content: change the prompt%s", said)
}

func noCredit(said string, _ time.Duration) error {
	return fault.Errorf(fault.Denied, "the account at the provider has no credit left%s", said)
}

func badKey(said string, _ time.Duration) error {
	return fault.Errorf(fault.Denied, "the provider does not accept the key: enter another one under Settings, Models and keys%s", said)
}

func limited(said string, after time.Duration) error {
	return fault.Limited(after, "the provider has had too many requests: try again later%s", said)
}

// after returns the pause that an answer asks for; 0: none.
func after(answer *http.Response) time.Duration {
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// maxSaid is how much of the words of a provider is shown, in characters.
const maxSaid = 300

// Said returns the words of a provider for the end of a sentence: on one line, bounded, without the key.
func Said(a toolkey.Access, text string) string {
	if a.Key != "" {
		text = strings.ReplaceAll(text, a.Key, "…")
	}
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if runes := []rune(text); len(runes) > maxSaid {
		text = string(runes[:maxSaid]) + "…"
	}
	if text == "" {
		return ""
	}
	return ": " + text
}

// Decode decodes the answer to a paid request.
func Decode(body []byte, to any) error {
	if err := json.Unmarshal(body, to); err != nil {
		return media.Uncertain("the provider sent no JSON")
	}
	return nil
}

// Picture decodes a picture in base64, with or without the beginning of a data address.
func Picture(text string) (media.File, error) { return file(media.Image, text) }

func file(kind media.Kind, text string) (media.File, error) {
	if _, rest, ok := strings.Cut(text, ";base64,"); ok && strings.HasPrefix(text, "data:") {
		text = rest
	}
	data, err := base64.StdEncoding.DecodeString(strings.Map(unspaced, text))
	if err != nil {
		return media.File{}, media.Uncertain("the provider sent a file that cannot be decoded")
	}
	return FileOf(kind, data)
}

func unspaced(r rune) rune {
	if unicode.IsSpace(r) {
		return -1
	}
	return r
}

// FileOf returns a file of a kind whose content is one.
func FileOf(kind media.Kind, data []byte) (media.File, error) {
	if int64(len(data)) > media.MaxOf(kind) {
		return media.File{}, media.Uncertain("the provider sent a file of more than %d MB", media.MaxOf(kind)>>20)
	}
	mediaType, ok := media.TypeOf(kind, data[:min(len(data), 512)])
	if !ok || len(data) == 0 {
		return media.File{}, media.Uncertain("the provider sent %s in place of the file", mediaType)
	}
	return media.File{MediaType: mediaType, Data: data}, nil
}

// maxHops is how many redirects a download follows.
const maxHops = 5

// Open downloads an address that a provider has named. The key goes to the host of the access alone; every other host is one of the public
// internet.
func Open(ctx context.Context, a toolkey.Access, link string) (io.ReadCloser, int64, error) {
	for range maxHops {
		answer, err := get(ctx, a, link)
		if err != nil {
			return nil, 0, err
		}
		switch code := answer.StatusCode; {
		case code == http.StatusOK:
			return answer.Body, answer.ContentLength, nil
		case code >= 300 && code < 400 && answer.Header.Get("Location") != "":
			_ = answer.Body.Close() // another address has the file
			next, err := answer.Request.URL.Parse(answer.Header.Get("Location"))
			if err != nil {
				return nil, 0, fault.Errorf(fault.Invalid, "the provider leads to an address that is none")
			}
			link = next.String()
			continue
		case code == http.StatusForbidden, code == http.StatusNotFound, code == http.StatusGone:
			_ = answer.Body.Close()
			return nil, 0, fault.Errorf(fault.NotFound, "its link at the provider has expired (%d)", code)
		case code == http.StatusTooManyRequests:
			_ = answer.Body.Close()
			return nil, 0, fault.Limited(after(answer), "the provider has had too many requests (429)")
		case code >= 500:
			_ = answer.Body.Close()
			return nil, 0, fault.Errorf(fault.Unavailable, "the provider failed (%d)", code)
		default:
			_ = answer.Body.Close()
			return nil, 0, fault.Errorf(fault.Invalid, "the provider refused the download (%d)", code)
		}
	}
	return nil, 0, fault.Errorf(fault.Invalid, "the provider leads from one address to another without an end")
}

func get(ctx context.Context, a toolkey.Access, link string) (*http.Response, error) {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fault.Errorf(fault.Invalid, "the provider sent a link that is no address")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the provider sent a link that is no address")
	}
	client := a.Public
	if base, err := url.Parse(a.BaseURL); err == nil && base.Host == u.Host && base.Scheme == u.Scheme {
		a.Sign(req)
		client = a.Client
	}
	answer, err := client.Do(req)
	if err == nil {
		return answer, nil
	}
	if fault.Is(err, fault.Denied) {
		return nil, fault.Errorf(fault.Denied, "the provider names an address that is not on the public internet")
	}
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	return nil, fault.Errorf(fault.Unavailable, "%s cannot be reached", u.Host)
}

// Text returns a member of a JSON document as text, by the names that lead there; empty: it is not there. Numbers are texts, too.
func Text(body []byte, path ...string) string {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return ""
	}
	for _, name := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return ""
		}
		v = m[name]
	}
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}
