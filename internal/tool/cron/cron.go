// Package cron holds the tool with which a model manages jobs: tasks at certain times.
package cron

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"xbot/internal/automation/cron"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed cron.md
var doc string

// Jobs takes requests about jobs.
type Jobs interface {
	List(ctx context.Context, w cron.Caller, all bool) ([]chat.Job, error)
	Find(ctx context.Context, w cron.Caller, word string) (chat.Job, error)
	Add(ctx context.Context, w cron.Caller, p chat.JobPlan, from cron.From) (chat.Job, error)
	Change(ctx context.Context, w cron.Caller, id chat.JobID, revision int64, edit func(p *chat.JobPlan)) (chat.Job, error)
	Pause(ctx context.Context, w cron.Caller, id chat.JobID) (chat.Job, error)
	Resume(ctx context.Context, w cron.Caller, id chat.JobID) (chat.Job, error)
	Remove(ctx context.Context, w cron.Caller, id chat.JobID) error
	Run(ctx context.Context, w cron.Caller, id chat.JobID, once string) error
	Runs(ctx context.Context, w cron.Caller, id chat.JobID, most int) ([]chat.JobRun, error)
}

type params struct {
	Action   string `json:"action" jsonschema:"add, list, edit, pause, resume, run, remove or runs"`
	Job      string `json:"job,omitempty" jsonschema:"id or name"`
	When     string `json:"when,omitempty" jsonschema:"0 9 * * 1-5, @daily, every 30m, at 2026-03-29 08:00 or in 20m"`
	Timezone string `json:"timezone,omitempty" jsonschema:"IANA"`
	Message  string `json:"message,omitempty" jsonschema:"what you are told then"`
	Name     string `json:"name,omitempty"`
	Isolated bool   `json:"isolated,omitempty" jsonschema:"add: each run in a fresh conversation, answers come here"`
	Missed   string `json:"missed,omitempty" jsonschema:"times while the server was down: once (default), skip or all"`
	Reason   string `json:"reason,omitempty"`
}

type jobs struct{ store Jobs }

// New returns the tool Cron. A call that runs again finds what it did: a job is made once for each call, and a run is one.
func New(store Jobs) tool.Tool {
	return tool.DefineQuick("Cron", chat.ClassIdempotent, doc, jobs{store})
}

func (jobs) Summary(p params) string {
	return strings.Join(strings.Fields(p.Action+" "+p.Job+" "+p.When+" "+p.Message), " ")
}

func (j jobs) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	said, err := j.do(ctx, call, p)
	if err != nil {
		return tool.FromError(err)
	}
	return tool.Text(said), nil
}

func (j jobs) do(ctx context.Context, call tool.Call, p params) (string, error) {
	who := cron.Caller{User: call.User}
	action := strings.ToLower(strings.TrimSpace(p.Action))
	switch action {
	case "list":
		all, err := j.store.List(ctx, who, false)
		return lines(all), err
	case "add":
		return j.add(ctx, call, who, p)
	case "edit", "pause", "resume", "run", "remove", "runs":
	default:
		return "", fault.Errorf(fault.Invalid, "action is add, list, edit, pause, resume, run, remove or runs")
	}
	found, err := j.store.Find(ctx, who, p.Job)
	if action == "remove" && fault.Is(err, fault.NotFound) {
		return "There is no such job (any more).", nil
	}
	if err != nil {
		return "", err
	}
	switch action {
	case "edit":
		found, err = j.store.Change(ctx, who, found.ID, 0, func(plan *chat.JobPlan) { merge(plan, p) })
	case "pause":
		found, err = j.store.Pause(ctx, who, found.ID)
	case "resume":
		found, err = j.store.Resume(ctx, who, found.ID)
	case "run":
		return found.Name + " runs now; you are told after this turn.", j.store.Run(ctx, who, found.ID, string(call.ID))
	case "remove":
		return "Removed " + found.Name + ".", j.store.Remove(ctx, who, found.ID)
	case "runs":
		runs, err := j.store.Runs(ctx, who, found.ID, maxRuns)
		return history(found, runs), err
	}
	return line(found), err
}

// maxRuns is the number of runs that a model is shown.
const maxRuns = 20

func (j jobs) add(ctx context.Context, call tool.Call, who cron.Caller, p params) (string, error) {
	if strings.TrimSpace(p.When) == "" {
		return "", fault.Errorf(fault.Invalid, "when is missing; write 0 9 * * 1-5, @daily, every 30m, at 2026-03-29 08:00 or in 20m")
	}
	plan := chat.JobPlan{Target: call.Session}
	if p.Isolated {
		plan.Target, plan.Deliver = "", call.Session
	}
	merge(&plan, p)
	made, err := j.store.Add(ctx, who, plan, cron.From{Home: call.Session, Once: string(call.ID)})
	return line(made), err
}

// merge sets the fields that a call has.
func merge(plan *chat.JobPlan, p params) {
	for _, f := range []struct {
		to   *string
		says string
	}{{&plan.Name, p.Name}, {&plan.Message, p.Message}, {&plan.When, p.When}, {&plan.Zone, p.Timezone}, {&plan.Missed, p.Missed}} {
		if says := strings.TrimSpace(f.says); says != "" {
			*f.to = says
		}
	}
}

func lines(all []chat.Job) string {
	if len(all) == 0 {
		return "There are no jobs."
	}
	out := make([]string, len(all))
	for i, j := range all {
		out[i] = line(j)
	}
	return strings.Join(out, "\n")
}

// line returns a job as the model reads it.
func line(j chat.Job) string {
	parts := []string{string(j.ID), j.Name, j.When + " (" + j.Zone + ")"}
	switch {
	case j.Next != nil:
		parts = append(parts, "next "+shown(*j.Next, j.Zone))
	case j.Trouble != "":
		parts = append(parts, string(j.State)+": "+j.Trouble)
	default:
		parts = append(parts, string(j.State))
	}
	if j.Last != nil {
		parts = append(parts, "last "+shown(j.Last.Scheduled, j.Zone)+" "+j.Last.Outcome)
	}
	return strings.Join(parts, " · ")
}

func history(j chat.Job, runs []chat.JobRun) string {
	out := []string{line(j)}
	for _, r := range runs {
		out = append(out, strings.TrimRight(fmt.Sprintf("%s %s %s %s", shown(r.Scheduled, j.Zone), r.Reason, r.Outcome, r.Said), " "))
	}
	return strings.Join(out, "\n")
}

func shown(at time.Time, zone string) string {
	if known, err := time.LoadLocation(zone); err == nil {
		at = at.In(known)
	}
	return at.Format("2006-01-02 15:04 MST")
}
