package compress

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/sdk/activity"

	"xbot/activities"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/memory"
	"xbot/internal/tool"
	"xbot/internal/turn/prompt"
)

// Bounds of the saving of notes.
const (
	maxNoteRounds = 4
	maxNoteCalls  = 16 // of one answer
)

// saveNotes has the model save notes before the summary hides their source. It adds nothing to the conversation, and the
// compression continues if it fails. Only an end of the context, or a store that cannot be reached, is an error.
func (j *compression) saveNotes(ctx context.Context) error {
	tools, err := j.noteTools(ctx)
	if err != nil || len(tools) == 0 || j.noted.Load() {
		return err
	}
	remembered, err := j.remembered(ctx)
	if err != nil {
		return err
	}
	chunks := j.chunks(max(j.inputBudget()-j.count(remembered), j.limits.Context/4))
	request := prompt.Notes(chunks[len(chunks)-1], remembered, tools)
	request.MaxTokens = j.longest()
	for round := range maxNoteRounds {
		answer, err := j.ask(ctx, request)
		if _, provider := errors.AsType[*modelcall.ProviderError](err); provider || errors.Is(err, errUnusable) {
			activity.GetLogger(ctx).Warn("no notes were saved", "session", j.in.Session, "error", err)
			j.failures.Store(0) // the summary gets its own attempts
			break
		}
		if err != nil {
			return err
		}
		if len(answer.ToolCalls) == 0 {
			break
		}
		if request, err = j.note(ctx, request, answer, round); err != nil {
			return err
		}
	}
	j.noted.Store(true)
	return nil
}

// remembered returns the memory text of prompts as it is now, not as it was when the conversation began: a block is replaced as a
// whole, so the model must see it before it writes one.
func (j *compression) remembered(ctx context.Context) (string, error) {
	if j.Memory == nil {
		return "", nil
	}
	return j.Memory.Recall(ctx, memory.Query{User: j.asked.User, Session: j.in.Session})
}

// noteTools returns the tools for notes that need no permission.
func (j *compression) noteTools(ctx context.Context) ([]llm.Tool, error) {
	if j.Notes == nil || len(j.Notes.Specs()) == 0 || j.Profiles != nil && !j.who.Remember.Memorize {
		return nil, nil
	}
	authorizer, err := j.Authorizers.Of(ctx, j.in.Session, j.tools)
	if err != nil {
		return nil, err
	}
	var out []llm.Tool
	for _, spec := range j.Notes.Specs() {
		t := llm.Tool{Name: spec.Name, Description: spec.Description, Parameters: spec.Parameters}
		refused := j.window.Refusals.Refuses(j.client.Model(), t.Name, modelcall.ToolDigest(t))
		if authorizer.Tool(spec.Name) == chat.RuleAllow && j.who.Has(spec.Name) && !refused {
			out = append(out, t)
		}
	}
	return out, nil
}

// note runs the calls of an answer and adds them to the request.
func (j *compression) note(ctx context.Context, r llm.Request, answer llm.Answer, round int) (llm.Request, error) {
	said := llm.Message{Role: "assistant", Content: activities.Clean(answer.Text), Reasoning: activities.Clean(answer.Reasoning), Opaque: answer.Opaque}
	var results []llm.Message
	for n, c := range answer.ToolCalls[:min(len(answer.ToolCalls), maxNoteCalls)] {
		id := fmt.Sprintf("%s.note.%d.%d", j.key(), round, n)
		call := llm.ToolCall{ID: id, Name: activities.Clean(c.Name), Arguments: activities.Clean(c.Arguments)}
		said.ToolCalls = append(said.ToolCalls, call)
		result := chat.ToolResult{Content: "Error: there is no such tool here; answer " + prompt.NoReply + " when nothing is left to save.", IsError: true}
		if offers(r.Tools, call.Name) {
			var err error
			result, err = j.Notes.Run(ctx, call.Name, tool.Call{
				ID: chat.CallID(id), Session: j.in.Session, User: j.asked.User, Arguments: call.Arguments,
			})
			if err != nil {
				return r, err
			}
		}
		results = append(results, llm.Message{Role: "tool", ToolCallID: id, Content: result.Content, IsError: result.IsError})
	}
	r.Messages = append(append(r.Messages, said), results...)
	return r, nil
}

func offers(tools []llm.Tool, name string) bool {
	for _, t := range tools {
		if t.Name == name {
			return true
		}
	}
	return false
}
