package modelcall_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/activitiestest"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/turn/prompt"
)

// A step stores its reminder and not its messages: a request that was changed behind Assemble has to be the one that prompt.Rebuild makes of them.
func TestAssembled_ARequestThatWasChangedIsMadeAgainAsItIs(t *testing.T) {
	says := func(id chat.MessageID, role chat.Role, origin string) chat.Line {
		return chat.Line{Message: chat.Message{ID: id, Role: role, Origin: origin, Content: "words"}}
	}
	for name, lines := range map[string][]chat.Line{
		"a message":                     {says(1, chat.RoleUser, "")},
		"an answer of a person instead": {says(1, chat.RoleUser, ""), says(2, chat.RoleAssistant, chat.OriginPerson)},
	} {
		for kind, todos := range map[string][]chat.Todo{"with a reminder": {{ID: "1", Text: "write"}}, "without a reminder": nil} {
			t.Run(name+" "+kind, func(t *testing.T) {
				w := chat.Window{Session: activitiestest.Key, Counted: -1, Lines: lines, Todos: todos}
				a := &modelcall.Assembler{Attachments: still{w}, Conversations: still{w}, ModelRefusals: still{w}}
				r, err := a.Assemble(t.Context(), modelcall.Ask{
					Step: chat.Step{Session: activitiestest.Key, Turn: "t"}, Model: "p/m", Takes: limits.Table{}.Named("p/m"), System: "Be brief.",
					Tools: []llm.Tool{{Name: "a", Parameters: []byte(`{}`)}, {Name: "b", Parameters: []byte(`{}`)}},
				})
				require.NoError(t, err)
				same := func() {
					t.Helper()
					again, exact := prompt.Rebuild(chat.SentStep{Sent: r.Sent, Window: w, System: "Be brief.", Static: prompt.Static(r.Request)})
					require.True(t, exact)
					require.Equal(t, r.Request.Messages, again.Messages)
					require.Equal(t, r.Request.Tools, again.Tools)
				}
				same()
				r.Remind("Mind this.")
				same()
				r.Drop([]string{"a"})
				same()
				require.Len(t, r.Request.Tools, 1)
				require.Contains(t, r.Sent.Reminder, "Mind this.")
			})
		}
	}
}

func TestAssemble_LeavesOutToolsThatTheProviderHasRefused(t *testing.T) {
	tools := []llm.Tool{{Name: "a", Description: "old"}, {Name: "b"}}
	w := chat.Window{Session: activitiestest.Key, Counted: -1, Lines: []chat.Line{{Message: chat.Message{ID: 1, Role: chat.RoleUser, Content: "words"}}}}
	w.Refusals.Tools = []chat.RefusedTool{{Model: "p/m", Tool: "a", Digest: modelcall.ToolDigest(tools[0])}}
	offered := func(model string, tools ...llm.Tool) int {
		t.Helper()
		a := &modelcall.Assembler{Attachments: still{w}, Conversations: still{w}, ModelRefusals: still{w}}
		r, err := a.Assemble(t.Context(), modelcall.Ask{Step: chat.Step{Session: activitiestest.Key, Turn: "t"}, Model: model, Takes: limits.Table{}.Named(model), Tools: tools})
		require.NoError(t, err)
		require.Equal(t, len(r.Request.Tools) < len(tools), r.Sent.Reminder != "")
		return len(r.Request.Tools)
	}
	require.Equal(t, 1, offered("p/m", tools...))
	require.Len(t, tools, 2, "the tools of the caller stay")
	require.Equal(t, 2, offered("p/other", tools...))
	tools[0].Description = "new"
	require.Equal(t, 2, offered("p/m", tools...))
}
