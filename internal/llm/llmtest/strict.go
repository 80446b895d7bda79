package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// What providers accept as a name of a function and as an id of a call, whichever of them is the strictest.
var (
	functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	idOfCall     = regexp.MustCompile(`^[a-zA-Z0-9]{9,40}$`)
)

// faulty answers a request that one provider or another would refuse with any model. Such a request must never be
// made: its parts come from the conversation, so that the next one would be refused as well.
func faulty(req Request) (Reply, bool) {
	complaint := ""
	if req.Dialect == Responses {
		complaint = itemsFault(req.Raw)
	}
	if complaint == "" {
		complaint = transcriptFault(req.Messages)
	}
	if complaint == "" && req.Dialect == Anthropic {
		complaint = alternationFault(req.Raw)
	}
	if complaint == "" {
		return Reply{}, false
	}
	return Reply{Status: http.StatusBadRequest, Error: "Invalid request: " + complaint}, true
}

// transcriptFault looks for calls without results, results without calls, and parts that are empty or ill-formed.
func transcriptFault(messages []Message) string {
	if len(messages) == 0 {
		return "there are no messages"
	}
	open := map[string]bool{}
	for i, m := range messages {
		if m.Role == "tool" {
			if !open[m.ToolCallID] {
				return fmt.Sprintf("message %d is the result of no call before it", i)
			}
			delete(open, m.ToolCallID)
			if strings.TrimSpace(m.Content) == "" {
				return fmt.Sprintf("message %d is an empty result", i)
			}
			continue
		}
		if len(open) > 0 {
			return fmt.Sprintf("message %d comes before all calls have their results", i)
		}
		if m.Role != "user" && m.Role != "assistant" {
			return fmt.Sprintf("message %d has the role %q", i, m.Role)
		}
		if strings.ContainsRune(m.Content+m.Reasoning, 0) {
			return fmt.Sprintf("message %d holds NUL", i)
		}
		if strings.TrimSpace(m.Content) == "" && len(m.Calls) == 0 && len(m.Pictures) == 0 {
			return fmt.Sprintf("message %d is empty", i)
		}
		for _, c := range m.Calls {
			if complaint := callFault(c, open); complaint != "" {
				return fmt.Sprintf("message %d: %s", i, complaint)
			}
			open[c.ID] = true
		}
	}
	last := messages[len(messages)-1]
	switch {
	case len(open) > 0:
		return "the last calls have no results"
	case last.Role == "assistant":
		return "the conversation must end with a message of a user or a result"
	}
	return ""
}

func callFault(c Call, open map[string]bool) string {
	var arguments map[string]json.RawMessage
	switch {
	case open[c.ID]:
		return "two calls have the id " + c.ID
	case !idOfCall.MatchString(c.ID):
		return fmt.Sprintf("%q is no id of a call", c.ID)
	case !functionName.MatchString(c.Name):
		return fmt.Sprintf("%q is no name of a function", c.Name)
	case json.Unmarshal([]byte(c.Arguments), &arguments) != nil || arguments == nil:
		return "the arguments of a call are no JSON object"
	}
	return ""
}

// alternationFault looks for further faults that Anthropic's API refuses.
func alternationFault(raw []byte) string {
	var body struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(raw, &body) != nil {
		return "" // it was parsed before
	}
	for i, m := range body.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return fmt.Sprintf("message %d is of the %s and not of the %s", i, m.Role, want)
		}
		var blocks []block
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue // a plain text
		}
		results := true
		for _, b := range blocks {
			if b.Type == "text" && strings.TrimSpace(b.Text) == "" {
				return fmt.Sprintf("message %d has a blank text", i)
			}
			if b.Type == "tool_result" && !results {
				return fmt.Sprintf("message %d has a result behind something else", i)
			}
			results = results && b.Type == "tool_result"
		}
	}
	return ""
}
