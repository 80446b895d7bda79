package delivery

import (
	"context"
	"time"

	"xbot/activities"
	"xbot/internal/channel"
	"xbot/internal/chat"
)

// AnswerCards keeps the progress cards that answers replace.
type AnswerCards interface {
	Cards
	// NextFollow returns the turn whose progress is to be shown now, or whose card is to be settled.
	NextFollow(ctx context.Context, key chat.SessionKey) (turn chat.TurnID, channel string, ok bool, err error)
	CardOfAnswer(ctx context.Context, delivery int64) (chat.Card, bool, error)
	// AnswerCard notes in one transaction that the card has become the first piece. It is a Conflict where SavePieces is one.
	AnswerCard(ctx context.Context, turn chat.TurnID, o *chat.Outbound) error
}

func (d *Deliverer) nextFollow(ctx context.Context, in NextDeliveryInput) (NextDeliveryOutput, error) {
	turn, name, _, err := d.Cards.NextFollow(ctx, in.Session)
	return NextDeliveryOutput{Follow: turn, Channel: name}, activities.Failure(ctx, err)
}

// findCard looks for the card that the delivery replaces.
func (s *sending) findCard(ctx context.Context) error {
	if s.Cards == nil || len(s.o.Pieces) == 0 || s.o.Pieces[0].State != chat.PieceWaiting {
		return nil
	}
	card, ok, err := s.Cards.CardOfAnswer(ctx, s.o.ID)
	if err == nil && ok {
		s.shown = &card
	}
	return err
}

// announceAfter is the age of a card from which its answer is a separate message: an edit announces nothing, and users who have waited that long look
// elsewhere.
const announceAfter = 30 * time.Second

// replace changes the progress card into the first piece of the answer; it may be repeated. It reports false if there is no card, or if the platform
// refuses the change: then the card is withdrawn, and the piece is sent. A card of another account or in another place, and an old one, is left to
// Follow, which folds it once the turn has ended.
func (s *sending) replace(ctx context.Context, n int, m channel.Message) (bool, error) {
	c := s.shown
	if n != 0 || c == nil {
		return false, nil
	}
	if c.Channel != s.o.Channel || c.Account != s.o.Account || !together(c.Place, s.o.Place) || s.o.Written.Sub(c.Made) > announceAfter {
		return false, nil
	}
	editor, can := s.account.(channel.Editor)
	if !can || m.Text == "" {
		return false, withdraw(ctx, s.Cards, s.account, c)
	}
	if c.State != chat.CardShown {
		if err := placeCard(ctx, s.Cards, s.account, c, m.Text); err != nil || c.State != chat.CardShown {
			return false, err
		}
	}
	changer, err := change(ctx, s.account, editor, c)
	if err == nil {
		err = changer.end(ctx, s.o.Place, m)
	}
	switch {
	case err == nil:
		s.o.Pieces[n].State, s.o.Pieces[n].ID = chat.PieceSent, c.Message
		return true, ended(s.Cards.AnswerCard(ctx, c.Turn, &s.o))
	case channel.Final(err):
		return false, withdraw(ctx, s.Cards, s.account, c)
	}
	return false, err
}

// together reports whether two messages are in the same place, independent of the messages that they answer.
func together(a, b chat.Address) bool {
	return a.ChatType == b.ChatType && a.Chat == b.Chat && a.Thread == b.Thread && a.InThread == b.InThread && (a.ChatType != chat.ChatDirect || a.Peer == b.Peer)
}
