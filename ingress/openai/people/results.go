package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"xbot/ingress/auth"
	"xbot/ingress/openai"
	"xbot/internal/chat"
)

// returned finds the conversation of the calls whose results a request brings; empty: it brings none. All calls of one step have to have one. The
// request is known by its calls, with any key, so that it counts once however often it is sent.
func (p *People) returned(ctx context.Context, a *openai.Ask) (chat.SessionKey, error) {
	if len(a.Results) == 0 {
		return "", nil
	}
	key, calls, err := p.AnswerStore.ClientCalls(ctx, auth.User(ctx).ID, a.Results[0].Call)
	if err != nil {
		return "", err
	}
	var names []string
	for _, r := range a.Results {
		at := slices.IndexFunc(calls, func(c chat.ToolCall) bool { return c.ID == r.Call })
		if at < 0 {
			return "", badResult("unknown_tool_call", "there is no call "+quoted(string(r.Call))+" of a tool of yours, or it is of another step than the call before it")
		}
		names = append(names, toolName(a.Client, calls[at]))
	}
	for _, c := range calls {
		if !slices.ContainsFunc(a.Results, func(r chat.ClientResult) bool { return r.Call == c.ID }) {
			return "", badResult("missing_tool_result", "the result of the call "+quoted(string(c.ID))+" of "+toolName(a.Client, c)+" is missing; send the results of all calls together")
		}
	}
	if a.Conversation != "" && conversationID(key) != a.Conversation {
		return "", &openai.Error{Status: http.StatusBadRequest, Param: "conversation_id", Code: "invalid_value", Message: "the calls were made in another conversation"}
	}
	turn, step, _, _ := calls[0].ID.Split() // all calls of the step are one request
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", turn, step))
	a.Identity = openai.Identity{Key: "tools-" + hex.EncodeToString(sum[:16]), Chosen: true}
	if a.Client.Wordless {
		a.Text = "[Results of the tools of the program: " + strings.Join(names, ", ") + "]"
	}
	return key, nil
}

// toolName returns the program's name of the tool of a call. A request that does not list the tool again gets the name that the model used.
func toolName(ask chat.ClientAsk, c chat.ToolCall) string {
	if own, ok := ask.ToolOf(c.Name); ok {
		return own
	}
	return c.Name
}

func badResult(code, message string) error {
	return &openai.Error{Status: http.StatusBadRequest, Param: "tool_call_id", Code: code, Message: message}
}
