package openai

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// event holds the fields of a Responses API event that the adapter reads (types/responses/response_stream_event of openai-python). The SDK's type
// fails on fields of other types.
type event struct {
	Type      wire.Word       `json:"type"`
	Object    wire.Word       `json:"object"`
	Place     wire.Count      `json:"output_index"`
	ItemID    wire.Word       `json:"item_id"`
	Delta     wire.Text       `json:"delta"`
	Text      wire.Text       `json:"text"`
	Refusal   wire.Text       `json:"refusal"`
	CallID    wire.Text       `json:"call_id"`
	Name      wire.Text       `json:"name"`
	Arguments wire.Text       `json:"arguments"`
	Item      item            `json:"item"`
	Response  json.RawMessage `json:"response"`
}

// item is one output item: a message, reasoning, a call, or an item of an unknown type.
type item struct {
	Type      wire.Word           `json:"type"`
	ID        wire.Text           `json:"id"`
	CallID    wire.Text           `json:"call_id"`
	Name      wire.Text           `json:"name"`
	Arguments wire.Text           `json:"arguments"`
	Phase     wire.Word           `json:"phase"`
	Content   wire.List[itemPart] `json:"content"`
	Summary   wire.List[itemPart] `json:"summary"`
	Encrypted wire.Text           `json:"encrypted_content"`

	other fields
}

// itemFields lists the fields that are not state of the service: those that the adapter reads, and those that it does not want back.
var itemFields = []string{"type", "id", "call_id", "name", "arguments", "phase", "content", "summary", "encrypted_content", "status", "role", "created_by"}

// UnmarshalJSON accepts any JSON.
func (it *item) UnmarshalJSON(data []byte) error {
	type plain item
	_ = wire.Parse(data, (*plain)(it)) // what cannot be read stays empty
	if it.Type == "reasoning" || it.Type == "function_call" {
		it.other = otherFields(data, itemFields)
	}
	return nil
}

type itemPart struct {
	Text    wire.Text `json:"text"`
	Refusal wire.Text `json:"refusal"`
}

// joinParts returns the text of all parts.
func joinParts(parts []itemPart, separator string) string {
	var texts []string
	for _, part := range parts {
		if text := string(part.Text + part.Refusal); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, separator)
}

// outcome is the whole answer, at the end of a stream or instead of one.
type outcome struct {
	Object     wire.Word       `json:"object"`
	Status     wire.Word       `json:"status"`
	Model      wire.Word       `json:"model"`
	Error      json.RawMessage `json:"error"`
	Output     wire.List[item] `json:"output"`
	Incomplete struct {
		Reason wire.Word `json:"reason"`
	} `json:"incomplete_details"`
	Usage *usage `json:"usage"`
}

// response builds an answer from its events and streams it to the sink.
type response struct {
	call   *wire.Call
	origin string

	text, reasoning strings.Builder
	seams           struct{ said, thought wire.Seam }
	calls           placedCalls
	items           []storedItem
	newest          newestMessage
	heard           map[source]int // what came in pieces, and where it begins in the text or in the reasoning
	open            map[int]bool   // places of items that have begun and not ended
	phases          map[int]string // of messages, by their place
	apart           bool           // the next thinking is separated from the thinking before
	finish          llm.FinishReason
	usage           chat.Usage
	model           string
}

func newResponse(call *wire.Call, origin string) *response {
	return &response{call: call, origin: origin, calls: placedCalls{}, heard: map[source]int{}, open: map[int]bool{}, phases: map[int]string{}}
}

// read reads events until the stream ends. It returns nil for a complete stream.
func (r *response) read(events *wire.Events) error {
	for {
		got, err := events.Next()
		if errors.Is(err, io.EOF) {
			r.mark(events.Marked())
			return nil
		}
		if err != nil {
			return err
		}
		if r.finish != "" {
			continue // events after the end are read only so that the connection can be used again
		}
		if isError(got) {
			return refuse(r.call, got.Data)
		}
		var e event
		if wire.Parse(got.Data, &e) != nil {
			return r.call.Garbled("a piece of an answer that is not valid JSON")
		}
		if e.Type == "" && e.Object == "" {
			e.Type = wire.Word(got.Name)
		}
		if err := r.take(e, got.Data); err != nil {
			return err
		}
	}
}

// mark handles the end of the stream. If the provider marked the end and all items are complete, only the event "completed" is missing.
func (r *response) mark(marked bool) {
	r.settle()
	whole := len(r.open) == 0 && r.calls.whole() && len(r.calls.all) <= maxCalls
	if marked && r.finish == "" && whole && (r.text.Len() > 0 || len(r.calls.all) > 0) {
		r.finish, _ = r.ended("completed", outcome{}) // no error
	}
}

// settle flushes the text that was held back as a possible beginning of a mark.
func (r *response) settle() {
	r.endMessage()
	if rest := r.seams.thought.Rest(); rest != "" {
		r.reasoning.WriteString(rest)
		r.call.Sink().Reasoning(rest)
	}
	r.calls.end(r.call.Sink())
}

// take handles one event. Events that are not listed repeat the content of others.
func (r *response) take(e event, payload []byte) error {
	place, id := int(e.Place), string(e.ItemID)
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		r.say(place, id, string(e.Delta))
	case "response.output_text.done", "response.refusal.done":
		if whole := string(e.Text + e.Refusal); !r.came(source{place: place, id: id}, r.text.String(), whole) {
			r.say(place, id, whole)
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta", "response.reasoning_summary.delta", "response.reasoning.delta":
		r.think(place, id, string(e.Delta))
	case "response.reasoning_summary_part.added":
		r.apart = true
	case "response.output_item.added":
		r.open[place] = true
		r.begin(place, e.Item)
	case "response.function_call_arguments.delta":
		call := r.writing(e)
		call.write(string(e.Delta))
		call.pass(r.call.Sink())
	case "response.function_call_arguments.done":
		call := r.writing(e)
		call.settle(string(e.Arguments))
		call.pass(r.call.Sink())
	case "response.output_item.done":
		delete(r.open, place)
		r.end(place, e.Item)
	case "response.completed", "response.incomplete", "response.failed", "response.done", "response.cancelled":
		return r.close(strings.TrimPrefix(string(e.Type), "response."), e.Response)
	case "": // an answer that was not streamed
		return r.close("", payload)
	}
	return nil
}

// writing returns the call of an arguments event. It begins a call without a start event if the event has an id or a name.
func (r *response) writing(e event) *placedCall {
	call := r.calls.of(int(e.Place), string(e.ItemID))
	if call == nil && e.Arguments+e.Delta != "" && (e.CallID+e.Name != "" || e.ItemID != "") {
		r.begin(int(e.Place), item{Type: "function_call", ID: wire.Text(e.ItemID), CallID: e.CallID, Name: e.Name})
		call = r.calls.of(int(e.Place), string(e.ItemID))
	}
	return call
}

// source is an item of which pieces came: its place in the output, its id, or both.
type source struct {
	thought bool
	place   int
	id      string
}

// recordPiece records that a piece of an item follows what came before.
func (r *response) recordPiece(item source, before string) {
	r.heard[source{item.thought, item.place, ""}] = len(before)
	if _, known := r.heard[source{item.thought, 0, item.id}]; !known && item.id != "" {
		r.heard[source{item.thought, 0, item.id}] = len(before)
	}
}

// came reports whether all of an item came in pieces. Its place decides. Some services count wrongly at its end (theopenco/llmgateway#2908):
// then its id decides, if its pieces begin with the whole.
func (r *response) came(item source, all, whole string) bool {
	if _, known := r.heard[source{item.thought, item.place, ""}]; known || item.id == "" {
		return known
	}
	from, known := r.heard[source{item.thought, 0, item.id}]
	return known && strings.HasPrefix(strings.TrimPrefix(all[from:], between), whole)
}

// newestMessage is the last message of the text, or one that follows it and repeats it so far.
type newestMessage struct {
	place   int  // in the output
	from    int  // where the last message begins in the text
	repeats bool // it is not part of the text yet
	same    int  // how many bytes it repeats
}

// say adds a piece of a message. A message that repeats the one before it waits until it differs: some answers have their message twice
// (pipecat-ai/pipecat#4852, agentjido/req_llm#618).
func (r *response) say(place int, id, piece string) {
	if piece == "" {
		return
	}
	r.recordPiece(source{place: place, id: id}, r.text.String())
	m, last := &r.newest, len(r.items)-1
	if goesOn := m.repeats || last >= 0 && r.items[last].Text > 0; !goesOn || m.place != place {
		r.endMessage()
		m.place, m.repeats, m.same = place, true, 0
	}
	piece = r.seams.said.Join(piece)
	switch {
	case !m.repeats:
		r.keepText(piece)
	case strings.HasPrefix(r.text.String()[m.from+m.same:], piece):
		m.same += len(piece)
	default:
		r.addMessage(piece)
	}
}

// addMessage adds the message that repeats the last one no longer, with its next piece.
func (r *response) addMessage(piece string) {
	m := &r.newest
	text := r.text.String()[m.from:][:m.same] + piece
	r.items = append(r.items, storedItem{Phase: r.phases[m.place], place: m.place})
	if r.text.Len() > 0 {
		r.keepText(between)
	}
	m.from, m.repeats = r.text.Len(), false
	r.keepText(text)
}

// endMessage ends the newest message. One that repeats all of the last one is dropped, if that is too long for chance.
func (r *response) endMessage() {
	m, rest := &r.newest, r.seams.said.Rest()
	switch {
	case !m.repeats:
		r.keepText(rest)
	case rest == "" && m.from+m.same == r.text.Len() && m.same >= certainByThree:
		m.repeats = false
	default:
		r.addMessage(rest)
	}
}

// keepText appends to the text of the last item.
func (r *response) keepText(text string) {
	if text == "" {
		return
	}
	r.items[len(r.items)-1].Text += len(text)
	r.text.WriteString(text)
	r.call.Sink().Text(text)
}

func (r *response) think(place int, id, piece string) {
	if piece == "" {
		return
	}
	r.recordPiece(source{true, place, id}, r.reasoning.String())
	if r.apart && r.reasoning.Len() > 0 {
		piece = between + piece
	}
	r.apart = false
	if piece = r.seams.thought.Join(piece); piece != "" {
		r.reasoning.WriteString(piece)
		r.call.Sink().Reasoning(piece)
	}
}

// begin records an item whose pieces follow.
func (r *response) begin(place int, it item) {
	switch it.Type {
	case "reasoning":
		r.apart = true
	case "message":
		r.phases[place] = string(it.Phase)
	case "function_call":
		call, began := r.calls.begin(place, it)
		if began {
			r.endMessage()
			r.items = append(r.items, storedItem{Call: true, Other: call.other, place: place})
		}
		maps.Copy(call.other, it.other)
		call.pass(r.call.Sink())
	}
}

// end handles a completed item: all arguments of a call, the reasoning to send back, and text or thoughts
// that no piece contained. Encrypted content is complete only here.
func (r *response) end(place int, it item) {
	id := it.ID.String()
	switch it.Type {
	case "message":
		r.phases[place] = string(it.Phase)
		if whole := joinParts(it.Content, ""); !r.came(source{place: place, id: id}, r.text.String(), whole) {
			r.say(place, id, whole)
		}
		r.endMessage()
	case "reasoning":
		parts := it.Summary
		if len(parts) == 0 {
			parts = it.Content
		}
		if whole := joinParts(parts, between); whole != "" && !r.came(source{true, place, id}, r.reasoning.String(), whole) {
			r.apart = true
			r.think(place, id, whole)
		}
		r.keep(place, it)
	case "function_call":
		r.begin(place, it)
		call := r.calls.at[place]
		if call == nil {
			return // one too many
		}
		call.settle(string(it.Arguments))
		call.arguments.end()
		call.pass(r.call.Sink())
		call.done = true
	}
}

// keep stores reasoning to send back: encrypted content, or unknown fields together with the content. It is placed before what follows it in the
// output: some services end it after its call (earendil-works/pi#6009).
func (r *response) keep(place int, it item) {
	if it.Encrypted == "" && len(it.other) == 0 {
		return
	}
	k := storedItem{Encrypted: it.Encrypted.String(), Other: it.other, place: place}
	for _, part := range it.Summary {
		k.Summary = append(k.Summary, summary{"summary_text", part.Text.String()})
	}
	if len(it.other) > 0 && len(it.Content) > 0 {
		var content []summary
		for _, part := range it.Content {
			content = append(content, summary{"reasoning_text", part.Text.String()})
		}
		k.Other["content"] = encode(content)
	}
	r.endMessage()
	at := len(r.items)
	for at > max(0, len(r.items)-maxCalls) && r.items[at-1].place > place {
		at--
	}
	r.items = slices.Insert(r.items, at, k)
}

// close handles the end of the answer. state is "" for an answer that was not streamed.
func (r *response) close(state string, payload []byte) error {
	var done outcome
	if len(payload) > 0 && wire.Parse(payload, &done) != nil {
		return r.call.Garbled("an end that is not valid JSON")
	}
	if state == "" && done.Object != "response" {
		return nil // an event without a name
	}
	r.model = string(done.Model)
	done.Usage.add(&r.usage)
	r.reconcile(done.Output)
	r.settle()
	if state == "" || state == "done" || done.Status == "incomplete" || done.Status == "failed" {
		state = string(done.Status)
	}
	finish, err := r.ended(state, done)
	if err != nil {
		return err
	}
	if len(r.calls.all) > maxCalls {
		return r.call.Garbled("more tool calls than an answer can have")
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

// reconcile adds the parts of the whole answer that no earlier event contained: all of it for an answer that was not streamed.
func (r *response) reconcile(output []item) {
	nothing := len(r.items) == 0 && r.reasoning.Len() == 0
	silent := r.text.Len() == 0
	for place, it := range output {
		missing := it.Type == "message" && silent || it.Type == "function_call" && it.CallID != "" && !r.calls.knows(it)
		switch {
		case nothing:
			r.end(place, it)
		case missing:
			r.end(-1-place, it) // earlier events may have used other indexes
		}
	}
}

// ended maps the status of an answer to a finish reason.
func (r *response) ended(state string, done outcome) (llm.FinishReason, error) {
	switch state {
	case "completed", "done", "":
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

// failed returns the error for a failed answer, as for an event of type error.
func (r *response) failed(why json.RawMessage) error {
	if len(why) == 0 || string(why) == "null" {
		return r.call.Garbled("an answer that it marked as failed")
	}
	return refuseWith(r.call, why)
}

// answer returns the assembled answer. Its finish reason is empty if the end is missing.
func (r *response) answer() llm.Answer {
	out := llm.Answer{
		Text: r.text.String(), Reasoning: r.reasoning.String(), ToolCalls: r.calls.list(), Finish: r.finish, Usage: r.usage, Model: r.model,
	}
	if r.finish != "" {
		out.Opaque = opaque{r.origin, r.items}.encode()
	}
	return out
}
