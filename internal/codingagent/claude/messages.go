package claude

import (
	"encoding/json"
	"fmt"
	"strings"

	"xbot/internal/codingagent"
)

type message struct {
	Type      string          `json:"type"`
	Subtype   string          `json:"subtype"`
	SessionID string          `json:"session_id"`
	UUID      string          `json:"uuid"`
	IsReplay  bool            `json:"isReplay"`
	Parent    *string         `json:"parent_tool_use_id"`
	RequestID string          `json:"request_id"`
	Request   controlRequest  `json:"request"`
	Response  controlResponse `json:"response"`
	Event     streamEvent     `json:"event"`
	Message   content         `json:"message"`
	Failure   json.RawMessage `json:"error"` // of an assistant message: a word
	outcome
}

// outcome is the additional data of a result.
type outcome struct {
	IsError bool            `json:"is_error"`
	Result  string          `json:"result"`
	Errors  json.RawMessage `json:"errors"`
	Usage   struct {
		Input   int64 `json:"input_tokens"`
		Created int64 `json:"cache_creation_input_tokens"`
		Cached  int64 `json:"cache_read_input_tokens"`
		Output  int64 `json:"output_tokens"`
	} `json:"usage"`
}

type controlResponse struct {
	Subtype   string `json:"subtype"`
	RequestID string `json:"request_id"`
}

type streamEvent struct {
	Type    string `json:"type"`
	Message struct {
		ID string `json:"id"`
	} `json:"message"`
	Block struct {
		Type string `json:"type"`
	} `json:"content_block"`
	Delta struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
	} `json:"delta"`
}

type content struct {
	ID      string          `json:"id"`
	Content json.RawMessage `json:"content"` // a text, or blocks
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

func blocksOf(raw json.RawMessage) []block {
	var list []block
	codingagent.Decode(raw, &list) // a text has no blocks
	return list
}

// textOf reads a text, or the texts of blocks.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var texts []string
	for _, b := range blocksOf(raw) {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (d *driver) count(id string) *blocks {
	if d.counts[id] == nil {
		if len(d.counts) >= 1000 {
			d.counts = map[string]*blocks{}
		}
		d.counts[id] = &blocks{}
	}
	return d.counts[id]
}

func (d *driver) streamed(e streamEvent) codingagent.Step {
	switch e.Type {
	case "message_start":
		d.current = e.Message.ID
	case "content_block_start":
		if e.Block.Type == "text" {
			d.count(d.current).streamed++
		}
	case "content_block_delta":
		switch {
		case e.Delta.Type == "text_delta" && e.Delta.Text != "":
			name := fmt.Sprintf("%s/%d", d.current, d.count(d.current).streamed)
			return eventStep(codingagent.Text{Message: name, Delta: e.Delta.Text})
		case e.Delta.Type == "thinking_delta" && e.Delta.Thinking != "":
			return eventStep(codingagent.Thought{Delta: e.Delta.Thinking})
		}
	}
	return codingagent.Step{}
}

func eventStep(events ...codingagent.Event) codingagent.Step { return codingagent.Step{Events: events} }

// assistant reads whole blocks. The text of claude's own subagents is internal: only their actions are reported.
func (d *driver) assistant(m message) codingagent.Step {
	var step codingagent.Step
	if strings.Contains(string(m.Failure), "authentication_failed") {
		d.loggedOut = true
	}
	for _, b := range blocksOf(m.Message.Content) {
		switch b.Type {
		case "text":
			if m.Parent != nil || b.Text == "" {
				continue
			}
			d.count(m.Message.ID).whole++
			d.reply = b.Text
			name := fmt.Sprintf("%s/%d", m.Message.ID, d.count(m.Message.ID).whole)
			step.Events = append(step.Events, codingagent.Text{Message: name, Whole: b.Text, Done: true})
		case "tool_use", "server_tool_use":
			if work, ok := workOf(b.ID, b.Name, b.Input); ok && d.works.Put(b.ID, work) {
				step.Events = append(step.Events, work)
			}
		}
	}
	return step
}

func (d *driver) user(m message) codingagent.Step {
	if m.IsReplay && m.UUID != "" {
		d.echoed.Put(m.UUID, true)
		return codingagent.Step{}
	}
	var step codingagent.Step
	for _, b := range blocksOf(m.Message.Content) {
		work, known := d.works[b.ToolUseID]
		if b.Type != "tool_result" || !known {
			continue
		}
		delete(d.works, b.ToolUseID)
		work.Done, work.Failed, work.Output = true, b.IsError, codingagent.Output(textOf(b.Content))
		step.Events = append(step.Events, work)
	}
	return step
}

func (d *driver) result(m message) codingagent.Step {
	d.ended = true
	usage := codingagent.Usage{
		Input: m.Usage.Input + m.Usage.Created + m.Usage.Cached, CachedInput: m.Usage.Cached, Output: m.Usage.Output,
	}
	end := codingagent.End{Outcome: codingagent.Completed, Reply: d.reply}
	if end.Reply == "" && !m.IsError {
		end.Reply = m.Result
	}
	switch failed := m.IsError || strings.HasPrefix(m.Subtype, "error"); {
	case d.stopped:
		end.Outcome = codingagent.Interrupted
	case failed:
		end.Outcome, end.Error = codingagent.Failed, m.reason()
		end.Gone = d.turn.Thread != "" && !d.taken && strings.Contains(end.Error, "No conversation found")
		end.LogIn = d.loggedOut || strings.Contains(end.Error, "/login") || strings.Contains(end.Error, "Invalid API key")
	}
	return eventStep(usage, end)
}

func (m message) reason() string {
	var list []string
	if json.Unmarshal(m.Errors, &list) == nil && len(list) > 0 {
		return codingagent.Paragraph(strings.Join(list, "; "))
	}
	if strings.TrimSpace(m.Result) != "" {
		return codingagent.Paragraph(m.Result)
	}
	return codingagent.Paragraph("claude ended the turn: " + m.Subtype)
}
