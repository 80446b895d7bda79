package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// calls assembles tool calls from their pieces. By the specification a piece names its call by index, and id and name come
// once, in the first piece. Providers leave out the index, give each call index 0, count wrongly, repeat ids from call to call, repeat
// id and name in every piece, cut the name, send empty ids, send each call whole, or send a call once more at the end; none of that may merge two
// calls or split one.
type calls struct {
	tools []llm.Tool // that the model can call
	open  []*openCall
}

// maxCalls bounds the calls of one answer.
const maxCalls = 1000

type openCall struct {
	n         int // how many calls began before it
	index     int // -1 when the provider sends none
	id, name  string
	arguments arguments
	state     fieldCollector
	announced bool // the sink has the name, which stays
}

// add adds a piece.
func (c *calls) add(p callPart) {
	if p.ID == "" && p.Function == (callText{}) && len(p.state) == 0 {
		return // some providers end with an empty piece
	}
	call := c.find(p)
	if call == nil && len(c.open) > maxCalls {
		return // check refuses them all
	}
	if call == nil {
		call = &openCall{n: len(c.open), index: -1}
		c.open = append(c.open, call)
	}
	if p.Index != nil && (call.index < 0 || p.name() == "") {
		call.index = int(*p.Index) // where they disagree, the pieces that follow count like this one
	}
	call.id = cmp.Or(call.id, p.ID.String())
	if !call.announced {
		call.name = longerName(call.name, p.name())
	}
	call.state.add(p.state)
	if !call.repeats(string(p.Function.Arguments)) {
		call.arguments.add(string(p.Function.Arguments))
	}
}

// longerName returns a name with the piece that follows it, which may have all of it once more.
func longerName(name, piece string) string {
	if strings.HasPrefix(piece, name) {
		return piece
	}
	return name + piece
}

// addWhole adds a call of an answer that was not streamed.
func (c *calls) addWhole(p callPart) {
	call := &openCall{n: len(c.open), index: -1, id: p.ID.String(), name: p.name()}
	call.state.add(p.state)
	call.arguments.add(string(p.Function.Arguments))
	c.open = append(c.open, call)
}

// find returns the call that a piece continues, nil when it begins one. A known id decides first, then the index, then that a call is the
// newest.
func (c *calls) find(p callPart) *openCall {
	id, name := p.ID.String(), p.name()
	same, place, newest := c.candidates(id, p.Index)
	if name == "" { // a piece without a name begins a call only at a new index
		if same == nil && id != "" && p.Index != nil {
			return place
		}
		return cmp.Or(same, place, newest)
	}
	last := cmp.Or(same, place)
	if last == nil && p.Index == nil {
		last = newest
	}
	switch {
	case last == nil:
		return nil
	case id != "" && last.id != "" && id != last.id:
		return nil // another id with another name
	case last.name != "" && p.Function.Arguments != "" && last.complete() && (last != same || !last.repeats(string(p.Function.Arguments))):
		return nil // the last call has all its arguments, and here is a name with more
	case last.name != "" && name != last.name && (p.Index == nil && id == "" || p.Index != nil && int(*p.Index) != last.index):
		return nil // another name, and neither id nor index match
	case last == same && p.Index != nil && int(*p.Index) != last.index && last.arguments.String() != "":
		return nil // an id that is repeated from call to call
	}
	return last
}

// candidates returns the newest call with an id, that with an index, and the newest of all.
func (c *calls) candidates(id string, index *wire.Count) (same, place, newest *openCall) {
	for _, call := range slices.Backward(c.open) {
		here := index != nil && call.index == int(*index)
		if place == nil && here {
			place = call
		}
		if id != "" && call.id == id && (same == nil || here && same.index != call.index) {
			same = call
		}
		if newest == nil {
			newest = call
		}
	}
	return same, place, newest
}

// complete reports whether the arguments are whole, so that more of them would be another call's.
func (o *openCall) complete() bool {
	arguments := strings.TrimSpace(o.arguments.String())
	return strings.HasSuffix(arguments, "}") && json.Valid([]byte(arguments))
}

// repeats reports whether a piece is all the arguments once more, which some send at the end (vllm-project/vllm#42167).
func (o *openCall) repeats(piece string) bool {
	return len(piece) > 2 && strings.TrimSpace(piece) == strings.TrimSpace(o.arguments.String()) && o.complete()
}

// pass sends to the sink what is new. The newest call waits while its name may continue (ankit373/hydra#957).
func (c *calls) pass(to llm.Sink) {
	for n, call := range c.open {
		if call.announced || n < len(c.open)-1 || !c.isCut(call.name) {
			call.pass(to)
		}
	}
}

// isCut reports whether a name is only the beginning of a tool's.
func (c *calls) isCut(name string) bool {
	cut := false
	for _, tool := range c.tools {
		if tool.Name == name {
			return false
		}
		cut = cut || strings.HasPrefix(tool.Name, name)
	}
	return cut
}

// pass sends to the sink what is new of a call.
func (o *openCall) pass(to llm.Sink) {
	if o.name == "" {
		return
	}
	if !o.announced {
		o.announced = true
		to.ToolCall(o.n, o.name)
	}
	o.arguments.pass(to, o.n)
}

// settle completes the arguments of all calls, and sends to the sink what is new.
func (c *calls) settle(to llm.Sink) {
	for _, call := range c.open {
		call.arguments.end()
		call.pass(to)
	}
}

// drop removes calls that have nothing but an id.
func (c *calls) drop() {
	kept := c.open[:0]
	for _, call := range c.open {
		if call.name != "" || strings.TrimSpace(call.arguments.String()) != "" {
			kept = append(kept, call)
		}
	}
	c.open = kept
}

// whole reports whether all calls have names and arguments that are JSON.
func (c *calls) whole() bool {
	for _, call := range c.open {
		if arguments := strings.TrimSpace(call.arguments.String()); call.name == "" || arguments != "" && !json.Valid([]byte(arguments)) {
			return false
		}
	}
	return true
}

// all returns the calls in the order in which they began, with the state of each.
func (c *calls) all() (all []llm.ToolCall, states []fields) {
	for _, call := range c.open {
		all = append(all, llm.ToolCall{ID: call.id, Name: call.name, Arguments: call.arguments.String()})
		states = append(states, call.state.whole())
	}
	return all, states
}
