package ingress

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/phrase"
	"xbot/internal/store"
)

// History takes conversations back.
type History struct {
	Store    *store.Store
	Dispatch *Dispatch
}

// Commands returns /rewind, which a turn carries out: nothing may be said meanwhile.
func (h *History) Commands() []Command {
	return []Command{
		{Name: "rewind", Args: "[N|mID]", Help: phrase.HelpRewind, Queued: true},
	}
}

// Rewind asks for a message of a person, and all after it, to be taken out of the conversation. It is accepted like the
// command /rewind that a person writes. NotFound or Conflict where there is no such message to begin with.
func (h *History) Rewind(ctx context.Context, in Inbound, from chat.MessageID) (store.Accepted, error) {
	in.Text, in.Control = fmt.Sprintf("/rewind m%d", from), true
	if err := check(in); err != nil {
		return store.Accepted{}, err
	}
	known, found, err := h.Store.AcceptedBefore(ctx, in.Inbound)
	if err != nil || found {
		return known, err
	}
	if err := h.Store.CheckRewind(ctx, in.Session, from, phrase.English); err != nil {
		return store.Accepted{}, err
	}
	return h.Dispatch.Message(ctx, in)
}
