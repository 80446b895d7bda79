package turn

import (
	"context"
	"errors"
	"slices"
	"strings"

	"xbot/activities"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
)

// maxToolRefusals bounds how often a request is sent again without tools that its provider has refused. Some providers name one tool in each refusal.
const maxToolRefusals = 8

// offering asks the model. If its provider refuses the definition of a tool, the request is sent again without that tool.
func (m *Model) offering(ctx context.Context, a *attempt, client llm.Client, sink llm.Sink) (llm.Answer, error) {
	for n := 0; ; n++ {
		answer, err := client.Generate(ctx, a.Request, sink)
		if err == nil || n == maxToolRefusals || answer.Text != "" || answer.Reasoning != "" {
			return answer, err
		}
		refused, words := a.refusedTools(err)
		if len(refused) == 0 {
			return answer, err
		}
		if err := m.dropTools(ctx, a, refused, words, err); err != nil {
			return answer, err
		}
	}
}

// refusedTools returns the tools of the request whose definition the provider has refused, and its words. A tool of the program whose message the
// turn answers is none of them: the program has to read that its tool was refused.
func (a *attempt) refusedTools(cause error) (refused []llm.Tool, words string) {
	if kind := fault.KindOf(cause); kind != fault.Invalid && kind != fault.Unavailable { // gateways answer 500 for such a refusal, too
		return nil, ""
	}
	_, words, ok := llm.RefusalOf(cause)
	if !ok {
		return nil, ""
	}
	refused = limits.RefusedTools(words, a.Request.Tools)
	if slices.ContainsFunc(refused, func(t llm.Tool) bool { _, is := a.client.names[t.Name]; return is }) {
		return nil, ""
	}
	return refused, words
}

// maxRefusedReason bounds the words of a provider that are kept with a refused tool, in characters.
const maxRefusedReason = 300

// dropTools removes refused tools from the conversation as long as this model answers, with a notice, and from the request. Another attempt after a
// crash finds the rows: it does not offer the tools, and does not send the notice again.
func (m *Model) dropTools(ctx context.Context, a *attempt, refused []llm.Tool, words string, cause error) error {
	var names []string
	var rows []chat.RefusedTool
	for _, t := range refused {
		names = append(names, t.Name)
		rows = append(rows, chat.RefusedTool{Model: a.model, Tool: t.Name, Digest: modelcall.ToolDigest(t), Reason: activities.Shorten(words, maxRefusedReason)})
	}
	say, err := m.sayRefused(ctx, a, strings.Join(names, ", "), cause)
	if err != nil {
		return err
	}
	if _, err := m.ModelRefusals.RecordRefusedTools(ctx, a.step, rows, say); err != nil {
		return err
	}
	a.Drop(names)
	return nil
}

// sayRefused returns the notice about refused tools; nil: none, since consumers do not know the tools of the installation. Only users who may read
// causes get the provider's words. An administrator reads them first, because a sent notice ends what another attempt would do.
func (m *Model) sayRefused(ctx context.Context, a *attempt, names string, cause error) (func(i18n.Lang) string, error) {
	if a.readsCauses(cause) {
		return func(l i18n.Lang) string { return i18n.Say(l, i18n.ModelToolRefused, names, cause.Error()) }, nil
	}
	if err := m.tellRefused(ctx, a, names, cause); err != nil {
		return nil, err
	}
	if a.who.Outside {
		return nil, nil
	}
	return func(l i18n.Lang) string { return i18n.Say(l, i18n.ModelToolRefusedPlain, names) }, nil
}

// tellRefused notifies an administrator why tools are not offered, unless the account at the provider is a user's.
func (m *Model) tellRefused(ctx context.Context, a *attempt, names string, cause error) error {
	if _, own := errors.AsType[llm.OfOwnAccount](cause); own {
		return nil
	}
	of := chat.NoticeKey{Topic: chat.TopicCause, About: "tool " + names + " of " + a.model, What: string(fault.KindOf(cause))}
	_, err := m.Notices.NotifyAdministrator(ctx, of, func(l i18n.Lang) string { return i18n.Say(l, i18n.ModelToolCause, a.model, names, cause.Error()) })
	return err
}
