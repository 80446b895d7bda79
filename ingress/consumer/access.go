package consumer

import (
	"context"
	"net/http"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
)

// caller is the sender of a request: the holder of a key, or of a media token that was made with one.
type caller struct {
	servicestore.Caller

	Services Services
	hash     []byte // of the key; nil: it is a media token
	only     string // the conversation that a media token is for
}

// keyError is the error of a request without a key that is good. It is answered with status 401.
type keyError struct{ text string }

// Error returns the sentence.
func (e *keyError) Error() string { return e.text }

var (
	errNoKey    = &keyError{"send the key of a service as Authorization: Bearer sk-svc-…; cookies and other tokens do not count here"}
	errWrongKey = &keyError{"this key is not valid, or not any more; ask whoever gave it to you for another one"}
	errToken    = &keyError{"this address is not valid any more; ask for another media-token"}
)

// errWithdrawn is the error of a good key of a service that is not open now.
var errWithdrawn = fault.Errorf(fault.Denied, "this service is not offered at the moment; conversations are kept, and go on when it is offered again")

// identify finds the caller. It reads nothing but the key of the request, and the token of addresses of files.
func (a *API) identify(r *http.Request) (caller, error) {
	if header := r.Header.Values("Authorization"); len(header) > 0 {
		return a.byKey(r, header)
	}
	if token := r.URL.Query().Get("token"); token != "" && ofFiles(r) {
		return a.byToken(r.Context(), token)
	}
	return caller{}, errNoKey
}

func (a *API) byKey(r *http.Request, header []string) (caller, error) {
	scheme, key, _ := strings.Cut(header[0], " ")
	key = strings.TrimSpace(key)
	if len(header) != 1 || !strings.EqualFold(scheme, "Bearer") || !strings.HasPrefix(key, service.KeyPrefix) {
		return caller{}, errNoKey // it is no key of a service at all, and no guess
	}
	hash := secret.HashToken(key)
	from := a.Addresses.Address(r)
	by, err := a.lookUp(r.Context(), from, hash)
	if fault.Is(err, fault.NotFound) {
		err = a.wrong.miss(from, hash)
	}
	if err != nil {
		return caller{}, err
	}
	a.wrong.good(hash)
	return caller{Caller: by, Services: a.Services, hash: hash}, nil
}

// lookUp finds the caller of a key. One that was good before waits for no others of its address.
func (a *API) lookUp(ctx context.Context, from string, hash []byte) (servicestore.Caller, error) {
	if !a.wrong.isKnown(hash) {
		if err := a.wrong.enter(ctx, from); err != nil {
			return servicestore.Caller{}, err
		}
		defer a.wrong.leave(from)
	}
	return a.Services.CallerOf(ctx, hash)
}

func open(by servicestore.Caller) error {
	if !by.Service.Open() {
		return errWithdrawn
	}
	return nil
}

// access checks the credential of a stream, which may outlive it.
type access struct {
	caller

	conversation string
}

// Still reports whether the key is still good, and the conversation still there.
func (c access) Still(ctx context.Context) error {
	now, err := c.Services.CallerOf(ctx, c.hash)
	if fault.Is(err, fault.NotFound) {
		return errWrongKey
	}
	if err == nil {
		err = open(now)
	}
	if err == nil {
		_, err = c.Services.ConsumerConversation(ctx, now, c.conversation)
	}
	return err
}

type contextKey struct{}

// visit is the state of a request for handlers.
type visit struct {
	caller

	r      *http.Request
	w      http.ResponseWriter
	record *servicestore.Request
	// reads is the conversation that the request reads in; without an id: none.
	reads service.Conversation
	// uncounted reports that the request was beyond the limit of the minute.
	uncounted bool
}

func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(contextKey{}).(*visit)
	return v
}
