package server

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"xbot/ingress/startnotice"
	"xbot/internal/accounts"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Ready reports whether this process can do its work: Postgres answers, and Temporal for its namespace. Anybody may ask, so it names no addresses.
func (c *core) Ready(ctx context.Context) error {
	if err := c.store.Ping(ctx); err != nil {
		c.log.Debug("not ready", "error", err)
		return fault.Errorf(fault.Unavailable, "Postgres does not answer")
	}
	if _, err := c.temporal.CheckHealth(ctx, nil); err != nil {
		c.log.Debug("not ready", "error", err)
		return fault.Errorf(fault.Unavailable, "Temporal does not answer")
	}
	_, err := c.temporal.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: c.namespace})
	if _, missing := errors.AsType[*serviceerror.NamespaceNotFound](err); missing { // other errors: the token may not describe it
		return fault.Errorf(fault.Unavailable, "Temporal does not have the namespace of the settings")
	}
	return nil
}

// readyWait bounds how long the announcement waits for the server to answer.
const readyWait = time.Minute

// CopyNote is what operators read of an installation that is a copy of another one.
const CopyNote = "XBOT_COPY=on: another xbot works with the original, so here bots are not connected, jobs do not fire and deliveries wait"

// announce waits until the server is ready, notes how local programs reach it, prints where it is, and keeps the note until ctx ends.
func (in *ingressPart) announce(ctx context.Context, w io.Writer) error {
	deadline := time.Now().Add(readyWait)
	for in.Ready(ctx) != nil && ctx.Err() == nil && time.Now().Before(deadline) {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(20 * time.Millisecond):
		}
	}
	admin, err := in.store.EnsureAdmin(ctx, in.admin)
	if err != nil {
		return err
	}
	base := in.at.people()
	if err := in.announceSignIn(ctx, w, admin.ID); err != nil {
		return err
	}
	if err := in.noteLocal(ctx, admin.ID); err != nil {
		return err
	}
	uiText := in.ui.text
	if in.ui.target != nil && uiText == "" {
		uiText = strings.TrimRight(base, "/") + "/temporal/"
	}
	if uiText != "" {
		say(w, "Temporal  %s", uiText)
	}
	say(w, "data      %s", in.home)
	if in.copy {
		say(w, "copy      %s", CopyNote)
	}
	return in.keepNote(ctx, admin.ID)
}

// announceSignIn prints how to sign in. What is printed may be kept in a log, so it is a link only at the first start, and as long as nobody has
// signed in on a terminal.
func (in *ingressPart) announceSignIn(ctx context.Context, w io.Writer, admin chat.UserID) error {
	use, err := in.store.SignInUse(ctx)
	if err != nil {
		return err
	}
	file, ok := w.(*os.File)
	logged := !ok || !term.IsTerminal(file.Fd())
	if use.SignedIn || use.Links && logged {
		say(w, "xbot      %s   (\"xbot login-link\" prints a link to sign in)", in.at.people())
		return nil
	}
	link, err := in.auth.NewLink(ctx, admin, in.at.people())
	if err != nil {
		return err
	}
	say(w, "xbot      %s   (sign in once with this link)", link)
	return nil
}

// operatorChats puts the chats of the settings in force: who writes in the administrator's is the administrator, and who was one by an
// earlier setting is not. It returns the chat that is told of the start.
func (in *ingressPart) operatorChats(ctx context.Context) (chat.Address, error) {
	chats, err := in.accounts.OperatorChats(ctx, accounts.Chats{Admin: in.http.AdminChat, Notify: in.http.NotifyChat, Channel: in.http.NotifyChannel})
	if err != nil {
		return chat.Address{}, err
	}
	admin := ""
	if chats.Admin.Channel != "" {
		admin = chats.Admin.Setting()
		in.log.Info("who writes in this chat is the first administrator", "chat", admin, "setting", chats.From)
	}
	gone, err := in.store.Depose(ctx, admin)
	if err != nil {
		return chat.Address{}, err
	}
	if gone > 0 {
		in.log.Info("chats that the settings name no more are not the administrator's any more", "people", gone)
	}
	in.gateway.AdminChat = chats.Admin
	return chats.Notify, nil
}

// noticeStart tells a chat that the server has started. A copy of an installation tells nobody.
func (in *ingressPart) noticeStart(to chat.Address) func(context.Context) error {
	if to.Channel == "" || in.copy {
		return func(context.Context) error { return nil }
	}
	notice := &startnotice.Notice{
		Store: in.store, Usual: in.usual(), To: to, Admin: in.admin, Version: in.version, Address: in.at.people(), Patience: startnotice.Patience, Log: in.log,
	}
	return notice.Run
}
