package consumer

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	problems "xbot/ingress/api/endpoint"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Problem is an error as programs read it (RFC 9457), with a word for programs.
type Problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail" doc:"One sentence with the next step."`
	Code   string `json:"code" doc:"Error code." enum:"invalid,unauthorized,denied,not_found,conflict,rate_limited,too_large,unavailable,internal"`

	header http.Header
}

// Error returns the sentence.
func (p *Problem) Error() string { return p.Detail }

// GetStatus returns the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders returns the additional headers of the answer.
func (p *Problem) GetHeaders() http.Header { return p.header }

// ContentType returns that of problem documents.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// maxDetail bounds the detail of a problem, in bytes.
const maxDetail = 2000

// statuses are the HTTP statuses of faults.
var statuses = map[fault.Kind]int{
	fault.Invalid: http.StatusBadRequest, fault.Denied: http.StatusForbidden, fault.NotFound: http.StatusNotFound, fault.Conflict: http.StatusConflict,
	fault.RateLimited: http.StatusTooManyRequests, fault.TooLarge: http.StatusRequestEntityTooLarge, fault.Unavailable: http.StatusServiceUnavailable,
}

// problem turns an error into a document for outsiders. The text of an error that they cannot repair goes to the log only.
func (a *API) problem(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	p := &Problem{Status: http.StatusInternalServerError, Code: string(fault.Internal), Detail: "something went wrong in the server; try again, and tell whoever runs the service if it stays so"}
	kind := fault.KindOf(err)
	_, noKey := errors.AsType[*keyError](err)
	_, offline := errors.AsType[*sandbox.OfflineError](err)
	status, known := statuses[kind]
	switch {
	case noKey:
		p.Status, p.Code, p.Detail = http.StatusUnauthorized, "unauthorized", err.Error()
	case offline || kind == fault.Unavailable:
		p.Status, p.Code = http.StatusServiceUnavailable, string(fault.Unavailable)
		p.Detail = "the server cannot do this right now; try again in a moment"
		if !a.Outages.Refused(err) {
			a.Log.Warn("a request of a consumer was not served for now", "error", err)
		}
	case known:
		p.Status, p.Code, p.Detail = status, string(kind), err.Error()
	default:
		a.Log.Error("a request of a consumer failed", "error", err)
	}
	p.Detail = problems.Shorten(p.Detail, maxDetail)
	p.Title = http.StatusText(p.Status)
	p.header = http.Header{}
	if after := fault.After(err); after > 0 {
		p.header.Set("Retry-After", strconv.Itoa(int((after.Seconds())+0.999)))
	}
	if p.Status == http.StatusUnauthorized {
		p.header.Set("WWW-Authenticate", "Bearer")
	}
	return p
}

// refuse answers a request outside of the handlers.
func (a *API) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.URL.Path == completionsPath || r.URL.Path == modelsPath || strings.HasPrefix(r.URL.Path, modelsPath+"/") {
		a.refuseCompletion(w, err)
		return
	}
	a.write(w, a.problem(err))
}

func (a *API) write(w http.ResponseWriter, p *Problem) {
	maps.Copy(w.Header(), p.header)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone if this fails
}

// titled returns the document of an error that huma found in a request.
func titled(_ huma.Context, _ string, body any) (any, error) {
	m, ok := body.(*huma.ErrorModel)
	if !ok {
		return body, nil
	}
	detail := []string{m.Detail}
	for _, one := range m.Errors {
		detail = append(detail, one.Location+": "+one.Message)
	}
	code := string(fault.Invalid)
	for kind, status := range statuses {
		if status == m.Status {
			code = string(kind)
		}
	}
	return &Problem{Status: m.Status, Title: m.Title, Detail: strings.Join(detail, "; "), Code: code}, nil
}
