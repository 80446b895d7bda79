package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"xbot/ingress/replystream"
	"xbot/internal/fault"
)

// Error is one as OpenAI writes it.
type Error struct {
	Status  int
	Message string
	Param   string // the faulty member of the request; empty: none in particular
	Code    string
	Final   bool // the same request comes to the same again: clients need not retry
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Message }

// invalid returns an error of a parameter.
func invalid(param, format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...), Param: param, Code: "invalid_value"}
}

// NoModel returns the error of a request that names no model where one has to be chosen.
func NoModel() *Error { return invalid("model", "you must provide a model parameter") }

// unsupported returns the error of a parameter that would change the answer, and cannot be honoured.
func unsupported(param, format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...), Param: param, Code: "unsupported_parameter"}
}

// Plain refuses additions to a message where they are not supported.
func (a Ask) Plain() error {
	switch {
	case len(a.Client.Tools) > 0:
		return unsupported("tools", "tools is not supported here: a service uses its own tools")
	case a.Client.Format != nil:
		return unsupported("response_format", "response_format is not supported here: say in the message which form the text is to have")
	case len(a.Uploads) > 0:
		return unsupported("messages", "files and sound are not supported here: send text and pictures")
	case len(a.Results) > 0 && a.Client.Wordless:
		return unsupported("messages", "results of tools are not supported here: the last message must be one of the user")
	}
	return nil
}

// Refusals returns the status of an error, and the text for the client.
type Refusals interface {
	Refusal(err error) (status int, detail string)
}

// kinds are OpenAI's types of errors by status, and the codes of errors that have none.
var kinds = map[int][2]string{
	http.StatusBadRequest:            {"invalid_request_error", "invalid_value"},
	http.StatusUnauthorized:          {"invalid_request_error", "invalid_api_key"},
	http.StatusForbidden:             {"permission_error", "permission_denied"},
	http.StatusNotFound:              {"invalid_request_error", "not_found"},
	http.StatusMethodNotAllowed:      {"invalid_request_error", "method_not_allowed"},
	http.StatusConflict:              {"invalid_request_error", "conflict"},
	http.StatusRequestEntityTooLarge: {"invalid_request_error", "request_too_large"},
	http.StatusTooManyRequests:       {"rate_limit_error", "rate_limit_exceeded"},
}

// errorBody is the form of an error, in an answer or in a stream.
type errorBody struct {
	Error errorDetail `json:"error"`
}

type errorDetail struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
}

func (e *Error) body() errorBody {
	kind, known := kinds[e.Status]
	if !known {
		kind = [2]string{"server_error", "server_error"}
	}
	out := errorDetail{Message: e.Message, Type: kind[0], Code: kind[1]}
	if e.Param != "" {
		out.Param = &e.Param
	}
	if e.Code != "" {
		out.Code = e.Code
	}
	return errorBody{out}
}

// asError is any error as OpenAI writes it.
func asError(err error, refusals Refusals) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if errors.Is(err, replystream.ErrClosing) {
		return &Error{Status: http.StatusServiceUnavailable, Code: "server_closing", Message: "the server stops; the answer goes on: send the request again with the same Idempotency-Key"}
	}
	status, detail := refusals.Refusal(err)
	return &Error{Status: status, Message: detail, Final: status == http.StatusConflict}
}

// Refuse answers a request with an error. The official clients go by Retry-After and x-should-retry.
func Refuse(w http.ResponseWriter, err error, refusals Refusals) {
	e := asError(err, refusals)
	h := w.Header()
	if after := fault.After(err); after > 0 {
		h.Set("Retry-After", strconv.Itoa(int(after.Seconds())+1))
	}
	if e.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if e.Final {
		h.Set("X-Should-Retry", "false")
	}
	writeJSON(w, e.Status, e.body())
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone if this fails
}
