package openai

import (
	"cmp"
	"strings"

	"xbot/internal/llm"
)

// placedCalls assembles the tool calls of the Responses API from their pieces, which name a call by its place in the output.
type placedCalls struct {
	all []*placedCall
	at  map[int]*placedCall // the last one of a place
}

type placedCall struct {
	n         int // how many calls began before it
	id, name  string
	arguments arguments
	done      bool
}

// begin notes a call; began is false where it was known.
func (c *placedCalls) begin(place int, it item) (call *placedCall, began bool) {
	if c.at == nil {
		c.at = map[int]*placedCall{}
	}
	id := string(it.CallID)
	if known := c.find(place, id); known != nil {
		known.id, c.at[place] = cmp.Or(known.id, id), known
		return known, false
	}
	call = &placedCall{n: len(c.all), id: id, name: strings.TrimSpace(string(it.Name))}
	call.arguments.add(string(it.Arguments))
	c.all, c.at[place] = append(c.all, call), call
	return call, true
}

// find returns the call that is still being written, by its id or else by its place. By the book a place has one call; services that
// do not count give all of them the same.
func (c *placedCalls) find(place int, id string) *placedCall {
	for _, call := range c.all {
		if !call.done && id != "" && call.id == id {
			return call
		}
	}
	if call := c.at[place]; call != nil && !call.done && (id == "" || call.id == "") {
		return call
	}
	return nil
}

// write adds a piece of the arguments.
func (c *placedCalls) write(place int, piece string) {
	if call := c.at[place]; call != nil && !call.done {
		call.arguments.add(piece)
	}
}

// settle takes all the arguments, where they are told.
func (c *placedCalls) settle(place int, arguments string) {
	if call := c.at[place]; call != nil && !call.done && arguments != "" {
		call.arguments.settle(arguments)
	}
}

// pass passes on what is new of the arguments of a call.
func (c *placedCalls) pass(place int, to llm.Sink) {
	if call := c.at[place]; call != nil && call.name != "" {
		call.arguments.pass(to, call.n)
	}
}

// done notes that a call is whole.
func (c *placedCalls) done(place int) { c.at[place].done = true }

// list returns the calls in the order in which they began.
func (c *placedCalls) list() []llm.ToolCall {
	var list []llm.ToolCall
	for _, call := range c.all {
		list = append(list, llm.ToolCall{ID: call.id, Name: call.name, Arguments: call.arguments.String()})
	}
	return list
}
