package context

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/i18n"
	"xbot/internal/llm/usage"
	"xbot/internal/turn/slash"
	"xbot/internal/user/users"
)

// weekDays is the number of the last days in /usage.
const weekDays = 7

// UsageStore stores usage.
type UsageStore interface {
	UsageByDay(ctx context.Context, user chat.UserID, days int) ([]ops.SpentDay, error)
	UsageOf(ctx context.Context, user chat.UserID, key chat.SessionKey) ([]ops.Spent, error)
}

// Media stores the usage of pictures, sound and video.
type Media interface {
	UsageByDay(ctx context.Context, user chat.UserID, days int) ([]ops.MediaDay, error)
	UsageOf(ctx context.Context, user chat.UserID, key chat.SessionKey) ([]ops.MediaSpent, error)
}

// Users stores users.
type Users interface {
	SessionOwner(ctx context.Context, key chat.SessionKey) (users.User, error)
}

// Usage is /usage: the usage of a user.
type Usage struct {
	Usage  UsageStore
	Media  Media
	Users  Users
	Prices usage.Pricer
}

var _ slash.Runner = Usage{}

// Spec describes the command.
func (Usage) Spec() slash.Spec {
	return slash.Spec{Name: "usage", Help: i18n.HelpUsage, Group: slash.GroupContext, Inline: true}
}

// Run shows the usage of today, of the last week and of the conversation.
func (c Usage) Run(ctx context.Context, in slash.Request, _ string) (string, error) {
	user, err := c.whose(ctx, in)
	if err != nil {
		return "", err
	}
	today, err := c.Usage.UsageByDay(ctx, user, 1)
	if err != nil {
		return "", err
	}
	week, err := c.Usage.UsageByDay(ctx, user, weekDays)
	if err != nil {
		return "", err
	}
	here, err := c.Usage.UsageOf(ctx, user, in.Session)
	if err != nil {
		return "", err
	}
	prices, err := c.Prices.Prices(ctx, user)
	if err != nil {
		return "", err
	}
	lang := in.Lang
	made, err := c.media(ctx, in, user)
	if err != nil {
		return "", err
	}
	if len(week) == 0 && len(here) == 0 {
		return cmp.Or(made, i18n.Say(lang, i18n.UsageNone)), nil
	}
	head := "| | " + i18n.Say(lang, i18n.UsageHead) + " |\n|---|---|--:|--:|--:|--:|"
	if len(prices) > 0 {
		head = "| | " + i18n.Say(lang, i18n.UsageHead) + " | " + usage.Currency + " |\n|---|---|--:|--:|--:|--:|--:|"
	}
	lines := []string{head}
	lines = append(lines, rows(prices, i18n.Say(lang, i18n.UsageToday), byModel(today))...)
	lines = append(lines, rows(prices, i18n.Say(lang, i18n.UsageWeek), byModel(week))...)
	lines = append(lines, rows(prices, i18n.Say(lang, i18n.UsageHere), here)...)
	if made != "" {
		lines = append(lines, "", made)
	}
	return strings.Join(lines, "\n"), nil
}

// media is the table of pictures, sound and video; empty if there were none.
func (c Usage) media(ctx context.Context, in slash.Request, user chat.UserID) (string, error) {
	week, err := c.Media.UsageByDay(ctx, user, weekDays)
	if err != nil {
		return "", err
	}
	today, err := c.Media.UsageByDay(ctx, user, 1)
	if err != nil {
		return "", err
	}
	here, err := c.Media.UsageOf(ctx, user, in.Session)
	if err != nil || len(week) == 0 && len(here) == 0 {
		return "", err
	}
	lines := []string{"| | " + i18n.Say(in.Lang, i18n.UsageMedia) + " | " + usage.Currency + " |\n|---|---|--:|--:|--:|"}
	lines = append(lines, mediaRows(in.Lang, i18n.Say(in.Lang, i18n.UsageToday), mediaByModel(today))...)
	lines = append(lines, mediaRows(in.Lang, i18n.Say(in.Lang, i18n.UsageWeek), mediaByModel(week))...)
	lines = append(lines, mediaRows(in.Lang, i18n.Say(in.Lang, i18n.UsageHere), here)...)
	return strings.Join(lines, "\n"), nil
}

// mediaByModel sums days up.
func mediaByModel(days []ops.MediaDay) (out []ops.MediaSpent) {
	for _, d := range days {
		i := slices.IndexFunc(out, func(s ops.MediaSpent) bool { return s.Model == d.Model && s.Kind == d.Kind })
		if i < 0 {
			out = append(out, d.MediaSpent)
			continue
		}
		out[i].Calls, out[i].Units = out[i].Calls+d.Calls, out[i].Units+d.Units
		if d.Cost != nil {
			sum := *d.Cost
			if out[i].Cost != nil {
				sum += *out[i].Cost
			}
			out[i].Cost = &sum
		}
	}
	return out
}

// amounts are the sentences for the units of the kinds of media.
var amounts = map[string]i18n.ID{
	"image": i18n.UsageImage, "speech": i18n.UsageSpeech, "video": i18n.UsageVideo, "transcription": i18n.UsageTranscription, "realtime": i18n.UsageRealtime,
}

// mediaRows are the lines of a table; only the first one has the title.
func mediaRows(lang i18n.Lang, title string, spent []ops.MediaSpent) (out []string) {
	for _, s := range spent {
		cost := ""
		if s.Cost != nil {
			cost = fmt.Sprintf("%.4f", *s.Cost)
		}
		out, title = append(out, fmt.Sprintf("| %s | %s | %d | %s | %s |", title, markdown.Quoted(s.Model), s.Calls, i18n.Say(lang, amounts[s.Kind], s.Units), cost)), ""
	}
	return out
}

// whose is the user whose usage is shown: the sender, but in a group the group. The usage of a user elsewhere is not for all to read.
func (c Usage) whose(ctx context.Context, in slash.Request) (chat.UserID, error) {
	owner, err := c.Users.SessionOwner(ctx, in.Session)
	if err == nil && owner.Group {
		return owner.ID, nil
	}
	return in.User, err
}

// byModel sums days up.
func byModel(days []ops.SpentDay) (out []ops.Spent) {
	for _, d := range days {
		i := slices.IndexFunc(out, func(s ops.Spent) bool { return s.Model == d.Model })
		if i < 0 {
			out = append(out, d.Spent)
			continue
		}
		out[i] = usage.Sum(out[i], d.Spent)
	}
	slices.SortFunc(out, func(a, b ops.Spent) int { return cmp.Compare(b.Tokens(), a.Tokens()) })
	return out
}

// rows are the lines of a table; only the first one has the title.
func rows(prices usage.Prices, title string, spent []ops.Spent) (out []string) {
	for _, s := range spent {
		row := fmt.Sprintf("| %s | %s | %d | %s | %s | %s |", title, markdown.Quoted(s.Model), s.Calls, markdown.Tokens(s.PromptTokens), markdown.Tokens(s.CachedTokens), markdown.Tokens(s.CompletionTokens))
		if len(prices) > 0 {
			cost := ""
			if paid := prices.Cost(s); paid != nil {
				cost = fmt.Sprintf("%.4f", *paid)
			}
			row += " " + cost + " |"
		}
		out, title = append(out, row), ""
	}
	return out
}
