package openai

import (
	"encoding/json"
	"strings"

	"xbot/internal/llm"
)

// calls assembles tool calls from their pieces. By the book a piece names its call by index, and id and name come
// once, in the first piece. Providers leave out the index, give each call index 0, repeat ids from call to call, repeat
// id and name in every piece, send empty ids, or send each call whole; none of that may merge two calls or split one.
type calls struct{ open []*openCall }

type openCall struct {
	n         int // how many calls began before it
	index     int // -1 when the provider sends none
	id, name  string
	arguments arguments
}

// add takes a piece and returns the call that it is of; nil: of none. Began says that the name of the call is known now. A whole piece is a
// call of its own.
func (c *calls) add(p callPart, whole bool) (call *openCall, began bool) {
	if p.ID == "" && p.Function == (callText{}) {
		return nil, false // some end with a piece of nothing
	}
	call = c.find(p)
	if call == nil || whole {
		call = &openCall{n: len(c.open), index: -1}
		if p.Index != nil {
			call.index = *p.Index
		}
		c.open = append(c.open, call)
	}
	if call.id == "" {
		call.id = string(p.ID)
	}
	if call.name == "" {
		call.name = strings.TrimSpace(string(p.Function.Name))
		began = call.name != ""
	}
	call.arguments.add(string(p.Function.Arguments))
	return call, began
}

// find returns the call that a piece continues, nil when it begins one.
func (c *calls) find(p callPart) *openCall {
	var last *openCall
	for i := len(c.open) - 1; i >= 0 && last == nil; i-- {
		if p.Index == nil || c.open[i].index == *p.Index {
			last = c.open[i]
		}
	}
	if last == nil || p.Function.Name == "" {
		return last // a piece without a name begins nothing, whatever its id
	}
	switch {
	case p.ID != "" && last.id != "" && string(p.ID) != last.id:
		return nil // another id with a name of its own
	case last.name != "" && p.Function.Arguments != "" && last.complete():
		return nil // the last call has all its arguments, and here is a name with more
	case p.Index == nil && last.name != "" && p.ID == "" && strings.TrimSpace(string(p.Function.Name)) != last.name:
		return nil // neither index nor id, but another name
	default:
		return last
	}
}

// complete reports whether the arguments are whole, so that more of them would be another call's.
func (o *openCall) complete() bool {
	arguments := strings.TrimSpace(o.arguments.String())
	return strings.HasSuffix(arguments, "}") && json.Valid([]byte(arguments))
}

// all returns the calls in the order in which they began.
func (c *calls) all() []llm.ToolCall {
	var all []llm.ToolCall
	for _, call := range c.open {
		all = append(all, llm.ToolCall{ID: call.id, Name: call.name, Arguments: call.arguments.String()})
	}
	return all
}
