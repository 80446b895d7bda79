package api

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/auth"
	"xbot/internal/fault"
)

// problem turns an error into a problem document. It is the border where fault kinds become HTTP statuses; the text of
// our own bugs stays inside.
func problem(err error) error {
	if err == nil {
		return nil
	}
	if s, ok := errors.AsType[huma.StatusError](err); ok {
		return s
	}
	status, detail := statusOf(err)
	if status == http.StatusInternalServerError {
		slog.Error("request failed", "error", err)
	}
	out := huma.NewError(status, detail)
	if after := fault.After(err); after > 0 {
		return huma.ErrorWithHeaders(out, http.Header{"Retry-After": {strconv.Itoa(int(after.Seconds()) + 1)}})
	}
	return out
}

func statusOf(err error) (int, string) {
	if s, ok := errors.AsType[huma.StatusError](err); ok {
		return s.GetStatus(), s.Error()
	}
	if _, ok := errors.AsType[*auth.SignInError](err); ok {
		return http.StatusUnauthorized, err.Error()
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
func (a *API) Refuse(w http.ResponseWriter, _ *http.Request, err error) {
	status, detail := statusOf(err)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: detail}) // the client is gone if this fails
}
