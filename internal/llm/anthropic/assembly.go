package anthropic

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// assembly puts an answer together from its events and passes it on as it grows.
type assembly struct {
	call   *wire.Call
	model  string
	stop   string
	usage  usage
	blocks []*block
	calls  int  // how many of the blocks are calls
	lost   bool // something arrived that belongs to no block
}

// maxBlocks bounds the blocks of one answer.
const maxBlocks = 1000

// Kinds of blocks. Others are of tools that the service runs itself.
const (
	saying   = "text"
	thinking = "thinking"
	redacted = "redacted_thinking"
	toolUse  = "tool_use"
)

// block is a content block in progress.
type block struct {
	index     int
	kind      string
	call      int             // of a call: how many there are before it
	text      strings.Builder // text, thinking or the JSON of a call's input
	seam      wire.Seam
	signature string
	data      string
	id, name  string
	input     string          // what the block began with, where no piece follows
	raw       json.RawMessage // how it began
}

// read reads events until the stream ends. It returns nil for a complete stream.
func (a *assembly) read(events *wire.Events) error {
	for {
		got, err := events.Next()
		if errors.Is(err, io.EOF) {
			if events.Marked() {
				a.end("")
			}
			return nil
		}
		if err != nil {
			return err
		}
		var e event
		if wire.Parse(got.Data, &e) != nil {
			return a.call.Garbled("a piece of an answer that is not valid JSON")
		}
		if e.Type = cmp.Or(e.Type, wire.Word(got.Name)); e.Type == "error" || len(e.Error) > 0 && string(e.Error) != "null" {
			return a.call.Refuse(got.Data)
		}
		a.take(e, got.Data)
	}
}

func (a *assembly) take(e event, data []byte) {
	switch e.Type {
	case "message_start":
		a.model = string(e.Message.Model)
		a.usage.add(e.Message.Usage)
		a.takeMessage(e.Message) // some send blocks here that are whole
	case "message": // an answer that was not streamed
		var m message
		_ = wire.Parse(data, &m) // what cannot be read stays empty
		a.model = string(m.Model)
		a.usage.add(m.Usage)
		a.takeMessage(m)
		a.end(string(m.Stop))
	case "content_block_start":
		a.begin(a.place(e.Index), e.Block)
	case "content_block_delta":
		a.grow(e.Index, e.Delta)
	case "message_delta":
		a.usage.add(e.Usage)
		a.finish(string(e.Delta.Stop))
	case "message_stop":
		a.end("")
	}
}

// takeMessage adds the blocks of a message that was not streamed.
func (a *assembly) takeMessage(m message) {
	for i, b := range m.Content {
		a.begin(i, b)
	}
}

// place returns the index of a new block: that of the event, or the next one.
func (a *assembly) place(index *wire.Count) int {
	if index == nil {
		return len(a.blocks)
	}
	return int(*index)
}

func (a *assembly) begin(index int, s start) *block {
	b := &block{
		index: index, kind: string(s.Type), id: s.ID.String(), name: strings.TrimSpace(s.Name.String()), data: s.Data.String(),
		signature: s.Signature.String(), input: string(s.Input), raw: s.raw,
	}
	if len(a.blocks) >= maxBlocks {
		a.lost = true
		return b
	}
	a.blocks = append(a.blocks, b)
	switch b.kind {
	case saying:
		a.say(b, string(s.Text))
	case thinking:
		a.think(b, string(s.Thinking))
	case toolUse:
		b.call = a.calls
		a.calls++
		if b.name != "" {
			a.call.Sink().ToolCall(b.call, b.name)
		}
	}
	return b
}

// grow adds a piece to its block. A piece whose type does not fit the block at its index begins a new one.
func (a *assembly) grow(index *wire.Count, d delta) {
	if d.Text != "" {
		a.say(a.find(index, saying), string(d.Text))
	}
	if d.Thinking != "" {
		a.think(a.find(index, thinking), string(d.Thinking))
	}
	if d.Signature != "" {
		a.find(index, thinking).signature += d.Signature.String()
	}
	if d.Input != "" {
		a.argue(index, string(d.Input))
	}
}

// find returns the newest block of a type at an index, and begins one if there is none. Without an index it returns the newest block if its type
// fits.
func (a *assembly) find(index *wire.Count, kind string) *block {
	for _, b := range slices.Backward(a.blocks) {
		if index == nil && b.kind != kind {
			break
		}
		if b.kind == kind && (index == nil || b.index == int(*index)) {
			return b
		}
	}
	return a.begin(a.place(index), start{Type: wire.Word(kind)})
}

func (a *assembly) say(b *block, piece string) {
	if piece = b.seam.Join(piece); piece != "" {
		b.text.WriteString(piece)
		a.call.Sink().Text(piece)
	}
}

func (a *assembly) think(b *block, piece string) {
	if piece = b.seam.Join(piece); piece != "" {
		b.text.WriteString(piece)
		a.call.Sink().Reasoning(piece)
	}
}

// argue adds a piece of the input of a call, to a client tool or to a tool of the service.
func (a *assembly) argue(index *wire.Count, piece string) {
	for _, b := range slices.Backward(a.blocks) {
		if b.kind == saying || b.kind == thinking || b.kind == redacted || index != nil && b.index != int(*index) {
			continue
		}
		if piece = b.seam.Join(piece); piece == "" {
			return
		}
		b.text.WriteString(piece)
		if b.kind == toolUse && b.name != "" {
			a.call.Sink().Arguments(b.call, piece)
		}
		return
	}
	if strings.Trim(piece, "{} \n") != "" { // some send nothing as the input of a text (BerriAI/litellm#29286)
		a.lost = true
	}
}

// finish takes the stop reason.
func (a *assembly) finish(reason string) {
	if reason == "" {
		return
	}
	if a.stop == "" {
		a.settle()
	}
	a.stop = reason
	a.call.Closing()
}

// end handles the end of a message without a stop reason.
func (a *assembly) end(reason string) {
	if reason == "" && a.stop == "" && len(a.blocks) > 0 {
		reason = "end_turn"
	}
	a.finish(reason)
}

// settle flushes text that was held back, and completes calls whose input was not sent in pieces.
func (a *assembly) settle() {
	for _, b := range a.blocks {
		rest := b.seam.Rest()
		switch b.kind {
		case saying:
			a.say(b, rest)
		case thinking:
			a.think(b, rest)
		case toolUse:
			b.text.WriteString(rest)
			if b.name != "" && b.text.Len() == 0 {
				b.text.WriteString(b.arguments())
				a.call.Sink().Arguments(b.call, b.text.String())
			}
		}
	}
}

// answer returns what was put together. Its Finish is empty while the stop reason is missing.
func (a *assembly) answer(origin string) llm.Answer {
	answer := llm.Answer{Model: a.model, Usage: a.tokens()}
	var said, thought strings.Builder
	order := opaque{Origin: origin}
	for _, b := range a.blocks {
		text := b.text.String()
		switch b.kind {
		case saying:
			said.WriteString(text)
			order.Blocks = append(order.Blocks, storedBlock{Text: len(text)})
		case thinking:
			thought.WriteString(text)
			if b.signature != "" || text != "" && !strings.HasPrefix(origin, ownHost+" ") {
				order.Blocks = append(order.Blocks, storedBlock{Thinking: text, Signature: b.signature})
			}
		case redacted:
			order.Blocks = append(order.Blocks, storedBlock{Redacted: b.data})
		case toolUse:
			answer.ToolCalls = append(answer.ToolCalls, llm.ToolCall{ID: b.id, Name: b.name, Arguments: b.arguments()})
			order.Blocks = append(order.Blocks, storedBlock{Call: true})
		default:
			if raw := b.whole(); raw != nil {
				order.Blocks = append(order.Blocks, storedBlock{Other: raw})
			}
		}
	}
	answer.Text, answer.Reasoning, answer.Opaque = said.String(), thought.String(), order.encode()
	answer.Finish = finishReason(a.stop, len(answer.ToolCalls) > 0)
	return answer
}

// arguments returns the input of a call as the model wrote it.
func (b *block) arguments() string {
	if text := b.text.String(); strings.TrimSpace(text) != "" {
		return wire.Arguments(text)
	}
	if json.Valid([]byte(b.input)) && b.input != "null" {
		return wire.Arguments(b.input)
	}
	return "{}"
}

// whole returns a block of a tool of the service for later requests; nil if it cannot be sent back.
func (b *block) whole() json.RawMessage {
	if len(b.raw) == 0 || b.kind == "" {
		return nil
	}
	text := strings.TrimSpace(b.text.String())
	if text == "" {
		return b.raw
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(b.raw, &all) != nil || !json.Valid([]byte(text)) {
		return nil
	}
	all["input"] = json.RawMessage(text)
	raw, err := json.Marshal(all)
	if err != nil {
		return nil
	}
	return raw
}

// tokens counts the whole input: this API reports the cached parts separately.
func (a *assembly) tokens() chat.Usage {
	u := a.usage
	return chat.Usage{
		PromptTokens:     int(u.Input + u.Read + u.Written),
		CachedTokens:     int(u.Read),
		CompletionTokens: int(u.Output),
	}
}

// check returns an error for an answer that is whole but cannot be used.
func (a *assembly) check() error {
	if a.lost {
		return a.call.Garbled("a piece of something that it never began")
	}
	for _, b := range a.blocks {
		if b.kind == toolUse && b.name == "" {
			return a.call.Garbled("a tool call without a name")
		}
	}
	return nil
}

// finishReason translates a stop reason. Calls decide between stop and tool_calls.
func finishReason(reason string, called bool) llm.FinishReason {
	switch reason {
	case "":
		return ""
	case "max_tokens", "length":
		return llm.FinishLength
	case "model_context_window_exceeded":
		return llm.FinishWindow
	case "refusal", "content_filter", "guardrail_intervened", "content_filtered":
		return llm.FinishContentFilter
	}
	if called {
		return llm.FinishToolCalls
	}
	return llm.FinishStop
}
