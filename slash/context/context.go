package context

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/contextview"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/turn/tokens"
)

const (
	// largest is how many of the largest messages /context detail names.
	largest = 10
	// shownWords bounds the text of a message in a table, in characters.
	shownWords = 60
)

// Viewer shows what models see of conversations.
type Viewer interface {
	Of(ctx context.Context, s chat.Session) (contextview.Context, error)
	SetMode(ctx context.Context, key chat.SessionKey, mode string) error
	Request(ctx context.Context, key chat.SessionKey, turn chat.TurnID, step int) (contextview.SentRequest, error)
}

// StepStore reads sessions and their steps.
type StepStore interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
	LastStep(ctx context.Context, key chat.SessionKey) (chat.Step, error)
}

// Context is /context: how full the context of a conversation is, and with what.
type Context struct {
	Viewer Viewer
	Store  StepStore
}

var _ slashcommand.Runner = Context{}

// Spec describes the command.
func (Context) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "context", Usage: "[list|detail|mode default|mode none]", Help: i18n.HelpContext, Group: slashcommand.GroupContext}
}

// Run runs the subcommand of the first word.
func (c Context) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	lang := in.Lang
	s, _, err := c.Store.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	switch words := strings.Fields(strings.ToLower(args)); {
	case len(words) == 0 || len(words) == 1 && words[0] == "info":
		return c.say(ctx, s, lang, false)
	case len(words) == 1 && words[0] == "list":
		return c.say(ctx, s, lang, true)
	case len(words) == 1 && words[0] == "detail":
		return c.detail(ctx, s.Key, lang)
	case len(words) == 2 && words[0] == "mode" && (words[1] == chat.ContextDefault || words[1] == chat.ContextNone):
		if err := c.Viewer.SetMode(ctx, s.Key, words[1]); err != nil {
			return "", err
		}
		return i18n.Say(lang, i18n.ContextModeSet, words[1]), nil
	}
	return "", i18n.Fault(fault.Invalid, i18n.ContextUsage)
}

// say describes how full the context is and with what; whole names every part and tool.
func (c Context) say(ctx context.Context, s chat.Session, lang i18n.Lang, whole bool) (string, error) {
	d, err := c.Viewer.Of(ctx, s)
	if err != nil {
		return "", err
	}
	if d.Tools.Count == 0 && len(d.Parts) == 0 {
		return i18n.Say(lang, i18n.ContextNothing), nil
	}
	source := i18n.ContextEstimate
	if d.Source == contextview.SourceProvider {
		source = i18n.ContextProvider
	}
	percent := d.Used * 100 / max(1, d.MaxContext)
	mode := i18n.Say(lang, i18n.ContextModeNone)
	if d.Mode != chat.ContextNone {
		mode = i18n.Say(lang, i18n.ContextModeIs, d.Mode, markdown.Tokens(int64(d.MaskAt)), markdown.Tokens(int64(d.CompressAt)))
	}
	lines := []string{
		i18n.Say(lang, i18n.ContextFill, markdown.Tokens(int64(d.Used)), markdown.Tokens(int64(d.MaxContext)), percent, i18n.Say(lang, source), markdown.Quoted(d.Model)),
		"", mode, "", "| " + i18n.Say(lang, i18n.ContextWhat) + " |\n|---|--:|--:|",
	}
	lines = append(lines, contextTable(d, lang, whole)...)
	lines = append(lines, "", i18n.Say(lang, i18n.ContextLayers, d.Offloads, d.Masks, d.Stale, d.Edits))
	if n := len(d.Compactions); n > 0 {
		newest := d.Compactions[0]
		lines = append(lines, i18n.Say(lang, i18n.ContextCompacted, n, markdown.Tokens(int64(newest.TokensBefore)), markdown.Tokens(int64(newest.TokensAfter))))
	}
	return strings.Join(lines, "\n"), nil
}

func contextTable(out contextview.Context, lang i18n.Lang, whole bool) (rows []string) {
	if !whole {
		sum := contextview.Share{}
		for _, p := range out.Parts {
			sum.Bytes, sum.Tokens = sum.Bytes+p.Bytes, sum.Tokens+p.Tokens
		}
		rows = append(rows, row(i18n.Say(lang, i18n.ContextSystem), sum.Bytes, sum.Tokens))
	}
	bytes := 0
	for _, t := range out.Tools.List {
		bytes += t.Bytes
	}
	if whole {
		for _, p := range out.Parts {
			rows = append(rows, row(i18n.Say(lang, i18n.ContextSystem)+" · "+markdown.Quoted(p.Key), p.Bytes, p.Tokens))
		}
	}
	rows = append(rows, row(i18n.Say(lang, i18n.ContextTools, out.Tools.Count), bytes, out.Tools.Tokens))
	if whole {
		for _, t := range out.Tools.List {
			rows = append(rows, row("· "+markdown.Quoted(t.Name), t.Bytes, t.Tokens))
		}
	}
	for _, m := range []struct {
		id i18n.ID
		contextview.Share
	}{{i18n.ContextUser, out.Messages.User}, {i18n.ContextAssistant, out.Messages.Assistant}, {i18n.ContextResults, out.Messages.Tool}} {
		rows = append(rows, row(i18n.Say(lang, m.id, m.Count), m.Bytes, m.Tokens))
	}
	return rows
}

func row(what string, bytes, tokens int) string {
	return fmt.Sprintf("| %s | %s | %s |", what, markdown.Bytes(bytes), markdown.Tokens(int64(tokens)))
}

// detail describes the last request as it really was.
func (c Context) detail(ctx context.Context, key chat.SessionKey, lang i18n.Lang) (string, error) {
	step, err := c.Store.LastStep(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return i18n.Say(lang, i18n.ContextNothing), nil
	}
	if err != nil {
		return "", err
	}
	r, err := c.Viewer.Request(ctx, key, step.Turn, step.N)
	if err != nil {
		return "", err
	}
	exact := i18n.ContextInexact
	if r.Exact {
		exact = i18n.ContextExact
	}
	lines := []string{
		i18n.Say(lang, i18n.ContextSent, step.N, step.Turn, markdown.Bytes(r.Bytes)),
		i18n.Say(lang, i18n.ContextCounts, markdown.Tokens(int64(r.EstimatedTokens)), markdown.Tokens(int64(r.PromptTokens))),
		i18n.Say(lang, exact, r.Hash[:min(len(r.Hash), 12)]),
	}
	if r.Pruned {
		lines = append(lines, i18n.Say(lang, i18n.ContextPruned))
	}
	lines = append(lines, "", "| "+i18n.Say(lang, i18n.ContextLargest)+" |\n|---|--:|--:|")
	lines = append(lines, largestOf(r, lang)...)
	if r.Reminder != "" {
		lines = append(lines, "", i18n.Say(lang, i18n.ContextReminder), "", "> "+strings.ReplaceAll(r.Reminder, "\n", "\n> "))
	}
	at := fmt.Sprintf("/api/sessions/%s/turns/%s/steps/%d/request", url.PathEscape(string(key)), url.PathEscape(string(step.Turn)), step.N)
	return strings.Join(append(lines, "", i18n.Say(lang, i18n.ContextWhole, at)), "\n"), nil
}

// largestOf returns the rows for the largest parts of a request.
func largestOf(r contextview.SentRequest, lang i18n.Lang) []string {
	type piece struct {
		what string
		text string
	}
	pieces := []piece{{i18n.Say(lang, i18n.ContextSystem), r.System}}
	for _, t := range r.Tools {
		pieces = append(pieces, piece{markdown.Quoted(t.Name), t.Name + t.Description + t.Parameters})
	}
	for i, m := range r.Messages {
		texts := []string{m.Content, m.Reasoning}
		for _, call := range m.ToolCalls {
			texts = append(texts, call.Name, call.Arguments)
		}
		line := strings.Join(strings.Fields(m.Content[:min(len(m.Content), shownWords*8)]), " ")
		words := strings.ReplaceAll(chat.FirstWords(chat.Clean(line), shownWords), "|", "\\|")
		pieces = append(pieces, piece{fmt.Sprintf("%d · %s · %s", i+1, m.Role, markdown.Code(words)), strings.Join(texts, "")})
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(len(b.text), len(a.text)) })
	var rows []string
	for _, p := range pieces[:min(len(pieces), largest)] {
		rows = append(rows, row(p.what, len(p.text), tokens.Count(p.text)))
	}
	return rows
}
