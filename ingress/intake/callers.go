package intake

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/command"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/slashcommand"
)

// Callers finds the rights of a user in a conversation, for commands.
type Callers struct {
	Conversations Conversations
	Inbox         Inbox
	Users         Users

	Policies Policies // the rules of groups for commands that concern all; nil: by the defaults
}

var _ slashcommand.People = Callers{}

// Caller returns the rights of a user in a conversation.
func (s Callers) Caller(ctx context.Context, user chat.UserID, key chat.SessionKey) (slashcommand.Caller, error) {
	who, err := s.Users.UserByID(ctx, user)
	if err != nil {
		return slashcommand.Caller{}, err
	}
	session, owner, err := s.Conversations.Session(ctx, key)
	narrow := pg.Narrow(ctx)
	c := slashcommand.Caller{Admin: who.Admin && !narrow, Narrow: narrow, Owner: owner == user, Direct: session.ChatType == chat.ChatDirect}
	if err != nil || c.Admin || c.Owner {
		return c, err
	}
	c.Resets, err = s.resets(ctx, user, session)
	return c, err
}

// resets reports whether a user may reset a conversation that they share with others.
func (s Callers) resets(ctx context.Context, user chat.UserID, session chat.Session) (bool, error) {
	rules, err := s.rules(ctx, session)
	if err != nil || rules.WhoResets() == policy.Everybody {
		return err == nil, err
	}
	others, err := s.Inbox.OthersWrote(ctx, session.Key, user)
	return !others && err == nil, err
}

// stopping is what a user may stop in a conversation.
type stopping struct {
	turn    bool // the one that runs
	own     bool // of the waiting messages only their own
	forever bool // turns to come, too
}

func (s Callers) stopping(ctx context.Context, who slashcommand.Caller, in Message) (may stopping, err error) {
	if who.Admin || who.Owner {
		return stopping{turn: true, forever: true}, nil
	}
	session, _, err := s.Conversations.Session(ctx, in.Session)
	if err != nil {
		return may, err
	}
	rules, err := s.rules(ctx, session)
	switch {
	case err != nil:
		return may, err
	case rules.WhoStops() == policy.Everybody:
		return stopping{turn: true, forever: true}, nil
	case rules.WhoStops() == policy.Askers:
		may.own = true
		may.turn, err = s.Inbox.WroteToTurn(ctx, in.Session, in.User)
	}
	return may, err
}

// rules returns the rules of the group of a conversation.
func (s Callers) rules(ctx context.Context, session chat.Session) (policy.Group, error) {
	p := &policy.Policy{}
	if s.Policies != nil {
		var err error
		if p, err = s.Policies.Get(ctx); err != nil {
			return policy.Group{}, err
		}
	}
	rules, _ := p.Channel(session.Origin.Provider, session.Origin.Account).Group(session.Origin.To)
	return rules, nil
}

// parseStop reads a stop. A user who may not end the running turn gets a refusal.
func (c *Commands) parseStop(ctx context.Context, in Message, who slashcommand.Caller) (Parsed, error) {
	may, err := c.people.stopping(ctx, who, in)
	if err != nil || may.turn {
		return Parsed{stop: true, own: may.own}, err
	}
	return stopRefused(in), nil
}

// mayInterrupt reports whether a user may make their message, or all later ones, end the running turn.
func (c *Commands) mayInterrupt(ctx context.Context, in Message, who slashcommand.Caller, later bool) (bool, error) {
	may, err := c.people.stopping(ctx, who, in)
	return may.forever || may.turn && !later, err
}

// stopRefused answers a user who may not end the turn of another one, or make messages do so. Their text has no other effect.
func stopRefused(in Message) Parsed {
	return Parsed{commands: []invocation{{line: in.Text, answer: func(_ context.Context, in Message) (string, error) {
		return i18n.Say(in.Lang, i18n.StopRefused), nil
	}}}}
}

// interruptsTurn reports whether a directive makes messages end the turn that runs, or take the place of those that wait.
func interruptsTurn(d command.Directive) bool {
	set, _, ok := command.QueueSettings(d.Value)
	return d.Name == command.Queue && ok && (set.Mode == chat.QueueInterrupt || set.Mode == chat.QueueSupersede)
}
