package letta

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed recall.md
var recallDoc string

// defaultRecalled is how many messages are recalled by default.
const defaultRecalled = 10

// Past is the messages in the conversations of a user.
type Past interface {
	// SearchPast returns entries of the log and then messages, by words or time, outside of what session shows its model.
	SearchPast(ctx context.Context, user chat.UserID, session chat.SessionKey, q chat.PastQuery) ([]chat.PastEntry, error)
}

type recallParams struct {
	Query string `json:"query,omitempty"`
	From  string `json:"start_date,omitempty"`
	To    string `json:"end_date,omitempty"`
	Limit int    `json:"limit,omitempty"`
}

type recall struct {
	past  Past
	zones tool.Zones
}

// NewRecall returns the tool recall_memory_search.
func NewRecall(past Past, zones tool.Zones) tool.Tool {
	return tool.Define("recall_memory_search", chat.ClassRead, recallDoc, recall{past, zones})
}

func (recall) Summary(p recallParams) string {
	return strings.TrimSpace(p.Query + " " + strings.Trim(p.From+"–"+p.To, "–"))
}

func (r recall) Run(ctx context.Context, call tool.Call, p recallParams) (chat.ToolResult, error) {
	q := chat.PastQuery{Text: p.Query, N: bounded(p.Limit, defaultRecalled)}
	zone, err := r.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	if q.Since, err = dayOf("start_date", p.From, 0, zone); err != nil {
		return tool.FromError(err)
	}
	if q.Until, err = dayOf("end_date", p.To, 1, zone); err != nil {
		return tool.FromError(err)
	}
	if strings.TrimSpace(p.Query) == "" && q.Since.IsZero() && q.Until.IsZero() {
		return tool.Fail("there is nothing to search for; give query, or start_date and end_date"), nil
	}
	found, err := r.past.SearchPast(ctx, call.User, call.Session, q)
	if err != nil {
		return tool.FromError(fmt.Errorf("search what was said: %w", err))
	}
	if len(found) == 0 {
		return tool.Text("Nothing is found."), nil
	}
	lines := make([]string, len(found))
	for i, f := range found {
		lines[i] = fmt.Sprintf("[%s %s] %s", f.At.In(zone).Format("2006-01-02 15:04"), f.Who, strings.Join(strings.Fields(f.Text), " "))
	}
	return tool.Text(strings.Join(lines, "\n")), nil
}

// dayOf reads a day, or a time in RFC 3339; a day alone means where it begins in a zone, some days later. Empty: the zero time.
func dayOf(name, text string, later int, zone *time.Location) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return day.AddDate(0, 0, later), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fault.Errorf(fault.Invalid, "%s is %q; write it as 2026-11-22", name, tool.Cut(text, 40))
	}
	return at, nil
}
