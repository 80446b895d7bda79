package feishu

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"xbot/internal/channel"
)

// answerElement is the element of a streaming card that holds the text.
const answerElement = "answer"

// streamCard is a card in the platform's streaming mode: a text that grows is shown as if it were typed.
func streamCard(text string, streaming bool) object {
	body := markdown(text, nil)
	body["element_id"] = answerElement
	c := card(nil, body)
	c["config"] = object{"update_multi": true, "streaming_mode": streaming}
	return c
}

// Stream begins a message that shows an answer while it is written. Where the platform refuses it, there is no preview.
func (a *Account) Stream(ctx context.Context, to channel.Place, key string) (channel.Stream, error) {
	var made struct {
		ID string `json:"card_id"`
	}
	in := object{"type": "card_json", "data": encode(streamCard("…", true))}
	if err := a.call(ctx, http.MethodPost, "/open-apis/cardkit/v1/cards", in, &made); err != nil {
		return nil, certain(err) // a card that nobody has seen
	}
	content := encode(object{"type": "card", "data": object{"card_id": made.ID}})
	sent, err := a.deliver(ctx, to, key, rendered{kind: "interactive", content: content})
	if err != nil {
		return nil, err
	}
	return &stream{Account: a, sent: sent, card: a.cardOf(ctx, sent.ID, made.ID)}, nil
}

// cardOf is the card that a message shows: another than the one that was made, if the message had been sent before.
func (a *Account) cardOf(ctx context.Context, message, made string) string {
	var out struct {
		ID string `json:"card_id"`
	}
	err := a.call(ctx, http.MethodPost, "/open-apis/cardkit/v1/cards/id_convert", object{"message_id": message}, &out)
	if err != nil || out.ID == "" {
		return made
	}
	return out.ID
}

// stream is an answer that is being written.
type stream struct {
	*Account

	sent channel.Sent
	card string
}

// Sent is the message.
func (s *stream) Sent() channel.Sent { return s.sent }

// Put replaces the text. The platform takes sequences that grow only; End needs two of its own.
func (s *stream) Put(ctx context.Context, text string, sequence int) error {
	return s.put(ctx, text, 2*sequence)
}

func (s *stream) put(ctx context.Context, text string, sequence int) error {
	in := object{"content": markdown(text, nil)["content"], "sequence": sequence, "uuid": s.uuid(sequence)}
	return s.call(ctx, http.MethodPut, s.path()+"/elements/"+answerElement+"/content", in, nil)
}

func (s *stream) path() string { return "/open-apis/cardkit/v1/cards/" + url.PathEscape(s.card) }

func (s *stream) uuid(sequence int) string { return uuid(s.sent.ID, "."+strconv.Itoa(sequence)) }

// End leaves the text as it is for good. The platform ends the streaming mode itself after ten minutes; then the card is
// replaced.
func (s *stream) End(ctx context.Context, text string, sequence int) error {
	if s.put(ctx, text, 2*sequence) == nil {
		settings := encode(object{"config": object{"streaming_mode": false}})
		in := object{"settings": settings, "sequence": 2*sequence + 1, "uuid": s.uuid(2*sequence + 1)}
		if s.call(ctx, http.MethodPatch, s.path()+"/settings", in, nil) == nil {
			return nil
		}
	}
	whole := object{"type": "card_json", "data": encode(streamCard(text, false))}
	in := object{"card": whole, "sequence": 2*sequence + 2, "uuid": s.uuid(2*sequence + 2)}
	return s.call(ctx, http.MethodPut, s.path(), in, nil)
}
