package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"xbot/internal/chat"
)

// chatRequest is a request for a chat completion.
type chatRequest struct {
	Ask

	stream, usage bool
}

// message is one of a request.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Calls   []callBody      `json:"tool_calls"`
	CallID  string          `json:"tool_call_id"`

	ref string // the id of the item that has its content; empty: Content is it
}

// refusedHere are the members that would change the answer and cannot be honoured, each with the values that do not, in addition to empty
// ones, and the sentence. Members that are neither here nor read have no effect.
var refusedHere = []struct {
	name     string
	harmless []string
	why      string
}{
	{"n", []string{"1"}, "one answer is given to a message; leave n out, or send 1"},
	{"functions", nil, "send tools"},
	{"function_call", []string{`"auto"`, `"none"`}, "send tool_choice"},
	{"logprobs", nil, "the probabilities of tokens are not known here"},
	{"top_logprobs", nil, "the probabilities of tokens are not known here"},
	{"logit_bias", nil, "tokens cannot be favoured here"},
	{"stop", nil, "an answer cannot be cut at a sequence here"},
	{"audio", nil, "answers are text"},
	{"modalities", []string{`["text"]`}, "answers are text"},
}

func refuse(f fields, names ...string) error {
	for _, r := range refusedHere {
		if slices.Contains(names, r.name) && !isEmpty(f[r.name]) && !f.is(r.name, r.harmless...) {
			return unsupported(r.name, "%s is not supported: %s", r.name, r.why)
		}
	}
	return nil
}

// chatParameters are the refused members of chat completions.
var chatParameters = []string{
	"n", "functions", "function_call", "logprobs", "top_logprobs", "logit_bias", "stop", "audio", "modalities",
}

// parseChat reads a request.
func parseChat(body []byte, h http.Header) (out chatRequest, err error) {
	f, err := parse(body)
	if err != nil {
		return out, err
	}
	if err := refuse(f, chatParameters...); err != nil {
		return out, err
	}
	var options struct {
		IncludeUsage bool `json:"include_usage"`
	}
	var messages []message
	for _, err := range []error{
		f.name("model", &out.Model), f.name("user", &out.User), f.name("conversation_id", &out.Conversation),
		f.get("stream", "true or false", &out.stream), f.get("stream_options", "an object", &options),
		f.get("messages", "a list of messages", &messages), out.tools(f), out.format("response_format", f["response_format"]),
	} {
		if err != nil {
			return out, err
		}
	}
	if out.Think, err = effort(f, "reasoning_effort"); err != nil {
		return out, err
	}
	out.usage = options.IncludeUsage
	if err := out.where(h); err != nil {
		return out, err
	}
	return out, out.read("messages", nil, messages)
}

// where checks the model and the conversation of a request.
func (a *Ask) where(h http.Header) error {
	if a.Conversation = cmp.Or(a.Conversation, h.Get(conversationHeader)); len(a.Conversation) > maxIDBytes {
		return invalid("conversation_id", "the id of the conversation has %d bytes; at most %d are accepted", len(a.Conversation), maxIDBytes)
	}
	return nil
}

// effort reads how much the model is to think.
func effort(f fields, name string) (string, error) {
	var level string
	if err := f.get(name, "a string", &level); err != nil || level == "" {
		return "", err
	}
	return thinks(name, level)
}

func thinks(name, level string) (string, error) {
	if level == "none" {
		return "off", nil
	}
	if level == "max" {
		level = "xhigh"
	}
	if !slices.Contains(chat.ThinkLevels, level) {
		return "", invalid(name, "%s must be none, minimal, low, medium, high or xhigh", name)
	}
	return level, nil
}

// read finds the message to answer, which is the last one, and the messages before it. In a conversation that is kept here only that
// message counts, with the instructions of the program.
func (a *Ask) read(list string, instructions []string, messages []message) error {
	kept := a.Conversation != "" || a.User != "" || a.Previous != ""
	last := lastSpoken(messages)
	if last < 0 {
		return invalid(list, "%s must have a message of the user", list)
	}
	if role := messages[last].Role; role != roleUser && role != "tool" {
		return invalid(fmt.Sprintf("%s[%d].role", list, last), "the last message must be one of the user, or the result of a tool: an answer cannot be begun for the model")
	}
	if err := a.results(list, messages); err != nil {
		return err
	}
	kept = kept || len(a.Results) > 0
	a.Client.Wordless = messages[last].Role == "tool"
	var before []line
	for i, m := range messages {
		if !slices.Contains(roles, m.Role) {
			return invalid(fmt.Sprintf("%s[%d].role", list, i), "a message has one of the roles %s", strings.Join(roles, ", "))
		}
		if kept && i < last && !instructs(m.Role) {
			continue
		}
		at := fmt.Sprintf("%s[%d].content", list, i)
		content, err := contentOf(at, m.Content)
		if m.ref != "" {
			content.text, err = a.recall(m.ref)
		}
		switch {
		case err != nil:
			return err
		case instructs(m.Role):
			instructions = append(instructions, content.text)
		case i < last:
			before = append(before, line{m.Role, content.text + unshown(content) + quotedCalls(m.Calls)})
		case a.Client.Wordless:
		case strings.TrimSpace(content.text) == "" && len(content.pictures)+len(content.uploads) == 0:
			return invalid(at, "the message is empty")
		default:
			a.Text, a.Pictures, a.Uploads, a.Title = content.text, content.pictures, content.uploads, chat.FirstWords(content.text, chat.MaxTitle)
		}
	}
	if a.Client.Wordless { // the model has the other messages in the conversation of its calls
		return nil
	}
	if len(a.Results) > 0 {
		instructions = nil
	}
	if says := formSays(a.Client.Format); says != "" {
		instructions = append(instructions, says)
	}
	a.Text = composed(instructions, before, a.Text)
	return nil
}

// roleUser is the role of messages that are answered.
const roleUser = "user"

// roles are the accepted roles of messages.
var roles = []string{"system", "developer", roleUser, "assistant", "tool", "function"}

func instructs(role string) bool { return role == "system" || role == "developer" }

// lastSpoken returns the last message that is no instruction; -1: there is none.
func lastSpoken(messages []message) int {
	for i, m := range slices.Backward(messages) {
		if !instructs(m.Role) {
			return i
		}
	}
	return -1
}

// unshown records that pictures of earlier messages are not shown again, and their files not attached.
func unshown(s messageContent) string {
	var b strings.Builder
	if len(s.pictures) > 0 {
		fmt.Fprintf(&b, "\n(%d pictures, not shown again)", len(s.pictures))
	}
	for _, u := range s.uploads {
		fmt.Fprintf(&b, "\n(the file %s, not attached again)", u.Name)
	}
	return b.String()
}
