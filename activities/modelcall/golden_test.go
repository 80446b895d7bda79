package modelcall_test

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/anthropic"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
	"xbot/internal/testing/goldentest"
)

//go:embed testdata
var testdata embed.FS

// told is a conversation of two people's pictures and one that a tool read.
type told struct{ pictures map[string]chat.Picture }

func (told) AddControl(context.Context, chat.SessionKey, chat.Control) (chat.Control, bool, error) {
	panic("nothing is hidden")
}

func (t told) Pictures(_ context.Context, _ chat.SessionKey, hashes []string) (map[string]chat.Picture, error) {
	out := map[string]chat.Picture{}
	for _, hash := range hashes {
		out[hash] = t.pictures[hash]
	}
	return out, nil
}

func (told) RecordRefusedRequest(context.Context, chat.SessionKey, chat.RefusedRequest) error {
	panic("nothing is refused")
}

func (t told) Window(context.Context, chat.SessionKey) (chat.Window, error) {
	shows := func(hash string) []chat.PictureRef { return []chat.PictureRef{t.pictures[hash].PictureRef} }
	says := func(role chat.Role, text string, shown ...chat.PictureRef) chat.Line {
		return chat.Line{Message: chat.Message{Role: role, Content: text, Pictures: shown}}
	}
	read := says(chat.RoleAssistant, "I read the plan.")
	read.Message.ToolCalls = []chat.ToolCall{{
		ID: chat.NewCallID("0199e2f0-1111-7000-8000-000000000004", 0, 0), ProviderID: "call_0", Name: "Read", Arguments: `{"path":"plan.png"}`, State: chat.CallDone,
		Result: "[image: /w/plan.png · 70 bytes · shown with 20 × 10 pixels to models that read pictures]",
	}}
	read.Message.ToolCalls[0].Pictures = shows("plan")
	lines := []chat.Line{
		says(chat.RoleUser, "What is this?\n[image: old.jpg · 90 bytes · /w/inbox/old.jpg]", shows("old")...),
		says(chat.RoleAssistant, "A cat."),
		says(chat.RoleUser, "And how old is it?"),
		says(chat.RoleAssistant, "Two years."),
		says(chat.RoleUser, "Would it fit here?\n[image: room.jpg · 80 bytes · /w/inbox/room.jpg]", shows("room")...),
		says(chat.RoleAssistant, "It would."),
		says(chat.RoleUser, "And by plan.png?"),
		read,
	}
	for i := range lines {
		lines[i].Message.ID = chat.MessageID(i + 1)
	}
	return chat.Window{Lines: lines}, nil
}

// body is what a provider is sent for the conversation, as JSON with indents.
func body(t *testing.T, server *llmtest.Server, client llm.Client) string {
	t.Helper()
	windows := told{map[string]chat.Picture{}}
	for hash, mediaType := range map[string]string{"old": "image/jpeg", "room": "image/jpeg", "plan": "image/png"} {
		ref := chat.PictureRef{Hash: hash, MediaType: mediaType, Width: 20, Height: 10}
		windows.pictures[hash] = chat.Picture{PictureRef: ref, Data: []byte("the bytes of " + hash)}
	}
	a := modelcall.Assembler{Attachments: windows, Conversations: windows, ModelRefusals: windows}
	made, err := a.Assemble(t.Context(), modelcall.Ask{
		Model: "test/seeing", Takes: limits.Model{Context: 100_000, Output: 8_000, Sees: true}, System: "Be brief.",
		Tools: []llm.Tool{{Name: "Read", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
	})
	require.NoError(t, err)
	_, err = client.Generate(t.Context(), made.Request, nil)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, server.Requests()[0].Raw, "", "  "))
	return out.String() + "\n"
}

func TestAssemble_PicturesOfPeopleAndToolsAndTheMarkerOfAnOlderOneAsProvidersAreSentThem(t *testing.T) {
	for name, connect := range map[string]func(*llmtest.Server) (llm.Client, error){
		"chat": func(s *llmtest.Server) (llm.Client, error) {
			return openai.New(openai.Config{BaseURL: s.BaseURL(), Model: "seeing"})
		},
		"responses": func(s *llmtest.Server) (llm.Client, error) {
			return openai.New(openai.Config{BaseURL: s.BaseURL(), Model: "seeing", Responses: true})
		},
		"anthropic": func(s *llmtest.Server) (llm.Client, error) {
			return anthropic.New(anthropic.Config{BaseURL: s.URL(), Model: "seeing"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.New(t)
			server.Strict()
			client, err := connect(server)
			require.NoError(t, err)
			goldentest.Equal(t, testdata, "testdata/pictures-"+name+".json", body(t, server, client))
		})
	}
}
