package feishu

import (
	"context"
	"strconv"

	larkcardkit "github.com/larksuite/oapi-sdk-go/v3/service/cardkit/v1"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// answerElement is the element of a streaming card that holds the text.
const answerElement = "answer"

// streamCard is a card in the platform's streaming mode: a text that grows is shown as if it were typed.
func streamCard(text string, names map[string]string, streaming bool) object {
	body := markdown(text, names)
	body["element_id"] = answerElement
	c := card(nil, body)
	c["config"] = object{"update_multi": true, "streaming_mode": streaming}
	return c
}

// Stream begins a message that shows an answer while it is written. Where the platform refuses it, there is no preview.
func (a *Account) Stream(ctx context.Context, to channel.Address, key string) (channel.Stream, error) {
	in := &larkcardkit.CreateCardReqBody{Type: new("card_json"), Data: new(encode(streamCard("…", nil, true)))}
	out, err := call(ctx, a, a.cards.Card.Create, larkcardkit.NewCreateCardReqBuilder().Body(in).Build())
	if err != nil {
		return nil, channel.Certain(err) // a card that nobody has seen
	}
	made := data(data(out.Data).CardId)
	content := encode(object{"type": "card", "data": object{"card_id": made}})
	sent, err := a.deliver(ctx, to, key, rendered{kind: "interactive", content: content})
	if err != nil {
		return nil, err
	}
	return &stream{Account: a, sent: sent, card: a.cardOf(ctx, sent.ID, made)}, nil
}

// Resume goes on with a card that was begun before.
func (a *Account) Resume(ctx context.Context, _ channel.Address, id string) (channel.Stream, error) {
	card, err := a.converted(ctx, id)
	if err != nil {
		return nil, channel.Certain(err)
	}
	if card == "" {
		return nil, fault.Errorf(fault.NotFound, "the message shows no card that streams")
	}
	return &stream{Account: a, sent: channel.Sent{ID: id}, card: card}, nil
}

// cardOf is the card that a message shows: another than the one that was made, if the message had been sent before.
func (a *Account) cardOf(ctx context.Context, message, made string) string {
	card, err := a.converted(ctx, message)
	if err != nil || card == "" {
		return made
	}
	return card
}

// converted asks for the card that a message shows; empty: none.
func (a *Account) converted(ctx context.Context, message string) (string, error) {
	in := &larkcardkit.IdConvertCardReqBody{MessageId: &message}
	out, err := call(ctx, a, a.cards.Card.IdConvert, larkcardkit.NewIdConvertCardReqBuilder().Body(in).Build())
	if err != nil {
		return "", err
	}
	return data(data(out.Data).CardId), nil
}

// stream is an answer that is being written.
type stream struct {
	*Account

	sent   channel.Sent
	card   string
	closed bool // the platform does not stream it any more
}

// Sent is the message.
func (s *stream) Sent() channel.Sent { return s.sent }

// Put replaces the text. The platform ends the streaming mode itself after ten minutes; from then on the card is replaced. It
// takes sequences that grow only; a change here needs two of its own, and the end those behind them.
func (s *stream) Put(ctx context.Context, text string, sequence int) error {
	if !s.closed {
		err := s.put(ctx, text, 3*sequence)
		if !refusedAs(err, badContent) {
			return err
		}
		s.closed = true
	}
	return s.replace(ctx, channel.Message{Text: text}, 3*sequence+1)
}

func (s *stream) put(ctx context.Context, text string, sequence int) error {
	shown, _ := markdown(text, nil)["content"].(string)
	in := &larkcardkit.ContentCardElementReqBody{Content: &shown, Sequence: &sequence, Uuid: new(s.uuid(sequence))}
	q := larkcardkit.NewContentCardElementReqBuilder().CardId(s.card).ElementId(answerElement).Body(in).Build()
	_, err := call(ctx, s.Account, s.cards.CardElement.Content, q)
	return err
}

// replace shows a whole card, which does not stream.
func (s *stream) replace(ctx context.Context, m channel.Message, sequence int) error {
	whole := &larkcardkit.Card{Type: new("card_json"), Data: new(encode(streamCard(m.Text, m.Mentions, false)))}
	in := &larkcardkit.UpdateCardReqBody{Card: whole, Sequence: &sequence, Uuid: new(s.uuid(sequence))}
	_, err := call(ctx, s.Account, s.cards.Card.Update, larkcardkit.NewUpdateCardReqBuilder().CardId(s.card).Body(in).Build())
	return err
}

func (s *stream) uuid(sequence int) string { return uuid(s.sent.ID, "."+strconv.Itoa(sequence)) }

// End leaves the text as it is for good. It replaces the card, for what is put into a stream that the platform has ended may be
// accepted and never shown; where a card that streams is not replaced, it stops streaming before.
func (s *stream) End(ctx context.Context, m channel.Message, sequence int) error {
	err := s.replace(ctx, m, 3*sequence+2)
	if !refusedAs(err, badContent, unclear) {
		return err
	}
	settings := encode(object{"config": object{"streaming_mode": false}})
	in := &larkcardkit.SettingsCardReqBody{Settings: &settings, Sequence: new(3*sequence + 3), Uuid: new(s.uuid(3*sequence + 3))}
	q := larkcardkit.NewSettingsCardReqBuilder().CardId(s.card).Body(in).Build()
	if _, closing := call(ctx, s.Account, s.cards.Card.Settings, q); closing != nil {
		return err
	}
	return s.replace(ctx, m, 3*sequence+4)
}
