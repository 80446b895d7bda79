package ingress

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/markdown"
	"xbot/internal/store"
	"xbot/internal/usage"
)

// weekDays is what /usage calls the last days.
const weekDays = 7

// Meter tells people what they have used.
type Meter struct {
	Store  *store.Store
	Prices usage.Prices
}

// UsageReport is what a person has used, by day and by session, each by model.
type UsageReport struct {
	Days     []chat.SpentDay     `json:"days" doc:"Newest first."`
	Sessions []chat.SpentSession `json:"sessions" doc:"Those with most tokens first."`
	Total    chat.Spent          `json:"total" doc:"Of all models; its cost is that of the models with a price."`
	Currency string              `json:"currency" example:"USD"`
}

// Of returns what a user has used in the last days, today included.
func (m *Meter) Of(ctx context.Context, user chat.UserID, days int) (UsageReport, error) {
	out := UsageReport{Days: []chat.SpentDay{}, Sessions: []chat.SpentSession{}, Currency: usage.Currency}
	byDay, err := m.Store.UsageByDay(ctx, user, days)
	if err != nil {
		return out, err
	}
	bySession, err := m.Store.UsageBySession(ctx, user, days)
	if err != nil {
		return out, err
	}
	out.Days, out.Sessions = append(out.Days, byDay...), append(out.Sessions, bySession...)
	for i := range out.Days {
		out.Days[i].Cost = m.Prices.Cost(out.Days[i].Spent)
		out.Total = usage.Sum(out.Total, out.Days[i].Spent)
	}
	for i := range out.Sessions {
		out.Sessions[i].Cost = m.Prices.Cost(out.Sessions[i].Spent)
	}
	slices.SortStableFunc(out.Sessions, func(a, b chat.SpentSession) int { return cmp.Compare(b.Tokens(), a.Tokens()) })
	return out, nil
}

// Commands returns /usage.
func (m *Meter) Commands() []Command {
	return []Command{{Name: "usage", Help: i18n.HelpUsage, Group: GroupContext, Inline: true, Run: m.say}}
}

func (m *Meter) say(ctx context.Context, in Inbound, _ string) (string, error) {
	user, err := m.whose(ctx, in)
	if err != nil {
		return "", err
	}
	today, err := m.Store.UsageByDay(ctx, user, 1)
	if err != nil {
		return "", err
	}
	week, err := m.Store.UsageByDay(ctx, user, weekDays)
	if err != nil {
		return "", err
	}
	here, err := m.Store.UsageOf(ctx, user, in.Session)
	if err != nil {
		return "", err
	}
	lang := in.Lang
	if len(week) == 0 && len(here) == 0 {
		return i18n.Say(lang, i18n.UsageNone), nil
	}
	head := "| | " + i18n.Say(lang, i18n.UsageHead) + " |\n|---|---|--:|--:|--:|--:|"
	if m.Prices.Known {
		head = "| | " + i18n.Say(lang, i18n.UsageHead) + " | " + usage.Currency + " |\n|---|---|--:|--:|--:|--:|--:|"
	}
	lines := []string{head}
	lines = append(lines, m.rows(i18n.Say(lang, i18n.UsageToday), byModel(today))...)
	lines = append(lines, m.rows(i18n.Say(lang, i18n.UsageWeek), byModel(week))...)
	lines = append(lines, m.rows(i18n.Say(lang, i18n.UsageHere), here)...)
	return strings.Join(lines, "\n"), nil
}

// whose is the user of whom /usage tells: who asks, but in a group the group. What a person uses elsewhere is not for all to read.
func (m *Meter) whose(ctx context.Context, in Inbound) (chat.UserID, error) {
	owner, err := m.Store.SessionOwner(ctx, in.Session)
	if err == nil && owner.Group {
		return owner.ID, nil
	}
	return in.User, err
}

// byModel sums days up.
func byModel(days []chat.SpentDay) (out []chat.Spent) {
	for _, d := range days {
		i := slices.IndexFunc(out, func(s chat.Spent) bool { return s.Model == d.Model })
		if i < 0 {
			out = append(out, d.Spent)
			continue
		}
		out[i] = usage.Sum(out[i], d.Spent)
	}
	slices.SortFunc(out, func(a, b chat.Spent) int { return cmp.Compare(b.Tokens(), a.Tokens()) })
	return out
}

// rows are the lines of a table; only the first one says what they are about.
func (m *Meter) rows(title string, spent []chat.Spent) (out []string) {
	for _, s := range spent {
		row := fmt.Sprintf("| %s | %s | %d | %s | %s | %s |", title, markdown.Quoted(s.Model), s.Calls, markdown.Tokens(s.PromptTokens), markdown.Tokens(s.CachedTokens), markdown.Tokens(s.CompletionTokens))
		if m.Prices.Known {
			cost := ""
			if paid := m.Prices.Cost(s); paid != nil {
				cost = fmt.Sprintf("%.4f", *paid)
			}
			row += " " + cost + " |"
		}
		out, title = append(out, row), ""
	}
	return out
}
