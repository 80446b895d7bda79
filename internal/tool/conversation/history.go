package conversation

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed chathistory.md
var historyDoc string

// How many messages ChatHistory shows, and in how many characters.
const (
	usualHistory    = 10
	maxHistory      = 50
	maxHistoryShown = 16_000
)

// Unseen is the part of a conversation that its model does not see (store search).
type Unseen interface {
	// Unseen returns the newest of it, the oldest first. It is of that conversation alone. It returns Invalid if the query cannot be searched for.
	Unseen(ctx context.Context, session chat.SessionKey, q chat.UnseenQuery) ([]chat.UnseenEntry, error)
}

type historyParams struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"default 10"`
	Query  string `json:"query,omitempty"`
	Before string `json:"before,omitempty" jsonschema:"m12 or o3: older than that"`
}

type history struct {
	unseen Unseen
	zones  tool.Zones
}

// NewHistory returns the tool ChatHistory: the messages of the call's conversation that are not in its context.
func NewHistory(unseen Unseen, zones tool.Zones) tool.Tool {
	return tool.Define("ChatHistory", chat.ClassRead, historyDoc, history{unseen, zones}, tool.Optional("history"))
}

func (history) Summary(p historyParams) string { return strings.TrimSpace(p.Query + " " + p.Before) }

func (h history) Run(ctx context.Context, call tool.Call, p historyParams) (chat.ToolResult, error) {
	limit := p.Limit
	if limit <= 0 {
		limit = usualHistory
	}
	limit = min(limit, maxHistory)
	before, err := unseenID(p.Before)
	if err != nil {
		return tool.FromError(err)
	}
	zone, err := h.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	found, err := h.unseen.Unseen(ctx, call.Session, chat.UnseenQuery{Text: p.Query, Before: before, N: limit + 1})
	if err != nil {
		return tool.FromError(fmt.Errorf("read the history: %w", err))
	}
	if len(found) == 0 {
		return tool.Text("There is nothing of the kind beside what you see."), nil
	}
	more := len(found) > limit
	if more {
		found = found[1:]
	}
	lines, cut := historyLines(found, zone)
	if more || cut > 0 {
		lines = append(lines, fmt.Sprintf("(there is more: before=%q)", nameOf(found[cut].ID)))
	}
	return tool.Text(strings.Join(lines, "\n")), nil
}

// historyLines returns the newest entries that fit, the oldest first, and how many older ones do not. Further lines of a text are indented, so that it
// does not look like a message of another sender.
func historyLines(found []chat.UnseenEntry, zone *time.Location) (lines []string, cut int) {
	room := maxHistoryShown
	for i, e := range slices.Backward(found) {
		text := strings.ReplaceAll(strings.TrimSpace(tool.Cut(e.Text, maxText)), "\n", "\n  ")
		line := fmt.Sprintf("[%s %s %s] %s", nameOf(e.ID), e.At.In(zone).Format(minutes), tool.OneLine(e.Who, 80), text)
		if room -= utf8.RuneCountInString(line); room < 0 && len(lines) > 0 {
			cut = i + 1
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return lines, cut
}

// nameOf returns a model's name of an entry.
func nameOf(id chat.UnseenID) string {
	if id.Overheard != 0 {
		return "o" + strconv.FormatInt(id.Overheard, 10)
	}
	return "m" + strconv.FormatInt(int64(id.Message), 10)
}

// unseenID reads what nameOf writes; a number alone is that of a message. Empty: nothing is named.
func unseenID(text string) (id chat.UnseenID, err error) {
	text = strings.ToLower(strings.Trim(strings.TrimSpace(text), "[]"))
	if text == "" {
		return id, nil
	}
	digits, overheard := strings.CutPrefix(text, "o")
	n, err := strconv.ParseInt(strings.TrimPrefix(digits, "m"), 10, 64)
	switch {
	case err != nil || n <= 0:
		return id, fault.Errorf(fault.Invalid, "before is %q; write it as it stands before a message, such as m12", tool.Cut(text, 40))
	case overheard:
		id.Overheard = n
	default:
		id.Message = chat.MessageID(n)
	}
	return id, nil
}
