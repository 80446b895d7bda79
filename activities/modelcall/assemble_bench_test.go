package modelcall_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/activitiestest"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/llm/limits"
	"xbot/internal/turn/prompt"
)

// still is a conversation that stays as it is.
type still struct{ window chat.Window }

func (s still) Window(context.Context, chat.SessionKey) (chat.Window, error) { return s.window, nil }

func (s still) AddControl(_ context.Context, _ chat.SessionKey, c chat.Control) (chat.Control, bool, error) {
	return c, true, nil
}

func (s still) Pictures(context.Context, chat.SessionKey, []string) (map[string]chat.Picture, error) {
	return nil, nil
}

func (s still) RecordRefusedRequest(context.Context, chat.SessionKey, chat.RefusedRequest) error {
	return nil
}

// BenchmarkAssemble is what a step costs in this process beside its queries, by the length of the conversation.
func BenchmarkAssemble(b *testing.B) {
	for _, turns := range []int{1, 100, 400} {
		b.Run(fmt.Sprintf("%d turns", turns), func(b *testing.B) {
			w := chat.Window{Session: activitiestest.Key, Counted: -1}
			for i := range turns {
				text := fmt.Sprintf("message %d ", i)
				w.Lines = append(w.Lines,
					chat.Line{Message: chat.Message{ID: chat.MessageID(2*i + 1), Turn: "t", Role: chat.RoleUser, Content: text}},
					chat.Line{Message: chat.Message{ID: chat.MessageID(2*i + 2), Turn: "t", Role: chat.RoleAssistant, Content: strings.Repeat(text, 10), ToolCalls: []chat.ToolCall{
						{ID: chat.NewCallID("t", i, 0), Name: "Read", Arguments: fmt.Sprintf(`{"path":"f%d"}`, i), State: chat.CallDone, Result: strings.Repeat(text, 50)},
					}}},
				)
			}
			w.Lines = append(w.Lines, chat.Line{Message: chat.Message{ID: 10_000, Turn: "t", Role: chat.RoleUser, Content: "go on"}})
			a := &modelcall.Assembler{Attachments: still{w}, Conversations: still{w}, ModelRefusals: still{w}}
			ask := modelcall.Ask{Step: chat.Step{Session: activitiestest.Key, Turn: "t"}, Model: "openai/m", Takes: limits.Table{}.Named("openai/m"), System: prompt.Base()}
			for b.Loop() {
				out, err := a.Assemble(b.Context(), ask)
				require.NoError(b, err)
				require.Empty(b, out.Compress)
			}
		})
	}
}
