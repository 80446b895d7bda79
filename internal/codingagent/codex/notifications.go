package codex

import (
	"encoding/json"

	"xbot/internal/codingagent"
	"xbot/internal/codingagent/jsonrpc"
)

type notice struct {
	ThreadID  string          `json:"threadId"`
	TurnID    string          `json:"turnId"`
	ItemID    string          `json:"itemId"`
	Delta     string          `json:"delta"`
	Turn      turnState       `json:"turn"`
	Item      item            `json:"item"`
	Error     *turnError      `json:"error"`
	WillRetry *bool           `json:"willRetry"` // nil in versions that do not have it
	RequestID json.RawMessage `json:"requestId"`
	Usage     struct {
		Total tokens `json:"total"`
		Last  tokens `json:"last"`
	} `json:"tokenUsage"`
}

// notification takes a notification. It ignores unknown ones and those of other threads (agents that codex started).
func (d *driver) notification(in jsonrpc.Incoming) codingagent.Step {
	var n notice
	if !codingagent.Decode(in.Params, &n) || d.thread == "" || n.ThreadID != "" && n.ThreadID != d.thread {
		return codingagent.Step{}
	}
	if n.TurnID != "" && d.id != "" && n.TurnID != d.id {
		return codingagent.Step{} // an earlier turn, repeated
	}
	switch in.Method {
	case "turn/started":
		return d.begin(n.Turn.ID)
	case "item/agentMessage/delta":
		return eventStep(codingagent.Text{Message: n.ItemID, Delta: n.Delta})
	case "item/reasoning/summaryTextDelta", "item/reasoning/textDelta":
		return eventStep(codingagent.Thought{Delta: n.Delta})
	case "item/started":
		if work, ok := n.Item.work(false); ok {
			d.remember(n.Item)
			return eventStep(work)
		}
	case "item/completed":
		return d.completed(n.Item)
	case "thread/tokenUsage/updated":
		if d.id != "" && n.TurnID == d.id {
			return eventStep(d.usage.of(n.Usage.Total, n.Usage.Last))
		}
	case "error":
		return d.failed(n)
	case "serverRequest/resolved":
		delete(d.open, string(n.RequestID))
	case "turn/completed":
		return d.finished(n.Turn)
	}
	return codingagent.Step{}
}

func eventStep(event codingagent.Event) codingagent.Step {
	return codingagent.Step{Events: []codingagent.Event{event}}
}

func (d *driver) completed(i item) codingagent.Step {
	if i.Type == "agentMessage" {
		d.reply = i.Text
		return eventStep(codingagent.Text{Message: i.ID, Whole: i.Text, Done: true})
	}
	if work, ok := i.work(true); ok {
		delete(d.open, "item:"+i.ID)
		return eventStep(work)
	}
	return codingagent.Step{}
}

// failed records an error. Codex reports with willRetry false that it gave the turn up, and not every version completes the turn afterwards.
func (d *driver) failed(n notice) codingagent.Step {
	if n.WillRetry != nil && *n.WillRetry {
		return codingagent.Step{}
	}
	d.failure = n.Error
	if n.WillRetry == nil || n.TurnID == "" || n.TurnID != d.id {
		return codingagent.Step{} // turn/completed follows
	}
	return d.end(codingagent.Failed, nil)
}

func (d *driver) finished(turn turnState) codingagent.Step {
	if d.id != "" && turn.ID != "" && turn.ID != d.id {
		return codingagent.Step{}
	}
	switch turn.Status {
	case "completed":
		return d.end(codingagent.Completed, nil)
	case "interrupted":
		return d.end(codingagent.Interrupted, nil)
	default:
		return d.end(codingagent.Failed, turn.Error)
	}
}
