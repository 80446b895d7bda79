package turn

import (
	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/prompt"
)

// clientTools are the tools of the program whose message the turn answers, by the names under which the model knows them.
type clientTools struct {
	names  map[string]string // the program's name of each
	single bool
}

// offered returns the tools of a request: xbot's own and behind them those of the program, or those of the program alone where the model has to
// call one. The model knows a tool of the program whose name is taken by one of xbot's own under a longer name.
func (a *attempt) offered(client llm.Client) []llm.Tool {
	own := prompt.Request("", nil, a.tools.Shown()).Tools
	ask := llm.ClientAskOf(client)
	if ask == nil || len(ask.Tools) == 0 {
		return own
	}
	a.client = clientTools{names: map[string]string{}, single: ask.Single}
	if ask.Forced {
		own = nil
	}
	out := append([]llm.Tool{}, own...)
	for _, t := range ask.Tools {
		name := t.Name
		if _, taken := a.tools.Get(name); taken {
			name = "client_" + name
		}
		a.client.names[name] = t.Name
		out = append(out, llm.Tool{Name: name, Description: t.Description, Parameters: t.Parameters, Strict: t.Strict})
	}
	return out
}

// call returns a call of a tool of the program as it is kept; false: it is of one of xbot's own. Neither rules nor hooks are asked: xbot does
// not run it.
func (c clientTools) call(id chat.CallID, asked llm.ToolCall) (chat.ToolCall, bool) {
	name, is := c.names[asked.Name]
	if !is {
		return chat.ToolCall{}, false
	}
	return chat.ToolCall{
		ID: id, ProviderID: activities.Clean(asked.ID), Name: name, Arguments: activities.Clean(asked.Arguments),
		Class: chat.ClassClient, State: chat.CallOpen, Rule: chat.RuleAllow,
	}, true
}

// drops reports whether a call is left out since the program wants one call of its tools at a time.
func (c clientTools) drops(calls []chat.ToolCall, asked llm.ToolCall) bool {
	if _, is := c.names[asked.Name]; !is || !c.single {
		return false
	}
	for _, known := range calls {
		if known.Class == chat.ClassClient {
			return true
		}
	}
	return false
}
