package agent

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

// Bounds of what inspect shows.
const (
	defaultTail = 5
	maxTail     = 50
)

// find returns the subagent that a call names: of those without an instance the newest of the role.
func (h handler) find(ctx context.Context, call tool.Call, p params) (chat.Subagent, error) {
	all, err := h.store.DirectSubagents(ctx, call.Session)
	if err != nil {
		return chat.Subagent{}, err
	}
	for _, a := range all {
		if strings.EqualFold(a.Role, p.Role) && strings.EqualFold(a.Instance, p.Instance) {
			return a, nil
		}
	}
	return chat.Subagent{}, fault.Errorf(fault.NotFound, "you have no agent %q: see action list", tool.Cut(name(p), 90))
}

func (h handler) list(ctx context.Context, call tool.Call) (chat.ToolResult, error) {
	all, err := h.store.DirectSubagents(ctx, call.Session)
	if err != nil {
		return chat.ToolResult{}, err
	}
	if len(all) == 0 {
		return tool.Text("You have handed out no work in this conversation."), nil
	}
	lines := make([]string, len(all))
	for i, a := range all {
		lines[i] = Line(a)
	}
	return tool.Text(strings.Join(lines, "\n")), nil
}

// Line describes a subagent on one line.
func Line(a chat.Subagent) string {
	text := fmt.Sprintf("%s · %s", a.Name(), a.State)
	if a.Tool != "" {
		text += " · " + a.Tool
	}
	if a.Waiting {
		text += " · waits for a person's permission"
	}
	text += fmt.Sprintf(" · %d steps · %d tokens", a.Steps, a.Tokens)
	if a.Task != "" {
		text += " · " + a.Task
	}
	return text
}

func (h handler) inspect(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	a, err := h.find(ctx, call, p)
	if err != nil {
		return chat.ToolResult{}, err
	}
	n := p.Tail
	if n <= 0 {
		n = defaultTail
	}
	messages, err := h.store.LastMessages(ctx, a.Session, min(n, maxTail))
	if err != nil {
		return chat.ToolResult{}, err
	}
	var b strings.Builder
	b.WriteString(Line(a))
	for _, m := range messages {
		fmt.Fprintf(&b, "\n\n[%s]", m.Role)
		if m.Content != "" {
			b.WriteString("\n" + m.Content)
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "\n- %s %s: %s", c.Name, c.Summary, c.State)
		}
	}
	return tool.Text(b.String()), nil
}

func (h handler) interrupt(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	a, err := h.find(ctx, call, p)
	if err != nil {
		return chat.ToolResult{}, err
	}
	ran, err := h.store.StopSubagent(ctx, a.Session, "stop "+string(call.ID))
	if err != nil {
		return chat.ToolResult{}, err
	}
	if !ran {
		return tool.Text(a.Name() + " was not running: there is nothing to interrupt."), nil
	}
	return tool.Text(a.Name() + " is being stopped; what it has done so far comes to whoever asked for it."), nil
}

func (h handler) unload(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	a, err := h.find(ctx, call, p)
	if err != nil {
		return chat.ToolResult{}, err
	}
	unloaded, err := h.store.UnloadSubagent(ctx, a.Session, true)
	if err != nil {
		return chat.ToolResult{}, err
	}
	if !unloaded {
		return tool.Fail("%s works: interrupt it first, or wait for it", a.Name()), nil
	}
	return tool.Text(a.Name() + " is unloaded. It keeps what was said; action send loads it again."), nil
}
