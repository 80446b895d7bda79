package endpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/auth"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Problem turns an error into a problem document. It is the border where fault kinds become HTTP statuses; the text of
// internal errors goes to the log only.
func (b *Base) Problem(err error) error {
	if err == nil {
		return nil
	}
	if s, ok := errors.AsType[huma.StatusError](err); ok {
		return s
	}
	status, detail := statusOf(err)
	b.note(status, err)
	out := huma.NewError(status, detail)
	if header := headers(status, err); len(header) > 0 {
		return huma.ErrorWithHeaders(out, header)
	}
	return out
}

// Limits of problem documents, so that a response does not grow with the request. Texts are in bytes.
const (
	maxErrors   = 20
	maxLocation = 120
	maxMessage  = 300
	maxDetail   = 2000
)

// ShortProblem limits the number of errors in a problem document and their texts, and removes the values of the request, which may be secrets. The
// message about an undecodable body quotes the body, so it is removed, too.
func ShortProblem(_ huma.Context, _ string, body any) (any, error) {
	m, ok := body.(*huma.ErrorModel)
	if !ok {
		return body, nil
	}
	m.Detail = Shorten(m.Detail, maxDetail)
	if more := len(m.Errors) - maxErrors; more > 0 {
		m.Errors = m.Errors[:maxErrors]
		m.Detail += fmt.Sprintf("; the first %d errors are listed, %d more are left out", maxErrors, more)
	}
	for _, detail := range m.Errors {
		detail.Value = nil
		if detail.Location == "body" {
			detail.Message = quotations.ReplaceAllString(detail.Message, "…")
		}
		detail.Location = Shorten(detail.Location, maxLocation)
		detail.Message = Shorten(detail.Message, maxMessage)
	}
	return body, nil
}

var quotations = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// Shorten cuts a text to a number of bytes at a character boundary, and marks the cut.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

// Refusal returns the HTTP status that an error among several results has alone, and its detail.
func (b *Base) Refusal(err error) (status int, detail string) {
	status, detail = statusOf(err)
	b.note(status, err)
	return status, detail
}

// note logs errors that the client does not learn. An outage is logged once, not for each request.
func (b *Base) note(status int, err error) {
	if status >= http.StatusInternalServerError && b.Outages.Refused(err) {
		return
	}
	switch status {
	case http.StatusInternalServerError:
		b.Log.Error("request failed", "error", err)
	case http.StatusServiceUnavailable:
		b.Log.Warn("request not served for now", "error", err)
	}
}

// headers returns the additional headers of an answer.
func headers(status int, err error) http.Header {
	header := http.Header{}
	if after := fault.After(err); after > 0 {
		header.Set("Retry-After", strconv.Itoa(int(after.Seconds())+1))
	}
	if status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", "Bearer")
	}
	return header
}

func statusOf(err error) (int, string) {
	if s, ok := errors.AsType[huma.StatusError](err); ok {
		return s.GetStatus(), s.Error()
	}
	if _, ok := errors.AsType[*auth.SignInError](err); ok {
		return http.StatusUnauthorized, err.Error()
	}
	if offline, ok := errors.AsType[*sandbox.OfflineError](err); ok {
		return http.StatusServiceUnavailable, offline.Error()
	}
	switch fault.KindOf(err) {
	case fault.Invalid:
		return http.StatusBadRequest, err.Error()
	case fault.Denied:
		return http.StatusForbidden, err.Error()
	case fault.NotFound:
		return http.StatusNotFound, err.Error()
	case fault.Conflict:
		return http.StatusConflict, err.Error()
	case fault.RateLimited:
		return http.StatusTooManyRequests, err.Error()
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge, err.Error()
	case fault.Unavailable:
		return http.StatusServiceUnavailable, "the server cannot do this right now; try again in a moment"
	}
	return http.StatusInternalServerError, "something went wrong in the server; its log says what"
}

// Refuse answers a request outside huma with a problem document.
func (b *Base) Refuse(w http.ResponseWriter, _ *http.Request, err error) {
	status, detail := statusOf(err)
	detail = Shorten(detail, maxDetail)
	b.note(status, err)
	maps.Copy(w.Header(), headers(status, err))
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: detail}) // the client is gone if this fails
}
