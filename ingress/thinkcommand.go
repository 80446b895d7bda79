package ingress

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/phrase"
	"xbot/internal/store"
)

// think sets how much the model thinks in a conversation, or tells it.
func (m *Minds) think(ctx context.Context, in Inbound, args string) (string, error) {
	level := strings.ToLower(args)
	switch {
	case level == "":
		return m.Desk.Status(ctx, in.Session, in.Lang)
	case level == "default":
		return phrase.Say(in.Lang, phrase.ThinkDefault), m.Store.Override(ctx, in.Session, store.Overrides{Think: new("")})
	case slices.Contains(chat.ThinkLevels, level):
		return phrase.Say(in.Lang, phrase.ThinkChosen, level), m.Store.Override(ctx, in.Session, store.Overrides{Think: &level})
	}
	return "", phrase.Fault(fault.Invalid, phrase.ThinkUsage)
}

// verbose sets how much of the work a channel shows, or tells it.
func (m *Minds) verbose(ctx context.Context, in Inbound, args string) (string, error) {
	level := strings.ToLower(args)
	switch {
	case level == "":
		s, _, err := m.Store.Session(ctx, in.Session)
		return phrase.Say(in.Lang, phrase.VerboseIs, cmp.Or(s.Verbose, chat.VerboseOff)), err
	case level == "default":
		return phrase.Say(in.Lang, phrase.VerboseIs, chat.VerboseOff), m.Store.Override(ctx, in.Session, store.Overrides{Verbose: new("")})
	case slices.Contains(chat.Verbosities, level):
		return phrase.Say(in.Lang, phrase.VerboseIs, level), m.Store.Override(ctx, in.Session, store.Overrides{Verbose: &level})
	}
	return "", phrase.Fault(fault.Invalid, phrase.VerboseUsage)
}
