package anthropic

import (
	"encoding/json"

	"xbot/internal/llm/wire"
)

// event holds the fields of a messages API event that the adapter reads (https://docs.anthropic.com/en/api/messages-streaming), or of a message that was not
// streamed. The SDK's types require the event's name in addition to its data, and fail on fields of other types.
type event struct {
	Type    wire.Word       `json:"type"`
	Index   *wire.Count     `json:"index"`
	Message message         `json:"message"`
	Block   start           `json:"content_block"`
	Delta   delta           `json:"delta"`
	Usage   usage           `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type message struct {
	Model   wire.Word        `json:"model"`
	Content wire.List[start] `json:"content"`
	Stop    wire.Word        `json:"stop_reason"`
	Usage   usage            `json:"usage"`
}

// start is the beginning of a block, or a whole block.
type start struct {
	Type      wire.Word       `json:"type"`
	Text      wire.Text       `json:"text"`
	Thinking  wire.Text       `json:"thinking"`
	Signature wire.Text       `json:"signature"`
	Data      wire.Text       `json:"data"`
	ID        wire.Text       `json:"id"`
	Name      wire.Text       `json:"name"`
	Input     json.RawMessage `json:"input"`

	raw json.RawMessage
}

// UnmarshalJSON accepts any JSON.
func (s *start) UnmarshalJSON(data []byte) error {
	type plain start
	_ = wire.Parse(data, (*plain)(s)) // what cannot be read stays empty
	s.raw = append(json.RawMessage(nil), data...)
	return nil
}

// delta is a piece of a block, or the changes at the end of a message.
type delta struct {
	Type      wire.Word `json:"type"`
	Text      wire.Text `json:"text"`
	Thinking  wire.Text `json:"thinking"`
	Signature wire.Text `json:"signature"`
	Input     wire.Text `json:"partial_json"`
	Stop      wire.Word `json:"stop_reason"`
}

// usage holds token counts. A missing count or 0 is ignored.
type usage struct {
	Input   wire.Count `json:"input_tokens"`
	Output  wire.Count `json:"output_tokens"`
	Read    wire.Count `json:"cache_read_input_tokens"`
	Written wire.Count `json:"cache_creation_input_tokens"`
}

// add stores later counts, which are totals.
func (u *usage) add(later usage) {
	for _, count := range []struct{ to, from *wire.Count }{
		{&u.Input, &later.Input}, {&u.Output, &later.Output}, {&u.Read, &later.Read}, {&u.Written, &later.Written},
	} {
		if *count.from > 0 {
			*count.to = *count.from
		}
	}
}
