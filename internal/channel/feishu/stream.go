package feishu

import (
	"context"
	"strconv"
	"strings"

	larkcardkit "github.com/larksuite/oapi-sdk-go/v3/service/cardkit/v1"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// answerElement is the element of a streaming card that holds the text.
const answerElement = "answer"

// streamCard returns a card in the platform's streaming mode: a text that grows is shown as if it were typed.
func streamCard(text string) object {
	body := markdown("…", nil)
	body["element_id"] = answerElement
	c := card(stateOf(text), nil, body)
	settings := config(stateOf(text))
	settings["streaming_mode"] = true
	c["config"] = settings
	return c
}

// wholeCard returns the card that replaces such a card; it does not stream.
func wholeCard(m channel.Message) object {
	c := textCard(m)
	if body, is := c["body"].(object); is && m.Folded == "" {
		if elements, are := body["elements"].([]object); are {
			elements[0]["element_id"] = answerElement // Put finds the answer by it
		}
	}
	return c
}

// stateOf returns the first line of a turn's text: it changes with the state of the turn alone.
func stateOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// Stream begins a message that shows an answer while it is written. If the platform refuses it, there is no preview.
func (a *Account) Stream(ctx context.Context, to channel.Address, m channel.Message) (channel.Stream, error) {
	in := &larkcardkit.CreateCardReqBody{Type: new("card_json"), Data: new(encode(streamCard(m.Text)))}
	out, err := call(ctx, a, a.cards.Card.Create, larkcardkit.NewCreateCardReqBuilder().Body(in).Build())
	if err != nil {
		return nil, channel.Certain(err) // a card that no user has seen
	}
	made := data(data(out.Data).CardId)
	content := encode(object{"type": "card", "data": object{"card_id": made}})
	sent, err := a.deliver(ctx, to, m.Key, rendered{kind: "interactive", content: content})
	if err != nil {
		return nil, err
	}
	return &stream{Account: a, sent: sent, card: a.cardOf(ctx, sent.ID, made), state: summaryOf(stateOf(m.Text))}, nil
}

// Resume continues a card that was begun before.
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

// cardOf returns the card that a message shows: another than the one that was made, if the message had been sent before.
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
	closed bool   // the platform does not stream it any more
	state  string // its text in lists of chats; empty: unknown
}

// Sent returns the message.
func (s *stream) Sent() channel.Sent { return s.sent }

// Put replaces the text. The platform ends the streaming mode itself after ten minutes; from then on the card is replaced. It
// accepts increasing sequences only; a change here needs three of them, and the end the ones after those.
func (s *stream) Put(ctx context.Context, text string, sequence int) error {
	if !s.closed {
		err := s.put(ctx, text, 4*sequence)
		if err == nil {
			return s.summarize(ctx, text, 4*sequence+1)
		}
		if !refusedAs(err, badContent) {
			return err
		}
		s.closed = true
	}
	return s.replace(ctx, channel.Message{Text: text}, 4*sequence+2)
}

// summarize makes lists of chats show the state of the turn, if it has changed.
func (s *stream) summarize(ctx context.Context, text string, sequence int) error {
	state := summaryOf(stateOf(text))
	if state == s.state {
		return nil
	}
	settings := encode(object{"config": object{"summary": object{"content": state}}})
	in := &larkcardkit.SettingsCardReqBody{Settings: &settings, Sequence: &sequence, Uuid: new(s.uuid(sequence))}
	_, err := call(ctx, s.Account, s.cards.Card.Settings, larkcardkit.NewSettingsCardReqBuilder().CardId(s.card).Body(in).Build())
	if err == nil || channel.Final(err) { // the text itself is shown
		s.state = state
		return nil
	}
	return err
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
	whole := &larkcardkit.Card{Type: new("card_json"), Data: new(encode(wholeCard(m)))}
	in := &larkcardkit.UpdateCardReqBody{Card: whole, Sequence: &sequence, Uuid: new(s.uuid(sequence))}
	_, err := call(ctx, s.Account, s.cards.Card.Update, larkcardkit.NewUpdateCardReqBuilder().CardId(s.card).Body(in).Build())
	return err
}

func (s *stream) uuid(sequence int) string { return uuid(s.sent.ID, "."+strconv.Itoa(sequence)) }

// End sets the final text. It replaces the card, because text put into a stream that the platform has ended may be accepted and
// never shown; a card that cannot be replaced while it streams stops streaming first.
func (s *stream) End(ctx context.Context, m channel.Message, sequence int) error {
	err := s.replace(ctx, m, 4*sequence+3)
	if !refusedAs(err, badContent, unclear) {
		return err
	}
	settings := encode(object{"config": object{"streaming_mode": false}})
	in := &larkcardkit.SettingsCardReqBody{Settings: &settings, Sequence: new(4*sequence + 4), Uuid: new(s.uuid(4*sequence + 4))}
	q := larkcardkit.NewSettingsCardReqBuilder().CardId(s.card).Body(in).Build()
	if _, closing := call(ctx, s.Account, s.cards.Card.Settings, q); closing != nil {
		return err
	}
	return s.replace(ctx, m, 4*sequence+5)
}
