package admin

import (
	"context"
	"math"
	"strings"
	"time"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/users"
)

// PairingStore lists, approves and rejects pairings.
type PairingStore interface {
	Pairings(ctx context.Context) ([]users.Pairing, error)
	EndPairing(ctx context.Context, code string, approve bool, by chat.UserID) (users.Pairing, error)
}

// Pair is /pair: pending pairings.
type Pair struct{ Store PairingStore }

var _ slashcommand.Runner = Pair{}

// Spec describes the command.
func (Pair) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "pair", Usage: "[list|approve CODE|refuse CODE]", Help: i18n.HelpPair, Group: slashcommand.GroupServer, Who: slashcommand.Admin}
}

// Run lists pending pairings, or approves or refuses one.
func (c Pair) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	words := strings.Fields(args)
	switch {
	case len(words) == 0 || len(words) == 1 && words[0] == "list":
		return c.list(ctx, in.Lang)
	case len(words) < 2 || words[0] != "approve" && words[0] != "refuse":
		return "", i18n.Fault(fault.Invalid, i18n.PairUsage)
	}
	approve := words[0] == "approve"
	p, err := c.Store.EndPairing(ctx, strings.Join(words[1:], ""), approve, in.User)
	if err != nil {
		return "", err
	}
	say := i18n.PairRefused
	if approve {
		say = i18n.PairApproved
	}
	return i18n.Say(in.Lang, say, markdown.Quoted(called(p)), markdown.Quoted(p.Channel)), nil
}

func called(p users.Pairing) string {
	if p.Name == "" {
		return p.Peer
	}
	return p.Name + " (" + p.Peer + ")"
}

func (c Pair) list(ctx context.Context, lang i18n.Lang) (string, error) {
	all, err := c.Store.Pairings(ctx)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return i18n.Say(lang, i18n.PairNone), nil
	}
	lines := make([]string, len(all))
	for i, p := range all {
		left := int(math.Ceil(time.Until(p.ExpiresAt).Hours()))
		lines[i] = "* " + i18n.Say(lang, i18n.PairWaits, p.Code, markdown.Quoted(called(p)), markdown.Quoted(p.Channel), max(left, 1))
	}
	return strings.Join(lines, "\n"), nil
}
