package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// hidden replaces the messages before a transcript that begins with an answer; the API wants a user first.
const hidden = "(Earlier messages are not shown.)"

// encodeRequest returns the request. Four places are marked for the cache, as many as the API takes: the tools, the system
// prompt, the end of the conversation, which the next step of a turn sends again, and its end a step before.
func encodeRequest(model, origin string, req llm.Request, d dialect) sdk.MessageNewParams {
	out := sdk.MessageNewParams{
		Model:     model,
		MaxTokens: int64(d.limit(req.MaxTokens)),
		Tools:     encodeTools(req.Tools, d),
	}
	if strings.TrimSpace(req.System) != "" {
		out.System = []sdk.TextBlockParam{{Text: req.System}}
		mark(&out.System[0].CacheControl, d)
	}
	setThinking(&out, req, origin, d)
	if !d.noChoice {
		setChoice(&out, req)
	}
	d.strip = d.strip && out.Thinking.OfEnabled == nil && out.Thinking.OfAdaptive == nil
	out.Messages = encodeMessages(req.Messages, origin, d)
	return out
}

// setChoice sets tool_choice. A forced call excludes thinking: "Thinking may not be enabled when tool_choice
// forces tool use."
func setChoice(out *sdk.MessageNewParams, req llm.Request) {
	single := param.Opt[bool]{}
	if req.Single {
		single = sdk.Bool(true)
	}
	switch {
	case len(req.Tools) == 0:
	case req.Forced:
		out.ToolChoice = sdk.ToolChoiceUnionParam{OfAny: &sdk.ToolChoiceAnyParam{DisableParallelToolUse: single}}
		out.Thinking = sdk.ThinkingConfigParamUnion{}
	case req.Single:
		out.ToolChoice = sdk.ToolChoiceUnionParam{OfAuto: &sdk.ToolChoiceAutoParam{DisableParallelToolUse: single}}
	}
}

func mark(place *sdk.CacheControlEphemeralParam, d dialect) {
	if place != nil && !d.noCache {
		*place = sdk.NewCacheControlEphemeralParam()
	}
}

func encodeTools(tools []llm.Tool, d dialect) []sdk.ToolUnionParam {
	var out []sdk.ToolUnionParam
	for i, tool := range tools {
		schema := tool.Parameters
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		encoded := &sdk.ToolParam{Name: tool.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](schema)}
		if tool.Description != "" {
			encoded.Description = sdk.String(tool.Description)
		}
		if i == len(tools)-1 {
			mark(&encoded.CacheControl, d)
		}
		out = append(out, sdk.ToolUnionParam{OfTool: encoded})
	}
	return out
}

// encodeMessages makes alternating messages: tool results and the user message after them become one user message, results
// first.
func encodeMessages(messages []llm.Message, origin string, d dialect) []sdk.MessageParam {
	var out []sdk.MessageParam
	add := func(role sdk.MessageParamRole, blocks ...sdk.ContentBlockParamUnion) {
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Content = append(out[last].Content, blocks...)
			return
		}
		if len(out) == 0 && role == sdk.MessageParamRoleAssistant {
			out = append(out, sdk.NewUserMessage(sdk.NewTextBlock(hidden)))
		}
		out = append(out, sdk.MessageParam{Role: role, Content: blocks})
	}
	tidy := wire.Tidy(messages)
	if d.blind {
		tidy = wire.Unseen(tidy)
	}
	if d.lift {
		tidy = wire.LiftPictures(tidy)
	}
	marked := false
	for _, m := range tidy {
		switch {
		case m.Role == "assistant":
			add(sdk.MessageParamRoleAssistant, encodeAnswer(m, origin, d)...)
		case m.Role == "tool":
			add(sdk.MessageParamRoleUser, encodeResult(m))
		case m.Volatile:
			markEnds(out, d)
			marked = true
			add(sdk.MessageParamRoleUser, sdk.NewTextBlock(m.Content))
		default:
			add(sdk.MessageParamRoleUser, encodeContent(m)...)
		}
	}
	if !marked {
		markEnds(out, d)
	}
	return out
}

// encodeContent returns the content of a user message: the pictures first, as the API advises, then the text.
func encodeContent(m llm.Message) (blocks []sdk.ContentBlockParamUnion) {
	for _, p := range m.Pictures {
		blocks = append(blocks, sdk.NewImageBlockBase64(p.MediaType, base64.StdEncoding.EncodeToString(p.Data)))
	}
	if m.Content != "" || len(blocks) == 0 {
		blocks = append(blocks, sdk.NewTextBlock(m.Content))
	}
	return blocks
}

func encodeResult(m llm.Message) sdk.ContentBlockParamUnion {
	result := sdk.NewToolResultBlock(wire.ShortID(m.ToolCallID), m.Content, m.IsError)
	for _, p := range m.Pictures {
		result.OfToolResult.Content = append(result.OfToolResult.Content, sdk.ToolResultBlockParamContentUnion{OfImage: &sdk.ImageBlockParam{
			Source: sdk.ImageBlockParamSourceUnion{OfBase64: &sdk.Base64ImageSourceParam{
				MediaType: sdk.Base64ImageSourceMediaType(p.MediaType), Data: base64.StdEncoding.EncodeToString(p.Data),
			}},
		}})
	}
	return result
}

// markEnds marks the end of what will be sent again, and the end of what was sent a step before: the API looks for a
// known beginning at most 20 blocks before a mark, and one step can have more calls than that.
func markEnds(messages []sdk.MessageParam, d dialect) {
	ends := 0
	for i := len(messages) - 1; i >= 0 && ends < 2; i-- {
		if i < len(messages)-1 && messages[i].Role != sdk.MessageParamRoleUser {
			continue
		}
		content := messages[i].Content
		mark(content[len(content)-1].GetCacheControl(), d)
		ends++
	}
}

// encodeAnswer returns an earlier answer's blocks in their order, its thinking unchanged. Thinking that another provider
// signed, or that no longer fits the text and the calls, is left out, and so is all thinking if the dialect has noReturn set.
func encodeAnswer(m llm.Message, origin string, d dialect) []sdk.ContentBlockParamUnion {
	layout := plain(m)
	if kept, ok := parseOpaque(m.Opaque); ok && !d.noReturn && kept.Origin == origin && kept.fits(m) {
		layout = kept.Blocks
	}
	var blocks []sdk.ContentBlockParamUnion
	text, calls := m.Content, m.ToolCalls
	for _, b := range layout {
		switch {
		case d.strip && (b.Signature != "" || b.Thinking != "" || b.Redacted != ""):
		case len(b.Other) > 0:
			blocks = append(blocks, param.Override[sdk.ContentBlockParamUnion](b.Other))
		case b.Signature != "" || b.Thinking != "":
			blocks = append(blocks, sdk.NewThinkingBlock(b.Signature, b.Thinking))
		case b.Redacted != "":
			blocks = append(blocks, sdk.NewRedactedThinkingBlock(b.Redacted))
		case b.Call:
			input := json.RawMessage(wire.Object(calls[0].Arguments))
			blocks = append(blocks, sdk.NewToolUseBlock(wire.ShortID(calls[0].ID), input, wire.Name(calls[0].Name)))
			calls = calls[1:]
		case strings.TrimSpace(text[:b.Text]) == "":
			text = text[b.Text:] // the API refuses blank texts
		default:
			blocks = append(blocks, sdk.NewTextBlock(text[:b.Text]))
			text = text[b.Text:]
		}
	}
	return blocks
}

// plain returns the order of an answer without thinking: the text, then the calls.
func plain(m llm.Message) []storedBlock {
	layout := []storedBlock{{Text: len(m.Content)}}
	return append(layout, slices.Repeat([]storedBlock{{Call: true}}, len(m.ToolCalls))...)
}
