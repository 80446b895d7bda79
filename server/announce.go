package server

import (
	"context"
	"io"
	"strings"
	"time"

	"xbot/internal/fault"
)

// Ready reports whether this process can accept messages and wake turns. Anybody may ask, so it names no addresses.
func (in *ingressPart) Ready(ctx context.Context) error {
	if err := in.store.Ping(ctx); err != nil {
		in.log.Debug("not ready", "error", err)
		return fault.Errorf(fault.Unavailable, "Postgres does not answer")
	}
	if _, err := in.temporal.CheckHealth(ctx, nil); err != nil {
		in.log.Debug("not ready", "error", err)
		return fault.Errorf(fault.Unavailable, "Temporal does not answer")
	}
	return nil
}

// readyWait bounds how long the announcement waits for the server to answer.
const readyWait = time.Minute

// CopyNote is what operators read of an installation that is a copy of another one.
const CopyNote = "XBOT_COPY=on: another xbot works with the original, so here bots are not connected, jobs do not fire and deliveries wait"

// announce waits until the server is ready, notes how local programs reach it, and prints where it is.
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
	link, err := in.auth.NewLink(ctx, admin.ID, base)
	if err != nil {
		return err
	}
	if err := in.noteLocal(ctx, admin.ID); err != nil {
		return err
	}
	uiText := in.ui.text
	if in.ui.target != nil && uiText == "" {
		uiText = strings.TrimRight(base, "/") + "/temporal/"
	}
	say(w, "xbot      %s   (sign in once with this link)", link)
	if uiText != "" {
		say(w, "Temporal  %s", uiText)
	}
	say(w, "data      %s", in.home)
	if in.copy {
		say(w, "copy      %s", CopyNote)
	}
	return nil
}
