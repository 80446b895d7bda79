package elicit

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/tool"
	"xbot/internal/turn/question"
)

// SamplingParams is a request of a server to the model.
type SamplingParams = sdk.CreateMessageWithToolsParams //nolint:staticcheck // servers of older versions of the protocol ask the model

// SamplingResult is the answer of the model.
type SamplingResult = sdk.CreateMessageWithToolsResult //nolint:staticcheck // as above

// Limits of a request to the model. MaxSamplingTokens caps a request; the others refuse it.
const (
	MaxSamplingTokens   = 4096    // that the model writes
	maxSamplingMessages = 64      // messages
	maxSamplingText     = 100_000 // bytes of all texts
	maxSamplingPictures = 4       // pictures
	maxSamplingShown    = 450     // characters that the user sees
)

// The roles of messages.
const (
	user      = "user"
	assistant = "assistant"
)

// The answers to the question whether a server may ask the model.
const (
	allowOnce   = "Allow for this call · 本次允许"
	allowAlways = "Always allow · 始终允许"
)

// Model answers the requests of a server to the model.
type Model struct {
	Sampler tool.Sampler
	Of      *tool.Remote // a tool of the server
}

// Sample answers a request of the server of a name to the model. Where the rules of the user require it, the user is asked first, once for a call: an
// error informs the server, and the call is made again then.
func (a *Asking) Sample(ctx context.Context, server string, p *SamplingParams) (*SamplingResult, error) {
	if a == nil || a.model == nil {
		return nil, rejected("the model cannot be asked here")
	}
	request, err := requestOf(p)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	if err := a.permit(ctx, server, p); err != nil {
		return nil, err
	}
	answer, model, err := a.model.Sampler.Generate(ctx, request)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	return resultOf(p, answer, model), nil
}

// rejected returns the error of the protocol for a request that the user did not permit.
func rejected(why string) error { return &jsonrpc.Error{Code: -1, Message: why} }

// permit returns why a server may not ask the model, or nil if it may.
func (a *Asking) permit(ctx context.Context, server string, p *SamplingParams) error {
	rule, always, err := a.model.Sampler.Rule(ctx, a.model.Of)
	switch {
	case err != nil:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the permissions of the user cannot be read now"}
	case rule == chat.RuleAllow:
		return nil
	case rule != chat.RuleAsk:
		return rejected("the permissions of the user do not allow requests to the model")
	case a.nobody:
		return rejected("no user can be asked for permission here")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	head := "MCP · " + server + " → "
	switch a.chosen(func(q chat.Inquiry) bool { return strings.HasPrefix(q.Text, head) }) {
	case allowOnce:
		return nil
	case allowAlways:
		if err := a.model.Sampler.Allow(ctx, a.model.Of); err != nil {
			return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the permission of the user cannot be stored now"}
		}
		return nil
	case "":
		asked, err := a.samplingQuestion(head, server, p, always)
		if err == nil && a.ask(asked) {
			return errAskedFirst
		}
	}
	return rejected("the user rejected the request")
}

// samplingQuestion returns the question to the user. No form of a server has its head: forms name the server and a colon.
func (a *Asking) samplingQuestion(head, server string, p *SamplingParams, always bool) ([]chat.Inquiry, error) {
	about := func(lang i18n.Lang) string {
		return i18n.Say(lang, i18n.MCPSampling, server, tool.MaxSamples, min(p.MaxTokens, MaxSamplingTokens)) + "\n"
	}
	text := head + "AI\n" + about(i18n.English) + about(i18n.Chinese)
	options := []chat.InquiryOption{{Label: allowOnce}, {Label: allowAlways}, {Label: no}}
	if !always {
		options = []chat.InquiryOption{{Label: allowOnce}, {Label: no}}
	}
	return question.Check([]chat.Inquiry{{Text: cut(text+"\n"+shortened(p), chat.MaxInquiryText), Options: options}})
}

// shortened returns the text of a request for the user: its size, its beginning and its end.
func shortened(p *SamplingParams) string {
	var all []string
	if p.SystemPrompt != "" {
		all = append(all, "system: "+p.SystemPrompt)
	}
	size, pictures := len([]rune(p.SystemPrompt)), 0
	for _, m := range p.Messages {
		for _, part := range m.Content {
			if c, ok := part.(*sdk.TextContent); ok {
				all, size = append(all, string(m.Role)+": "+c.Text), size+len([]rune(c.Text))
			} else {
				all, pictures = append(all, string(m.Role)+": [image]"), pictures+1
			}
		}
	}
	text := strings.Join(strings.Fields(strings.Join(all, " · ")), " ")
	if shown := []rune(text); len(shown) > maxSamplingShown {
		text = string(shown[:maxSamplingShown*2/3]) + " […] " + string(shown[len(shown)-maxSamplingShown/3:])
	}
	return fmt.Sprintf("(%d messages, %d characters, %d images)\n%s", len(p.Messages), size, pictures, text)
}

// requestOf parses a request of a server. Errors are Invalid, with a sentence for the server. Optional parts of the protocol are left out:
// the context of other servers, the wish for a model, the temperature and metadata.
func requestOf(p *SamplingParams) (llm.Request, error) {
	switch {
	case p == nil || len(p.Messages) == 0:
		return llm.Request{}, fault.Errorf(fault.Invalid, "the request has no messages")
	case len(p.Messages) > maxSamplingMessages:
		return llm.Request{}, fault.Errorf(fault.Invalid, "the request has more than %d messages", maxSamplingMessages)
	case len(p.Tools) > 0:
		return llm.Request{}, fault.Errorf(fault.Invalid, "tools are not supported in requests to the model: the capability sampling.tools is not declared")
	case p.MaxTokens <= 0:
		return llm.Request{}, fault.Errorf(fault.Invalid, "maxTokens must be positive")
	}
	out := llm.Request{System: chat.Clean(p.SystemPrompt), MaxTokens: int(min(p.MaxTokens, MaxSamplingTokens)), Effort: chat.ThinkOff}
	text, pictures := len(p.SystemPrompt), 0
	for _, m := range p.Messages {
		message, err := messageOf(m)
		if err != nil {
			return llm.Request{}, err
		}
		text, pictures = text+len(message.Content), pictures+len(message.Pictures)
		out.Messages = append(out.Messages, message)
	}
	switch {
	case text > maxSamplingText || pictures > maxSamplingPictures:
		return llm.Request{}, fault.Errorf(fault.Invalid, "the request has more than %d bytes of text or %d images", maxSamplingText, maxSamplingPictures)
	case out.Messages[len(out.Messages)-1].Role != user:
		return llm.Request{}, fault.Errorf(fault.Invalid, "the last message must be one of the role user")
	}
	return out, nil
}

func messageOf(m *sdk.SamplingMessageV2) (llm.Message, error) { //nolint:staticcheck // as above
	if m == nil || m.Role != user && m.Role != assistant {
		return llm.Message{}, fault.Errorf(fault.Invalid, "the role of a message must be user or assistant")
	}
	out := llm.Message{Role: string(m.Role)}
	for _, part := range m.Content {
		switch c := part.(type) {
		case *sdk.TextContent:
			if out.Content != "" {
				out.Content += "\n"
			}
			out.Content += chat.Clean(c.Text)
		case *sdk.ImageContent:
			if out.Role != user {
				return out, fault.Errorf(fault.Invalid, "only messages of the role user can have images")
			}
			out.Pictures = append(out.Pictures, llm.Picture{MediaType: c.MIMEType, Data: c.Data})
		default:
			return out, fault.Errorf(fault.Invalid, "only text and images are supported in messages")
		}
	}
	if out.Content == "" && len(out.Pictures) == 0 {
		return out, fault.Errorf(fault.Invalid, "a message has no content")
	}
	return out, nil
}

// resultOf returns the answer for the server, without the reasoning of the model.
func resultOf(p *SamplingParams, answer llm.Answer, model string) *SamplingResult {
	text, why := answer.Text, "endTurn"
	if answer.Finish == llm.FinishLength || answer.Finish == llm.FinishWindow {
		why = "maxTokens"
	}
	for _, stop := range p.StopSequences {
		if before, _, found := strings.Cut(text, stop); found && stop != "" {
			text, why = before, "stopSequence"
		}
	}
	return &SamplingResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, Model: model, Role: assistant, StopReason: why}
}
