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
	"xbot/internal/channel/accounts"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/user/users"
)

// Ready reports whether this process can do its work: Postgres answers, and Temporal for its namespace. It is public, so it names no addresses.
func (c *core) Ready(ctx context.Context) error {
	if err := c.stores.Ping(ctx); err != nil {
		c.proc.log.Debug("not ready", "error", err)
		return fault.Errorf(fault.Unavailable, "Postgres does not answer")
	}
	if _, err := c.temporal.client.CheckHealth(ctx, nil); err != nil {
		c.proc.log.Debug("not ready", "error", err)
		return fault.Errorf(fault.Unavailable, "Temporal does not answer")
	}
	_, err := c.temporal.client.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: c.temporal.namespace})
	if _, missing := errors.AsType[*serviceerror.NamespaceNotFound](err); missing { // other errors: the token may not describe it
		return fault.Errorf(fault.Unavailable, "Temporal does not have the namespace of the settings")
	}
	return nil
}

const (
	// readyWait bounds how long the announcement waits for the server to answer.
	readyWait = time.Minute
	// readySlow is how long that takes before the reason is shown.
	readySlow = 5 * time.Second
)

// CopyNote is what operators read of an installation that is a copy of another one.
const CopyNote = "XBOT_COPY=on: another xbot works with the original, so here bots are not connected, jobs do not fire and deliveries wait"

// announce waits until the server is ready, writes how local programs reach it, prints where it is, and keeps the note until ctx ends.
func (in *ingressPart) announce(ctx context.Context, w io.Writer) error {
	in.awaitReady(ctx)
	var admin users.User
	var signIn string
	err := in.core.proc.untilPostgres(ctx, func(ctx context.Context) (err error) {
		if admin, err = in.core.stores.Users.EnsureAdmin(ctx, in.core.admin); err != nil {
			return err
		}
		if err := in.noteLocal(ctx, admin.ID); err != nil {
			return err
		}
		signIn, err = in.signIn(ctx, w, admin.ID)
		return err
	})
	if err != nil {
		return err
	}
	say(w, "xbot      %s", signIn)
	uiText := in.ui.text
	if in.ui.target != nil && uiText == "" {
		uiText = strings.TrimRight(in.at.people(), "/") + "/temporal/"
	}
	if uiText != "" {
		say(w, "Temporal  %s", uiText)
	}
	say(w, "data      %s", in.core.proc.home)
	if in.core.copy {
		say(w, "copy      %s", CopyNote)
	}
	return in.keepNote(ctx, admin.ID)
}

// awaitReady waits until the server can do its work, but not forever, and shows the reason where that takes long.
func (in *ingressPart) awaitReady(ctx context.Context) {
	begin, said := time.Now(), ""
	for {
		err := in.core.Ready(ctx)
		if err == nil || ctx.Err() != nil || time.Since(begin) > readyWait {
			return
		}
		if reason := err.Error(); reason != said && time.Since(begin) > readySlow {
			in.core.proc.log.Warn("waiting to be ready", "reason", reason)
			say(in.core.proc.terminal, "Waiting: %s", reason)
			said = reason
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// signIn returns the address of the page and how to sign in. It is printed, and may be kept in a log, so it is a link only at the first start,
// and on a terminal as long as no user has signed in.
func (in *ingressPart) signIn(ctx context.Context, w io.Writer, admin chat.UserID) (string, error) {
	use, err := in.core.stores.Users.SignInUse(ctx)
	if err != nil {
		return "", err
	}
	file, ok := w.(*os.File)
	logged := !ok || !term.IsTerminal(file.Fd())
	if use.SignedIn || use.Links && logged {
		return in.at.people() + "   (\"xbot login-link\" prints a link to sign in)", nil
	}
	link, err := in.auth.NewLink(ctx, admin, in.at.people())
	return link + "   (sign in once with this link)", err
}

// operatorChats puts the chats of the settings in force: the writer in the administrator's is the administrator, and one by an earlier
// setting is not. It returns the chat that gets the notice of the start.
func (in *ingressPart) operatorChats(ctx context.Context) (chat.Address, error) {
	chats, err := in.core.platforms.accounts.OperatorChats(ctx, accounts.Chats{
		Admin: in.http.AdminChat, Notify: in.http.NotifyChat, Channel: in.http.NotifyChannel,
	})
	if err != nil {
		return chat.Address{}, err
	}
	admin := ""
	if chats.Admin.Channel != "" {
		admin = chats.Admin.Setting()
		in.core.proc.log.Info("who writes in this chat is the first administrator", "chat", admin, "setting", chats.From)
	}
	gone, err := in.core.stores.Links.Depose(ctx, admin)
	if err != nil {
		return chat.Address{}, err
	}
	if gone > 0 {
		in.core.proc.log.Info("chats that the settings name no more are not the administrator's any more", "people", gone)
	}
	in.gateway.AdminChat = chats.Admin
	return chats.Notify, nil
}

// noticeStart notifies a chat that the server has started. A copy of an installation sends no notice.
func (in *ingressPart) noticeStart(to chat.Address) func(context.Context) error {
	if to.Channel == "" || in.core.copy {
		return func(context.Context) error { return nil }
	}
	notice := &startnotice.Notice{
		Channels: in.core.stores.Channels, Notices: in.core.stores.Notices, Users: in.core.stores.Users, Usual: in.core.usual(), To: to, Admin: in.core.admin, Version: in.core.proc.version, Address: in.at.people(), Patience: startnotice.Patience, Log: in.core.proc.log,
	}
	return notice.Run
}
