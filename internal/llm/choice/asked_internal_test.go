package choice

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/llm"
)

// recorder is a client that keeps its last request.
type recorder struct{ got llm.Request }

func (*recorder) Model() string { return "test/recorder" }

func (r *recorder) Generate(_ context.Context, req llm.Request, _ llm.Sink) (llm.Answer, error) {
	r.got = req
	return llm.Answer{}, nil
}

// A summary that is made while the turn runs, or a title, is not for the program.
func TestAsked_ChangesNoRequestByItself(t *testing.T) {
	ask := &chat.ClientAsk{
		Tools: []chat.ClientTool{{Name: "a"}}, Forced: true, Single: true, Format: &chat.AnswerFormat{Name: "a", Schema: json.RawMessage(`{}`)},
	}
	model := &recorder{}
	client := callerClient{thinking{model, "high"}, ask}
	_, err := client.Generate(t.Context(), llm.Request{System: "summarize"}, nil)
	require.NoError(t, err)
	require.Equal(t, llm.Request{System: "summarize", Effort: "high"}, model.got)
	require.Equal(t, ask, llm.ClientAskOf(thinking{client, "low"}), "the turn finds what is asked")
	require.Nil(t, llm.ClientAskOf(model))
}
