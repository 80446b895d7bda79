package openai

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// event is what is read of an event of the Responses API (types/responses/response_stream_event of openai-python). The SDK's own type
// fails on events of another kind whose fields have other forms.
type event struct {
	Type      text            `json:"type"`
	Place     int             `json:"output_index"`
	Delta     text            `json:"delta"`
	Arguments text            `json:"arguments"`
	Item      item            `json:"item"`
	Response  json.RawMessage `json:"response"`
}

// item is one of the output: a message, reasoning, a call, or something that nobody asked for.
type item struct {
	Type      text       `json:"type"`
	CallID    text       `json:"call_id"`
	Name      text       `json:"name"`
	Arguments text       `json:"arguments"`
	Phase     text       `json:"phase"`
	Content   []itemPart `json:"content"`
	Summary   []itemPart `json:"summary"`
	Encrypted text       `json:"encrypted_content"`
}

type itemPart struct {
	Text    text `json:"text"`
	Refusal text `json:"refusal"`
}

// outcome is the whole answer, at the end of a stream or instead of one.
type outcome struct {
	Object     text            `json:"object"`
	Status     text            `json:"status"`
	Model      text            `json:"model"`
	Error      json.RawMessage `json:"error"`
	Output     []item          `json:"output"`
	Incomplete struct {
		Reason text `json:"reason"`
	} `json:"incomplete_details"`
	Usage struct {
		Input   int `json:"input_tokens"`
		Output  int `json:"output_tokens"`
		Details struct {
			Cached int `json:"cached_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
}

// parse reads JSON as far as its fields have the form that is expected; what has another one stays empty.
func parse(payload []byte, into any) error {
	err := json.Unmarshal(payload, into)
	if _, other := errors.AsType[*json.UnmarshalTypeError](err); other {
		return nil
	}
	return err
}

// response puts an answer together from its events and passes it on as it grows.
type response struct {
	call   *wire.Call
	origin string

	text, reasoning strings.Builder
	calls           placedCalls
	items           []kept
	heard           map[int]bool   // places in the output of what came in pieces
	phases          map[int]string // of messages, by their place
	speaking        int            // the place of the last message
	apart           bool           // what is thought next stands apart from what was thought before
	finish          llm.FinishReason
	usage           chat.Usage
	model           string
}

func newResponse(call *wire.Call, origin string) *response {
	return &response{call: call, origin: origin, calls: placedCalls{}, heard: map[int]bool{}, phases: map[int]string{}}
}

// read takes events until the stream ends; nil means in order.
func (r *response) read(next func() ([]byte, error)) error {
	for {
		payload, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var e event
		if parse(payload, &e) != nil {
			return r.call.Garbled("a piece of an answer that is not valid JSON")
		}
		if r.finish != "" {
			continue // the end is the end; what follows only lets the connection be used again
		}
		if err := r.take(e, payload); err != nil {
			return err
		}
	}
}

// take takes one event. Those that are not named here say nothing that others do not say.
func (r *response) take(e event, payload []byte) error {
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		r.say(e.Place, string(e.Delta))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		r.think(e.Place, string(e.Delta))
	case "response.reasoning_summary_part.added":
		r.apart = true
	case "response.output_item.added":
		r.begin(e.Place, e.Item)
	case "response.function_call_arguments.delta":
		r.calls.write(e.Place, string(e.Delta))
		r.calls.pass(e.Place, r.call.Sink())
	case "response.function_call_arguments.done":
		r.calls.settle(e.Place, string(e.Arguments))
		r.calls.pass(e.Place, r.call.Sink())
	case "response.output_item.done":
		r.end(e.Place, e.Item)
	case "response.completed", "response.incomplete", "response.failed":
		return r.close(strings.TrimPrefix(string(e.Type), "response."), e.Response)
	case "": // an answer that was not streamed
		return r.close("", payload)
	}
	return nil
}

func (r *response) say(place int, piece string) {
	if piece == "" {
		return
	}
	if last := len(r.items) - 1; last < 0 || r.items[last].Text == 0 || r.speaking != place {
		r.items = append(r.items, kept{Phase: r.phases[place]})
		if r.text.Len() > 0 {
			piece = between + piece
		}
	}
	r.heard[place] = true
	r.speaking = place
	r.items[len(r.items)-1].Text += len(piece)
	r.text.WriteString(piece)
	r.call.Sink().Text(piece)
}

func (r *response) think(place int, piece string) {
	if piece == "" {
		return
	}
	if r.apart && r.reasoning.Len() > 0 {
		piece = between + piece
	}
	r.apart = false
	r.heard[place] = true
	r.reasoning.WriteString(piece)
	r.call.Sink().Reasoning(piece)
}

// begin notes an item whose pieces follow.
func (r *response) begin(place int, it item) {
	switch it.Type {
	case "reasoning":
		r.apart = true
	case "message":
		r.phases[place] = string(it.Phase)
	case "function_call":
		if call, began := r.calls.begin(place, it); began {
			r.items = append(r.items, kept{Call: true})
			if call.name != "" {
				r.call.Sink().ToolCall(call.n, call.name)
			}
		}
		r.calls.pass(place, r.call.Sink())
	}
}

// end takes what an item has become: of a call all its arguments, of reasoning what is to be given back, and what was said or thought
// where no pieces of it came. Only here is what is encrypted whole.
func (r *response) end(place int, it item) {
	switch it.Type {
	case "message":
		r.phases[place] = string(it.Phase)
		if r.heard[place] {
			return
		}
		for _, part := range it.Content {
			r.say(place, string(part.Text+part.Refusal))
		}
	case "reasoning":
		parts := it.Summary
		if len(parts) == 0 {
			parts = it.Content
		}
		if !r.heard[place] {
			for _, part := range parts {
				r.apart = true
				r.think(place, string(part.Text))
			}
		}
		r.keep(it)
	case "function_call":
		r.begin(place, it)
		r.calls.settle(place, string(it.Arguments))
		r.calls.pass(place, r.call.Sink())
		r.calls.done(place)
	}
}

// keep keeps encrypted reasoning.
func (r *response) keep(it item) {
	if it.Encrypted == "" {
		return
	}
	k := kept{Encrypted: string(it.Encrypted)}
	for _, part := range it.Summary {
		k.Summary = append(k.Summary, summary{"summary_text", string(part.Text)})
	}
	r.items = append(r.items, k)
}

// close takes how the answer ended; state is "" for one that was not streamed.
func (r *response) close(state string, payload []byte) error {
	var done outcome
	if len(payload) > 0 && parse(payload, &done) != nil {
		return r.call.Garbled("an end that is not valid JSON")
	}
	if state == "" && done.Object != "response" {
		return nil // an event without a name
	}
	r.model = string(done.Model)
	r.usage = chat.Usage{PromptTokens: done.Usage.Input, CachedTokens: done.Usage.Details.Cached, CompletionTokens: done.Usage.Output}
	if len(r.items) == 0 && r.reasoning.Len() == 0 { // nothing came before: not streamed, or only its end
		for place, it := range done.Output {
			r.end(place, it)
		}
	}
	if state == "" || done.Status == "incomplete" || done.Status == "failed" {
		state = string(done.Status)
	}
	finish, err := r.ended(state, done)
	if err != nil {
		return err
	}
	for _, call := range r.calls.list() {
		if call.Name == "" {
			return r.call.Garbled("a tool call without a name")
		}
	}
	r.finish = finish
	r.call.Closing()
	return nil
}

// ended translates how an answer ended.
func (r *response) ended(state string, done outcome) (llm.FinishReason, error) {
	switch state {
	case "completed", "":
		if len(r.calls.all) > 0 {
			return llm.FinishToolCalls, nil
		}
		return llm.FinishStop, nil
	case "incomplete":
		if done.Incomplete.Reason == "content_filter" {
			return llm.FinishContentFilter, nil
		}
		return llm.FinishLength, nil // max_output_tokens
	case "failed":
		return "", r.failed(done.Error)
	default: // queued, in_progress, cancelled
		return "", r.call.Garbled("an answer that it did not finish")
	}
}

// failed makes the refusal of the error of an answer, which an event called error would have brought.
func (r *response) failed(why json.RawMessage) error {
	if len(why) == 0 || string(why) == "null" {
		return r.call.Garbled("an answer that it marked as failed")
	}
	return refuse(r.call, append(append([]byte(`{"error":`), why...), '}'))
}

// answer returns what was put together; its finish is empty while the end is missing.
func (r *response) answer() llm.Answer {
	out := llm.Answer{
		Text: r.text.String(), Reasoning: r.reasoning.String(), ToolCalls: r.calls.list(), Finish: r.finish, Usage: r.usage, Model: r.model,
	}
	if r.finish != "" {
		out.Opaque = opaque{r.origin, r.items}.encode()
	}
	return out
}
