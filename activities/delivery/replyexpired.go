package delivery

import (
	"cmp"
	"context"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Some platforms (QQ) accept answers to a message for a limited time, and only a limited number of them. An answer that is too late for its message
// is sent as the answer to a newer one of the same chat; if there is none, as a message without one to answer; and if the platform accepts none of
// those, as the answer to the next message that a user writes there.

const (
	// newerMessageEvery is how often a newer message is looked for.
	newerMessageEvery = 10 * time.Second
	// ownEvery is how often a message of the bot's own is tried where the platform has refused one.
	ownEvery = time.Hour
)

// MessageFinder finds messages that can be answered.
type MessageFinder interface {
	// NewestMessage returns the platform's id of the newest message of a user in the chat of a delivery; empty: there is none.
	NewestMessage(ctx context.Context, o chat.Outbound) (string, error)
}

// restFor is how much longer a delivery is tried if users have read its beginning. It is bounded, since a piece that the platform
// never accepts must not hold up later answers.
const restFor = 24 * time.Hour

// overdue reports whether a delivery is given up, and how it ends.
func overdue(pieces []chat.Piece, age, most time.Duration) (state string, over bool) {
	switch {
	case age <= most || begun(pieces) && age <= most+restFor:
		return "", false
	case slices.ContainsFunc(pieces, func(p chat.Piece) bool { return p.State == chat.PieceTried || p.State == chat.PieceLost }):
		return chat.OutboundUncertain, true
	case begun(pieces):
		return chat.OutboundFailed, true
	}
	return chat.OutboundExpired, true
}

// begun reports whether a piece was handed to the platform.
func begun(pieces []chat.Piece) bool {
	return slices.ContainsFunc(pieces, func(p chat.Piece) bool { return p.State != chat.PieceWaiting })
}

// refusesOwnMessages reports whether a platform takes no messages of the bot's own, or no more of them for now.
func refusesOwnMessages(err error) bool {
	return (fault.Is(err, fault.Denied) || fault.Is(err, fault.RateLimited)) && !channel.Unknown(err)
}

// addressOf returns where a piece goes. One that waits for a newer message to answer gets it here, or waits on.
func (s *sending) addressOf(ctx context.Context, p *chat.Piece, m *channel.Message) (chat.Address, error) {
	if p.To == chat.Own && p.State == chat.PieceWaiting {
		newer, err := s.newer(ctx, p)
		if err != nil {
			return chat.Address{}, err
		}
		if newer == "" && time.Since(p.Tried) < ownEvery {
			return chat.Address{}, s.waits(ctx)
		}
		p.To = cmp.Or(newer, chat.Own)
	}
	place := s.o.Place
	switch p.To {
	case "":
		return place, nil
	case chat.Own:
		place.ReplyTo = ""
	default:
		place.ReplyTo = p.To
	}
	m.Seq = 0 // the numbers of that message belong to its own answers
	return place, nil
}

// redirect gives a piece another address after the platform has refused its own. The piece is sent there at once, unless the
// platform accepts it nowhere for now.
func (s *sending) redirect(ctx context.Context, n int, refused error) error {
	p := &s.o.Pieces[n]
	newer, err := s.newer(ctx, p)
	if err != nil {
		return err
	}
	nowhere := newer == "" && p.To == chat.Own
	p.State, p.Tried, p.To = chat.PieceWaiting, time.Time{}, cmp.Or(newer, chat.Own)
	if nowhere {
		p.Tried = time.Now()
	}
	if err := s.note(ctx, false); err != nil {
		return err
	}
	activity.GetLogger(ctx).Warn("an answer is too late for its message, so it is said elsewhere",
		"channel", channel.Name(s.o.Channel, s.o.Account), "session", s.o.Session, "delivery", s.o.ID, "own", p.To == chat.Own, "error", refused)
	if nowhere {
		return s.waits(ctx)
	}
	return s.piece(ctx, n)
}

// newer returns a message that was written after the one that a piece was to answer.
func (s *sending) newer(ctx context.Context, p *chat.Piece) (string, error) {
	if s.Messages == nil {
		return "", nil
	}
	id, err := s.Messages.NewestMessage(ctx, s.o)
	if err != nil || id == s.o.Place.ReplyTo || id == p.To {
		return "", err
	}
	return id, nil
}

// waits makes a piece wait for the next message of a user, as long as anything may wait.
func (s *sending) waits(ctx context.Context) error {
	rules, err := s.Policy.DeliveryRules(ctx, s.o.Channel)
	if err != nil {
		return err
	}
	if age := rules.MaxAge; time.Since(s.o.Written) > age {
		return fault.Errorf(fault.Denied, "nobody has written there within %s, and the platform takes no message of the bot's own", age)
	}
	return fault.Limited(newerMessageEvery, "the answer is too late for its message, and the platform takes no message of the bot's own: it is said when somebody writes there again")
}
