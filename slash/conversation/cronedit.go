package conversation

import (
	"context"
	"strings"

	"xbot/internal/automation/cron"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// cronFields are the words for the fields of a job that users can change.
var cronFields = map[string]func(p *chat.JobPlan) *string{
	"when":     func(p *chat.JobPlan) *string { return &p.When },
	"message":  func(p *chat.JobPlan) *string { return &p.Message },
	"name":     func(p *chat.JobPlan) *string { return &p.Name },
	"timezone": func(p *chat.JobPlan) *string { return &p.Zone },
	"missed":   func(p *chat.JobPlan) *string { return &p.Missed },
}

// edit changes one field of a job: its id or name, the word of the field, and the new value.
func (c Cron) edit(ctx context.Context, who cron.Caller, in slashcommand.Request, text string) (string, error) {
	j, field, value, err := c.edited(ctx, who, text)
	if err != nil {
		return "", err
	}
	j, err = c.Jobs.Change(ctx, who, j.ID, 0, func(p *chat.JobPlan) { *cronFields[field](p) = value })
	if err != nil {
		return "", err
	}
	return i18n.Say(in.Lang, i18n.CronChanged, cronLine(j, in.Lang)), nil
}

// edited takes an edit apart. A name may hold words for things: the first one behind something that is a job counts.
func (c Cron) edited(ctx context.Context, who cron.Caller, text string) (j chat.Job, field, value string, err error) {
	err = i18n.Fault(fault.Invalid, i18n.CronUsage)
	word, rest := slashcommand.FirstWord(text)
	for job := word; rest != ""; job += " " + word {
		word, rest = slashcommand.FirstWord(rest)
		field = strings.ToLower(word)
		if cronFields[field] == nil || rest == "" {
			continue
		}
		found, unknown := c.Jobs.Find(ctx, who, job)
		if unknown == nil {
			return found, field, rest, nil
		}
		err = unknown
	}
	return chat.Job{}, "", "", err
}
