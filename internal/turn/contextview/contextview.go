// Package contextview shows the model's view of conversations and how full their contexts are, from stored rows alone.
package contextview

import (
	"cmp"
	"context"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/usage/usagestore"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/tokens"
	"xbot/internal/turn/window"
)

const (
	// maxCompactions bounds the compactions that are listed.
	maxCompactions = 20
	// messageTokens is the count of providers for a message in addition to its texts.
	messageTokens = 4
)

// Sources of a number of tokens.
const (
	SourceProvider = "provider"
	SourceEstimate = "estimate"
)

// Answering returns the client of the model that answers in a conversation.
type Answering interface {
	For(ctx context.Context, key chat.SessionKey) (llm.Client, error)
}

// Viewer shows the model's view of conversations. Everything comes from stored rows: it calls no model.
type Viewer struct {
	Conversations      *conversation.Store
	Usage              *usagestore.Store
	Answering          Answering
	Models             limits.Table
	MaskAt, CompressAt float64 // parts of the context window; 0: the defaults
	Mode               string  // of sessions without a choice
}

// Share is the size of a part of the model's view.
type Share struct {
	Count  int `json:"count"`
	Bytes  int `json:"bytes"`
	Tokens int `json:"tokens" doc:"Estimated."`
}

func (s *Share) add(text string) {
	s.Bytes, s.Tokens = s.Bytes+len(text), s.Tokens+tokens.Count(text)
}

// ContextPart is a part of the system prompt.
type ContextPart struct {
	Key    string `json:"key" example:"05_project_context"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens" doc:"Estimated."`
}

// ContextTool is a tool as described to the model.
type ContextTool struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes" doc:"Of its description and the schema of its parameters."`
	Tokens int    `json:"tokens" doc:"Estimated."`
}

// ContextTools is all tools.
type ContextTools struct {
	Count  int           `json:"count"`
	Tokens int           `json:"tokens" doc:"Estimated."`
	List   []ContextTool `json:"list"`
}

// ContextMessages is the messages of a conversation as the model sees them now.
type ContextMessages struct {
	User      Share `json:"user"`
	Assistant Share `json:"assistant"`
	Tool      Share `json:"tool"`
}

// ContextCompaction is a current or former summary of the beginning of a conversation.
type ContextCompaction struct {
	ID           chat.ControlID `json:"id"`
	CreatedAt    time.Time      `json:"created_at"`
	Trigger      string         `json:"trigger" enum:"auto,too_long,exceeded,manual"`
	Method       string         `json:"method" enum:"model,extract"`
	Focus        string         `json:"focus,omitempty"`
	TokensBefore int            `json:"tokens_before" doc:"Of a request, estimated."`
	TokensAfter  int            `json:"tokens_after"`
	Upto         chat.MessageID `json:"upto" doc:"The last message covered by the summary."`
	Active       bool           `json:"active" doc:"The conversation begins with it now."`
	Summary      string         `json:"summary"`
}

// Context is how full the context of a conversation is, and its parts.
type Context struct {
	Model       string              `json:"model"`
	Mode        string              `json:"mode" enum:"default,none" doc:"default: old parts are masked and summarized as the context fills. none: only on request, or when the model's limit is reached."`
	MaxContext  int                 `json:"max_context" doc:"Tokens that the model takes in all."`
	MaxOutput   int                 `json:"max_output" doc:"Tokens of one answer at most."`
	Used        int                 `json:"used" doc:"Tokens."`
	Source      string              `json:"source" enum:"provider,estimate" doc:"provider: counted for the last request and its answer. estimate: our own, since the conversation or how it is shown has changed after that."`
	MaskAt      int                 `json:"mask_at" doc:"Tokens from which old results of tools are masked."`
	CompressAt  int                 `json:"compress_at" doc:"Tokens from which the beginning is summarized."`
	Parts       []ContextPart       `json:"parts" doc:"Of the system prompt of the last request."`
	Tools       ContextTools        `json:"tools"`
	Messages    ContextMessages     `json:"messages"`
	Offloads    int                 `json:"offloads" doc:"Results of which the model sees a summary."`
	Masks       int                 `json:"masks" doc:"Results of which the model sees a placeholder."`
	Stale       int                 `json:"stale" doc:"Files that have changed since the model read them."`
	Edits       int                 `json:"edits" doc:"Changes that the model made to what it sees."`
	Compactions []ContextCompaction `json:"compactions" doc:"Newest first."`
}

// Of returns the context of a session.
func (c *Viewer) Of(ctx context.Context, s chat.Session) (Context, error) {
	out := Context{
		Parts: []ContextPart{}, Tools: ContextTools{List: []ContextTool{}}, Compactions: []ContextCompaction{},
	}
	w, err := c.Conversations.Window(ctx, s.Key)
	if err != nil {
		return out, err
	}
	out.Mode = cmp.Or(w.Mode, c.Mode, chat.ContextDefault)
	last, err := c.lastStep(ctx, s.Key)
	if err != nil {
		return out, err
	}
	client, err := c.Answering.For(ctx, s.Key)
	if err != nil {
		return out, err
	}
	takes := c.Models.For(client)
	if out.Model = cmp.Or(last.Model, client.Model()); out.Model != client.Model() {
		takes = c.Models.Named(out.Model)
	}
	limit := window.Limits{Context: takes.Context, Output: takes.Output, MaskShare: c.MaskAt, CompressShare: c.CompressAt}
	out.MaxContext, out.MaxOutput, out.MaskAt, out.CompressAt = limit.Context, limit.Output, limit.MaskAt(), limit.CompressAt()
	if err := c.static(ctx, s.Key, last, &out); err != nil {
		return out, err
	}
	out.weigh(w)
	if err := c.compactions(ctx, w, &out); err != nil {
		return out, err
	}
	return out, c.fill(ctx, w, last, &out)
}

// lastStep returns the newest step with its request, an empty one if there is none yet.
func (c *Viewer) lastStep(ctx context.Context, key chat.SessionKey) (chat.SentStep, error) {
	step, err := c.Conversations.LastStep(ctx, key)
	if err == nil {
		var last chat.SentStep
		last, err = c.Conversations.StepWindow(ctx, key, step.Turn, step.N)
		if err == nil {
			return last, nil
		}
	}
	if fault.Is(err, fault.NotFound) {
		return chat.SentStep{}, nil
	}
	return chat.SentStep{}, err
}

// static measures the system prompt and the tools of the last request.
func (c *Viewer) static(ctx context.Context, key chat.SessionKey, last chat.SentStep, out *Context) error {
	r, _ := prompt.Rebuild(chat.SentStep{Static: last.Static, System: last.System})
	parts, err := c.Conversations.PromptParts(ctx, key)
	if err != nil {
		return err
	}
	rest := Share{}
	rest.add(r.System)
	for _, p := range parts {
		if p.Body == "" || !strings.Contains(r.System, p.Body) {
			continue // it is for the next turn
		}
		part := ContextPart{Key: p.Key, Bytes: len(p.Body), Tokens: tokens.Count(p.Body)}
		rest.Bytes, rest.Tokens = max(0, rest.Bytes-part.Bytes), max(0, rest.Tokens-part.Tokens)
		out.Parts = append(out.Parts, part)
	}
	if rest.Bytes > 0 {
		out.Parts = append([]ContextPart{{Key: "system", Bytes: rest.Bytes, Tokens: rest.Tokens}}, out.Parts...)
	}
	for _, t := range r.Tools {
		text := prompt.Static(llm.Request{Tools: []llm.Tool{t}})
		tool := ContextTool{Name: t.Name, Bytes: len(text), Tokens: tokens.Count(text)}
		out.Tools.List = append(out.Tools.List, tool)
		out.Tools.Tokens += tool.Tokens
	}
	out.Tools.Count = len(r.Tools)
	return nil
}

// weigh measures the conversation as the model sees it, and counts the changes to it.
func (out *Context) weigh(w chat.Window) {
	for _, m := range prompt.Request("", window.View(w), nil).Messages {
		share := &out.Messages.User
		switch m.Role {
		case "assistant":
			share = &out.Messages.Assistant
		case "tool":
			share = &out.Messages.Tool
		}
		share.Count++
		share.Tokens += messageTokens
		share.add(m.Content)
		share.add(m.Reasoning)
		for _, call := range m.ToolCalls {
			share.add(call.Name + call.Arguments)
		}
	}
	masked := window.Masked(w.Controls)
	for _, l := range w.Lines {
		for _, call := range l.Message.ToolCalls {
			if masked(call.ID) {
				out.Masks++
			}
			if call.Offload != "" {
				out.Offloads++
			}
		}
	}
	stale := map[string]bool{}
	for _, control := range w.Controls {
		if control.Stale != nil {
			stale[control.Stale.Path] = true
		}
	}
	out.Stale, out.Edits = len(stale), len(window.Edits(w.Controls))
}

func (c *Viewer) compactions(ctx context.Context, w chat.Window, out *Context) error {
	all, err := c.Conversations.Compactions(ctx, w.Session, maxCompactions)
	for _, control := range all {
		if k := control.Compaction; k != nil {
			out.Compactions = append(out.Compactions, ContextCompaction{
				ID: control.ID, CreatedAt: control.CreatedAt, Trigger: k.Trigger, Method: k.Method, Focus: k.Focus,
				TokensBefore: k.TokensBefore, TokensAfter: k.TokensAfter, Upto: control.Message,
				Active: w.Compaction != nil && w.Compaction.ID == control.ID, Summary: k.Summary,
			})
		}
	}
	return err
}

// fill returns how much is in use: the provider's count, as long as nothing has changed since, else our estimate with the correction learnt
// for the model.
func (c *Viewer) fill(ctx context.Context, w chat.Window, last chat.SentStep, out *Context) error {
	newest := len(w.Lines) > 0 && w.Lines[len(w.Lines)-1].Message.Role == chat.RoleAssistant
	if newest && w.Counted == w.Upto && last.Usage.PromptTokens > 0 {
		out.Used, out.Source = last.Usage.PromptTokens+last.Usage.CompletionTokens, SourceProvider
		return nil
	}
	ratio, _, err := c.Usage.TokenRatio(ctx, out.Model)
	estimate := out.Tools.Tokens + out.Messages.User.Tokens + out.Messages.Assistant.Tokens + out.Messages.Tool.Tokens
	for _, p := range out.Parts {
		estimate += p.Tokens
	}
	out.Used, out.Source = int(float64(estimate)*ratio), SourceEstimate
	return err
}

// SetMode sets the context mode of a session.
func (c *Viewer) SetMode(ctx context.Context, key chat.SessionKey, mode string) error {
	if mode != chat.ContextDefault && mode != chat.ContextNone {
		return fault.Errorf(fault.Invalid, "the context mode is %q; it must be default or none", mode)
	}
	return c.Conversations.SetContextMode(ctx, key, mode)
}
