package turn

import (
	"context"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/turn/prompt"
)

// clientTools are the tools of the program whose message the turn answers.
type clientTools struct {
	names  map[string]bool // by which the model knows them
	single bool
}

// offered returns the tools of a request: xbot's own and behind them those of the program, or those of the program alone where the model has to
// call one. The model knows a tool of the program whose name is taken by one of xbot's own under an alias.
func (a *attempt) offered(client llm.Client) []llm.Tool {
	own := prompt.Request("", nil, a.tools.Shown()).Tools
	ask := llm.ClientAskOf(client)
	if ask == nil || len(ask.Tools) == 0 {
		return own
	}
	a.client = clientTools{names: map[string]bool{}, single: ask.Single}
	if ask.Forced {
		own = nil
	}
	out := append([]llm.Tool{}, own...)
	for i, name := range ask.ModelNames(a.tools.Has) {
		t := ask.Tools[i]
		a.client.names[name] = true
		out = append(out, llm.Tool{Name: name, Description: t.Description, Parameters: t.Parameters, Strict: t.Strict})
	}
	return out
}

// asking is the client of a turn that answers a message of a program: its calls ask for what the program asks.
type asking struct {
	llm.Client
	ask *chat.ClientAsk
}

func askingFor(client llm.Client) llm.Client {
	if ask := llm.ClientAskOf(client); ask != nil {
		return asking{client, ask}
	}
	return client
}

// Generate makes a call.
func (a asking) Generate(ctx context.Context, req llm.Request, sink llm.Sink) (llm.Answer, error) {
	req.Forced, req.Single, req.Format = a.ask.Forced && len(a.ask.Tools) > 0, a.ask.Single, a.ask.Format
	return a.Client.Generate(ctx, req, sink)
}

// call returns a call of a tool of the program as it is kept. It returns false for a tool of xbot. Neither rules nor hooks are asked: xbot does
// not run it.
func (c clientTools) call(id chat.CallID, asked llm.ToolCall) (chat.ToolCall, bool) {
	if !c.names[asked.Name] {
		return chat.ToolCall{}, false
	}
	return chat.ToolCall{
		ID: id, ProviderID: activities.Clean(asked.ID), Name: asked.Name, Arguments: activities.Clean(asked.Arguments),
		Class: chat.ClassClient, State: chat.CallOpen, Rule: chat.RuleAllow,
	}, true
}

// drops reports whether a call is left out since the program wants one call of its tools at a time.
func (c clientTools) drops(calls []chat.ToolCall, asked llm.ToolCall) bool {
	if !c.single || !c.names[asked.Name] {
		return false
	}
	for _, known := range calls {
		if known.Class == chat.ClassClient {
			return true
		}
	}
	return false
}
