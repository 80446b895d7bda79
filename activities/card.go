package activities

import (
	"context"
	"time"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Cards keeps what is known of the cards of turns.
type Cards interface {
	TryCard(ctx context.Context, turn chat.TurnID) (bool, error)
	UntryCard(ctx context.Context, turn chat.TurnID) error
	ShowCard(ctx context.Context, turn chat.TurnID, message string) error
	EndCard(ctx context.Context, turn chat.TurnID, state chat.CardState) error
	PutOffCard(ctx context.Context, turn chat.TurnID, pause time.Duration) error
}

// placeCard hands a card to its platform under its key, or finds it there if an earlier attempt did: afterwards the card is
// shown, or there is none. It is noted before it is sent, and where the platform may have forgotten the key it is not sent
// again: there are never two. An error says that it is to be tried again.
func placeCard(ctx context.Context, cards Cards, account channel.Account, c *chat.Card, text string) error {
	before := c.State == chat.CardTried
	if before && !remembered(channel.TraitsAt(account, c.Place), c.Tried) {
		return endCard(ctx, cards, c, chat.CardNone)
	}
	may, err := cards.TryCard(ctx, c.Turn)
	if err != nil {
		return err
	}
	if !may {
		c.State = chat.CardNone
		return nil
	}
	sent, err := account.Send(ctx, c.Place, channel.Message{Key: c.Nonce + ".p", Text: text, Seq: 1})
	switch {
	case err == nil:
		c.State, c.Message = chat.CardShown, sent.ID
		return cards.ShowCard(ctx, c.Turn, sent.ID)
	case before || channel.Unknown(err) || ctx.Err() != nil: // it may be there, from now or from an earlier attempt
		c.State = chat.CardTried
		return err
	case refused(err):
		return endCard(ctx, cards, c, chat.CardNone)
	}
	if undo := cards.UntryCard(ctx, c.Turn); undo != nil {
		return undo
	}
	return err
}

// remembered reports whether a platform still knows the key of what was first sent at a time.
func remembered(t channel.Traits, tried time.Time) bool {
	return t.Window == channel.Forever || time.Since(tried) < t.Window
}

// refused reports whether a platform will not do it at any later time either.
func refused(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Denied, fault.NotFound, fault.TooLarge:
		return true
	}
	return false
}

// withdraw takes a card back where the platform can, and forgets it.
func withdraw(ctx context.Context, cards Cards, account channel.Account, c *chat.Card) error {
	if deleter, can := account.(channel.Deleter); can && c.Message != "" {
		_ = deleter.Delete(ctx, c.Place, c.Message) // it stays as it is then; what matters comes behind it
	}
	return endCard(ctx, cards, c, chat.CardSettled)
}

func endCard(ctx context.Context, cards Cards, c *chat.Card, state chat.CardState) error {
	c.State = state
	return cards.EndCard(ctx, c.Turn, state)
}
