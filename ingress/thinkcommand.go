package ingress

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/store"
)

// think sets how much the model thinks in a conversation, or tells it.
func (m *Minds) think(ctx context.Context, in Inbound, args string) (string, error) {
	level := strings.ToLower(args)
	switch {
	case level == "":
		return m.Desk.Status(ctx, in.Session, in.Lang)
	case level == "default":
		return i18n.Say(in.Lang, i18n.ThinkDefault), m.Store.Override(ctx, in.Session, store.Overrides{Think: new("")})
	case slices.Contains(chat.ThinkLevels, level):
		return i18n.Say(in.Lang, i18n.ThinkChosen, level), m.Store.Override(ctx, in.Session, store.Overrides{Think: &level})
	}
	return "", i18n.Fault(fault.Invalid, i18n.ThinkUsage)
}

// verbose sets how much of the work a channel shows, or tells it.
func (m *Minds) verbose(ctx context.Context, in Inbound, args string) (string, error) {
	level := strings.ToLower(args)
	switch {
	case level == "":
		s, _, err := m.Store.Session(ctx, in.Session)
		return i18n.Say(in.Lang, i18n.VerboseIs, cmp.Or(s.Verbose, chat.VerboseOff)), err
	case level == "default":
		return i18n.Say(in.Lang, i18n.VerboseIs, chat.VerboseOff), m.Store.Override(ctx, in.Session, store.Overrides{Verbose: new("")})
	case slices.Contains(chat.Verbosities, level):
		return i18n.Say(in.Lang, i18n.VerboseIs, level), m.Store.Override(ctx, in.Session, store.Overrides{Verbose: &level})
	}
	return "", i18n.Fault(fault.Invalid, i18n.VerboseUsage)
}
