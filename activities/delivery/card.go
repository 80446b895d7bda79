package delivery

import (
	"context"
	"time"

	"xbot/internal/channel"
	"xbot/internal/chat"
)

// Cards keeps what is known of the cards of turns.
type Cards interface {
	TryCard(ctx context.Context, turn chat.TurnID) (bool, error)
	UntryCard(ctx context.Context, turn chat.TurnID) error
	ShowCard(ctx context.Context, turn chat.TurnID, message string) error
	EndCard(ctx context.Context, turn chat.TurnID, state chat.CardState) error
	PutOffCard(ctx context.Context, turn chat.TurnID, pause time.Duration) error
}

// placeCard sends a card to its platform under its key, or finds the one that an earlier attempt sent. Afterwards the card
// is shown, or there is none. The card is recorded before it is sent, and it is not sent again if the platform may have
// forgotten the key: there are never two. After an error the caller tries again.
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
	sent, err := begin(ctx, account, c, text)
	switch {
	case err == nil:
		c.State, c.Message = chat.CardShown, sent.ID
		return cards.ShowCard(ctx, c.Turn, sent.ID)
	case before || channel.Unknown(err) || ctx.Err() != nil: // it may be there, from now or from an earlier attempt
		c.State = chat.CardTried
		return err
	case channel.Final(err):
		return endCard(ctx, cards, c, chat.CardNone)
	}
	if undo := cards.UntryCard(ctx, c.Turn); undo != nil {
		return undo
	}
	return err
}

// begin sends a card: a streaming one if the platform has these and permits it.
func begin(ctx context.Context, account channel.Account, c *chat.Card, text string) (channel.Sent, error) {
	key := c.Nonce + ".p"
	if streamer, can := account.(channel.Streamer); can {
		stream, err := streamer.Stream(ctx, c.Place, channel.Message{Key: key, Text: text, Seq: 1})
		if err == nil {
			_ = stream.Put(ctx, text, sequence(c)) // it is put there again with the next change
			return stream.Sent(), nil
		}
		if !channel.Final(err) {
			return channel.Sent{}, err
		}
	}
	return account.Send(ctx, c.Place, channel.Message{Key: key, Text: text, Seq: 1})
}

// changer changes a card: by its stream where it has one.
type changer struct {
	editor channel.Editor
	stream channel.Stream // nil: none
	card   *chat.Card
}

// change finds out how a card is changed.
func change(ctx context.Context, account channel.Account, editor channel.Editor, c *chat.Card) (changer, error) {
	out := changer{editor: editor, card: c}
	streamer, can := account.(channel.Streamer)
	if !can {
		return out, nil
	}
	stream, err := streamer.Resume(ctx, c.Place, c.Message)
	switch {
	case err == nil:
		out.stream = stream
	case !channel.Final(err):
		return changer{}, err
	}
	return out, nil
}

// put shows a text while the turn runs.
func (c changer) put(ctx context.Context, text string) error {
	if c.stream != nil {
		return c.stream.Put(ctx, text, sequence(c.card))
	}
	return c.editor.Edit(ctx, c.card.Place, c.card.Message, channel.Message{Key: c.card.Nonce + ".p", Text: text, Seq: 1})
}

// end shows the final text.
func (c changer) end(ctx context.Context, to chat.Address, m channel.Message) error {
	if c.stream != nil {
		return c.stream.End(ctx, m, sequence(c.card))
	}
	return c.editor.Edit(ctx, to, c.card.Message, m)
}

// sequence grows with time, by ten a second, in whichever process a card is changed. A minute is added for a clock that is
// behind that of the database.
func sequence(c *chat.Card) int {
	return max(1, int((time.Since(c.Made)+time.Minute)/(100*time.Millisecond)))
}

// remembered reports whether a platform still knows the key of what was first sent at a time.
func remembered(t channel.Traits, tried time.Time) bool {
	return t.Window == channel.Forever || time.Since(tried) < t.Window
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
