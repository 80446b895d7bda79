package delivery

import (
	"strconv"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// planCard returns a plan that a user is asked to approve. Where there are no forms, a note is given in words.
func planCard(a chat.Asking, forms bool) *channel.Question {
	say := func(id i18n.ID) string { return i18n.Say(i18n.Lang(a.Lang), id) }
	q := &channel.Question{
		ID: string(a.Call.ID), Title: planTitle(a), Text: planText(a),
		Buttons: []channel.Button{
			{Name: chat.PressAllow, Label: say(i18n.PlanApprove), Style: "primary"},
			{Name: chat.PressDeny, Label: say(i18n.PlanReject)},
		},
	}
	if forms {
		q.Fields = []channel.Field{{Name: chat.PressNote, Label: say(i18n.PlanNote)}}
	} else {
		q.Text += "\n\n" + say(i18n.PlanHow)
	}
	return q
}

func planTitle(a chat.Asking) string {
	if title := a.Call.Plan.Title; title != "" {
		return i18n.Say(i18n.Lang(a.Lang), i18n.PlanTitled, line(title))
	}
	return i18n.Say(i18n.Lang(a.Lang), i18n.PlanTitle)
}

// maxPlan bounds the steps that are shown, in characters: cards take no more.
const maxPlan = 3000

// planText returns the steps of a plan with its questions, as Markdown.
func planText(a chat.Asking) string {
	var parts []string
	if r := strings.TrimSpace(a.Call.Approval.Reason); r != "" {
		parts = append(parts, quoted(r))
	}
	steps := make([]string, len(a.Call.Plan.Steps))
	for i, step := range a.Call.Plan.Steps {
		steps[i] = strconv.Itoa(i+1) + ". " + line(step)
	}
	shown, more := shortened(strings.Join(steps, "\n"), maxPlan, i18n.Lang(a.Lang))
	if parts = append(parts, shown); more != "" {
		parts = append(parts, more)
	}
	if asks := a.Call.Plan.Questions; len(asks) > 0 {
		lines := []string{i18n.Say(i18n.Lang(a.Lang), i18n.PlanAsks)}
		for _, ask := range asks {
			lines = append(lines, "- "+line(ask))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return strings.Join(parts, "\n\n")
}
