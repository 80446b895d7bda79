package conversation

import (
	"context"
	"strings"
	"time"

	"xbot/internal/automation/cron"
	"xbot/internal/automation/schedule"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// Cron is /cron: jobs at certain times. The jobs of a group belong to the group.
type Cron struct {
	Conversations Conversations
	Cron          CronStore
	Jobs          *cron.Jobs
}

var _ slashcommand.Runner = Cron{}

// Spec describes the command.
func (Cron) Spec() slashcommand.Spec {
	return slashcommand.Spec{
		Name: "cron", Usage: "[list|add WHEN MESSAGE…|edit JOB when WHEN|edit JOB message MESSAGE…|edit JOB name NAME|edit JOB timezone ZONE|edit JOB missed once|edit JOB missed skip|edit JOB missed all|pause JOB|resume JOB|run JOB|remove JOB|runs JOB]",
		Help: i18n.HelpCron, Group: slashcommand.GroupConversation,
	}
}

// shownRuns is how many runs a user is shown.
const shownRuns = 10

// Run runs the subcommand of the first word.
func (c Cron) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	_, owner, err := c.Conversations.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	who := cron.Caller{User: owner}
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

func (c Cron) add(ctx context.Context, who cron.Caller, in slashcommand.Request, text string) (string, error) {
	now, err := c.Cron.Clock(ctx)
	if err != nil {
		return "", err
	}
	zone, err := c.Jobs.Zone(ctx, who.User)
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
	j, err := c.Jobs.Add(ctx, who, chat.JobPlan{When: when, Zone: spec.Zone, Message: message, Target: in.Session}, cron.From{Home: in.Session, Once: in.Key()})
	if err != nil {
		return "", err
	}
	return i18n.Say(in.Lang, i18n.CronAdded, j.ID, markdown.Escaped(j.Name), shownAt(j.Next, j.Zone)), nil
}

func (c Cron) one(ctx context.Context, who cron.Caller, in slashcommand.Request, verb, word string) (string, error) {
	j, err := c.Jobs.Find(ctx, who, word)
	if err != nil {
		return "", err
	}
	name := markdown.Escaped(j.Name)
	switch verb {
	case "pause":
		_, err := c.Jobs.Pause(ctx, who, j.ID)
		return i18n.Say(in.Lang, i18n.CronPaused, name), err
	case "resume":
		now, err := c.Jobs.Resume(ctx, who, j.ID)
		return i18n.Say(in.Lang, i18n.CronResumed, name, shownAt(now.Next, j.Zone)), err
	case "run":
		return i18n.Say(in.Lang, i18n.CronRan, name), c.Jobs.Run(ctx, who, j.ID, in.PlatformID)
	case "remove":
		return i18n.Say(in.Lang, i18n.CronRemoved, name), c.Jobs.Remove(ctx, who, j.ID)
	}
	runs, err := c.Jobs.Runs(ctx, who, j.ID, shownRuns)
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

func (c Cron) list(ctx context.Context, who cron.Caller, lang i18n.Lang) (string, error) {
	all, err := c.Jobs.List(ctx, who, false)
	if err != nil {
		return "", err
	}
	zone, err := c.Jobs.Zone(ctx, who.User)
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

// cronLine returns a job in the form for users.
func cronLine(j chat.Job, lang i18n.Lang) string {
	parts := []string{"* `" + string(j.ID) + "` " + markdown.Escaped(j.Name), "`" + j.When + "` (" + j.Zone + ")", cronState(j, lang)}
	if j.Last != nil {
		parts = append(parts, i18n.Say(lang, i18n.CronLast, shownAt(&j.Last.Scheduled, j.Zone), outcome(*j.Last, lang)))
	}
	return strings.Join(parts, " · ")
}

// cronState describes the state of a job.
func cronState(j chat.Job, lang i18n.Lang) string {
	switch {
	case j.Next != nil:
		return i18n.Say(lang, i18n.CronNext, shownAt(j.Next, j.Zone))
	case j.Trouble == chat.TroubleGone:
		return i18n.Say(lang, i18n.CronIsPaused) + ", " + i18n.Say(lang, i18n.CronGone)
	case j.Trouble == chat.TroubleCrashed:
		return i18n.Say(lang, i18n.CronIsPaused) + ", " + i18n.Say(lang, i18n.CronCrashed)
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

// shownAt returns a time in the form for users of a timezone.
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
