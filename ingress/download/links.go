package download

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/filelink"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/user/users"
)

// Accounts finds users.
type Accounts interface {
	UserByID(ctx context.Context, id chat.UserID) (users.User, error)
}

// Links serves signed links (filelink.Prefix). The signature is the permission: no login is needed. A link reaches only what
// the user who made it may still reach.
type Links struct {
	Signer    filelink.Signer
	Accounts  Accounts
	Sandboxes sandbox.Finder
	Log       *slog.Logger
}

// ServeHTTP sends the file of a link, or a sentence.
func (l *Links) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	link, err := l.Signer.Verify(strings.TrimPrefix(r.URL.Path, filelink.Prefix), time.Now())
	if err != nil {
		l.refuse(w, r, err)
		return
	}
	attachment, err := l.open(r.Context(), link)
	if err == nil && r.URL.Query().Has("inline") {
		attachment, err = attachment.Shown(r.Context())
	}
	if err == nil {
		err = attachment.Serve(w, r)
	}
	if err != nil && r.Context().Err() == nil {
		l.refuse(w, r, err)
	}
}

// errNoRunner is the error of a link whose owner or runner is gone, or may not be used any more.
var errNoRunner = errors.New("the owner of the link cannot use its runner any more")

func (l *Links) open(ctx context.Context, link filelink.Link) (Attachment, error) {
	who, err := l.Accounts.UserByID(ctx, link.User)
	if err == nil && who.Disabled {
		err = fault.Errorf(fault.Denied, "the account of %s is disabled", who.Name)
	}
	if err != nil {
		return Attachment{}, gone(err)
	}
	box, err := sandbox.Reach(ctx, l.Sandboxes, link.User, link.Runner)
	if err != nil {
		return Attachment{}, gone(err)
	}
	if link.Exec != "" {
		return Output(box, link.Exec, link.Name), nil
	}
	attachment, err := File(ctx, box, link.Path)
	if err == nil && attachment.Real != "" && attachment.Real != link.Path {
		// The link was made for the file itself: another file in its place is something else.
		return Attachment{}, fault.Errorf(fault.NotFound, "a link leads elsewhere from %s now", link.Path)
	}
	if link.Name != "" {
		attachment.Name = link.Name
	}
	return attachment, err
}

// gone marks errors that say that the owner or the runner of a link does not exist any more.
func gone(err error) error {
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Denied) {
		return errors.Join(errNoRunner, err)
	}
	return err
}

// refuse answers with a plain sentence: the recipient of a link opens it, most likely in a browser.
func (l *Links) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, say, args := http.StatusServiceUnavailable, i18n.LinkLater, []any(nil)
	offline, isOffline := errors.AsType[*sandbox.OfflineError](err)
	switch {
	case errors.Is(err, filelink.ErrExpired):
		status, say = http.StatusGone, i18n.LinkExpired
	case errors.Is(err, errNoRunner):
		status, say = http.StatusGone, i18n.LinkNoRunner
	case isOffline:
		say, args = i18n.LinkOffline, []any{offline.Runner}
	case fault.Is(err, fault.Denied):
		status, say = http.StatusForbidden, i18n.LinkForged
	case fault.Is(err, fault.NotFound), fault.Is(err, fault.Invalid):
		status, say = http.StatusNotFound, i18n.LinkNoFile
	default:
		l.Log.Warn("a file link could not be served", "error", err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, i18n.Say(languageOf(r), say, args...)+"\n") // the client is gone if this fails
}

// languageOf returns the language that a browser asks for first.
func languageOf(r *http.Request) i18n.Lang {
	if strings.HasPrefix(strings.ToLower(r.Header.Get("Accept-Language")), "zh") {
		return i18n.Chinese
	}
	return i18n.English
}
