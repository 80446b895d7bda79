package openai

import (
	"cmp"
	"encoding/json"
	"strings"

	"xbot/internal/llm"
)

// placedCalls assembles the tool calls of the Responses API from their pieces, which name a call by the id of its item, and by its place in
// the output.
type placedCalls struct {
	all []*placedCall
	at  map[int]*placedCall // the last one of a place
}

type placedCall struct {
	n         int // how many calls began before it
	item      string
	id, name  string
	arguments arguments
	other     fields // what the service added
	done      bool
	announced bool // the sink knows that the model writes it
}

// begin notes a call; began is false where it was known.
func (c *placedCalls) begin(place int, it item) (call *placedCall, began bool) {
	if c.at == nil {
		c.at = map[int]*placedCall{}
	}
	id, name := it.CallID.String(), strings.TrimSpace(it.Name.String())
	if known := c.find(place, id, it.ID.String()); known != nil {
		known.id, known.item, known.name, c.at[place] = cmp.Or(known.id, id), cmp.Or(known.item, it.ID.String()), cmp.Or(known.name, name), known
		return known, false
	}
	if len(c.all) > maxCalls {
		return c.all[maxCalls], false // close refuses them all
	}
	call = &placedCall{n: len(c.all), item: it.ID.String(), id: id, name: name, other: fields{}}
	call.arguments.add(string(it.Arguments))
	c.all, c.at[place] = append(c.all, call), call
	return call, true
}

// find returns the call that is still being written, by its id or else by its place. By the book a place has one call; services that
// do not count give all of them the same.
func (c *placedCalls) find(place int, id, item string) *placedCall {
	for _, call := range c.all {
		if !call.done && (id != "" && call.id == id || id == "" && item != "" && call.item == item) {
			return call
		}
	}
	if call := c.at[place]; call != nil && !call.done && (id == "" || call.id == "") {
		return call
	}
	return nil
}

// of returns the call that a piece of arguments belongs to: that of the item, else that of the place. A piece of an item that never began
// begins it (BerriAI/litellm#22102).
func (c *placedCalls) of(place int, item string) *placedCall {
	for _, call := range c.all {
		if item != "" && call.item == item {
			return call
		}
	}
	return c.at[place]
}

// knows reports whether a call of an answer has come before.
func (c *placedCalls) knows(it item) bool {
	for _, call := range c.all {
		if id := it.CallID.String(); id != "" && call.id == id {
			return true
		}
	}
	return false
}

// whole reports whether all calls have names, and arguments that are JSON.
func (c *placedCalls) whole() bool {
	for _, call := range c.all {
		if arguments := strings.TrimSpace(call.arguments.String()); call.name == "" || arguments != "" && !json.Valid([]byte(arguments)) {
			return false
		}
	}
	return true
}

// write adds a piece of the arguments.
func (c *placedCall) write(piece string) {
	if c != nil && !c.done {
		c.arguments.add(piece)
	}
}

// settle takes the complete arguments, if there are any.
func (c *placedCall) settle(arguments string) {
	if c != nil && !c.done && strings.TrimSpace(arguments) != "" {
		c.arguments.settle(arguments)
	}
}

// pass passes on what is new of a call.
func (c *placedCall) pass(to llm.Sink) {
	if c == nil || c.name == "" {
		return
	}
	if !c.announced {
		c.announced = true
		to.ToolCall(c.n, c.name)
	}
	c.arguments.pass(to, c.n)
}

// end ends all calls.
func (c *placedCalls) end(to llm.Sink) {
	for _, call := range c.all {
		call.arguments.end()
		call.pass(to)
	}
}

// list returns the calls in the order in which they began.
func (c *placedCalls) list() []llm.ToolCall {
	var list []llm.ToolCall
	for _, call := range c.all {
		list = append(list, llm.ToolCall{ID: call.id, Name: call.name, Arguments: call.arguments.String()})
	}
	return list
}
