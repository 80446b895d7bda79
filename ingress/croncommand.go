package ingress

import (
	"context"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/cron"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/markdown"
	"xbot/internal/schedule"
	"xbot/internal/store"
)

// Crons is the command about what is done at certain times. The jobs of a group belong to the group.
type Crons struct {
	Store interface {
		Clock(ctx context.Context) (time.Time, error)
		UserByID(ctx context.Context, id chat.UserID) (store.User, error)
		Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
	}
	Desk *cron.Jobs
}

// Commands returns /cron.
func (c *Crons) Commands() []Command {
	return []Command{{
		Name: "cron", Usage: "[list|add WHEN MESSAGE…|edit JOB when WHEN|edit JOB message MESSAGE…|edit JOB name NAME|edit JOB timezone ZONE|edit JOB missed once|edit JOB missed skip|edit JOB missed all|pause JOB|resume JOB|run JOB|remove JOB|runs JOB]", Help: i18n.HelpCron, Group: GroupConversation, Run: c.obey,
	}}
}

// shownRuns is how many runs a person is shown.
const shownRuns = 10

func (c *Crons) obey(ctx context.Context, in Inbound, args string) (string, error) {
	_, owner, err := c.Store.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	who := cron.Who{User: owner}
	verb, rest, _ := strings.Cut(strings.TrimSpace(args), " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(verb) {
	case "", "list":
		return c.list(ctx, who, in.Lang)
	case "add":
		if rest != "" {
			return c.add(ctx, who, in, rest)
		}
	case "edit":
		return c.edit(ctx, who, in, rest)
	case "pause", "resume", "run", "remove", "runs":
		if rest != "" {
			return c.one(ctx, who, in, strings.ToLower(verb), rest)
		}
	}
	return "", i18n.Fault(fault.Invalid, i18n.CronUsage)
}

func (c *Crons) add(ctx context.Context, who cron.Who, in Inbound, text string) (string, error) {
	now, err := c.Store.Clock(ctx)
	if err != nil {
		return "", err
	}
	zone, err := c.Desk.Zone(ctx, who.User)
	if err != nil {
		return "", err
	}
	spec, message, err := schedule.ReadPrefix(text, zone.Name, now)
	if err != nil {
		return "", err
	}
	if message == "" {
		return "", i18n.Fault(fault.Invalid, i18n.CronUsage)
	}
	when := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), message))
	j, err := c.Desk.Add(ctx, who, chat.JobPlan{When: when, Zone: spec.Zone, Message: message, Target: in.Session}, cron.From{Home: in.Session, Once: in.Channel + "/" + in.Account + "/" + in.PlatformID})
	if err != nil {
		return "", err
	}
	return i18n.Say(in.Lang, i18n.CronAdded, j.ID, markdown.Escaped(j.Name), shownAt(j.Next, j.Zone)), nil
}

func (c *Crons) one(ctx context.Context, who cron.Who, in Inbound, verb, word string) (string, error) {
	j, err := c.Desk.Find(ctx, who, word)
	if err != nil {
		return "", err
	}
	name := markdown.Escaped(j.Name)
	switch verb {
	case "pause":
		_, err := c.Desk.Pause(ctx, who, j.ID)
		return i18n.Say(in.Lang, i18n.CronPaused, name), err
	case "resume":
		now, err := c.Desk.Resume(ctx, who, j.ID)
		return i18n.Say(in.Lang, i18n.CronResumed, name, shownAt(now.Next, j.Zone)), err
	case "run":
		return i18n.Say(in.Lang, i18n.CronRan, name), c.Desk.Run(ctx, who, j.ID, in.PlatformID)
	case "remove":
		return i18n.Say(in.Lang, i18n.CronRemoved, name), c.Desk.Remove(ctx, who, j.ID)
	}
	runs, err := c.Desk.Runs(ctx, who, j.ID, shownRuns)
	if err != nil {
		return "", err
	}
	if len(runs) == 0 {
		return i18n.Say(in.Lang, i18n.CronNever, name), nil
	}
	var lines []string
	for _, r := range runs {
		text := "* " + shownAt(&r.Scheduled, j.Zone) + " · " + outcome(r, in.Lang)
		if r.Said != "" {
			text += " · " + markdown.Escaped(r.Said)
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n"), nil
}

func (c *Crons) list(ctx context.Context, who cron.Who, lang i18n.Lang) (string, error) {
	all, err := c.Desk.List(ctx, who, false)
	if err != nil {
		return "", err
	}
	zone, err := c.Desk.Zone(ctx, who.User)
	if err != nil {
		return "", err
	}
	lines := make([]string, len(all), len(all)+2)
	for i, j := range all {
		lines[i] = cronLine(j, lang)
	}
	if len(all) == 0 {
		lines = append(lines, i18n.Say(lang, i18n.CronNone))
	}
	lines = append(lines, "", i18n.Say(lang, i18n.ID("cron_zone_"+zone.From), zone.Name))
	return strings.Join(lines, "\n"), nil
}

// cronLine is a job as people read it.
func cronLine(j chat.Job, lang i18n.Lang) string {
	parts := []string{"* `" + string(j.ID) + "` " + markdown.Escaped(j.Name), "`" + j.When + "` (" + j.Zone + ")", cronState(j, lang)}
	if j.Last != nil {
		parts = append(parts, i18n.Say(lang, i18n.CronLast, shownAt(&j.Last.Scheduled, j.Zone), outcome(*j.Last, lang)))
	}
	return strings.Join(parts, " · ")
}

// cronState says how a job stands.
func cronState(j chat.Job, lang i18n.Lang) string {
	switch {
	case j.Next != nil:
		return i18n.Say(lang, i18n.CronNext, shownAt(j.Next, j.Zone))
	case j.Trouble == chat.TroubleGone:
		return i18n.Say(lang, i18n.CronIsPaused) + ", " + i18n.Say(lang, i18n.CronGone)
	case j.Trouble != "":
		return i18n.Say(lang, i18n.CronIsPaused) + ", " + i18n.Say(lang, i18n.CronInvalid)
	case j.State == chat.JobPaused:
		return i18n.Say(lang, i18n.CronIsPaused)
	}
	return i18n.Say(lang, i18n.CronIsDone)
}

func outcome(r chat.JobRun, lang i18n.Lang) string {
	return i18n.Say(lang, i18n.ID("cron_out_"+r.Outcome))
}

// shownAt is a time as people of a timezone read it.
func shownAt(at *time.Time, zone string) string {
	if at == nil {
		return "-"
	}
	t := *at
	if known, err := schedule.Zone(zone); err == nil {
		t = t.In(known)
	}
	return t.Format("2006-01-02 15:04 MST")
}
