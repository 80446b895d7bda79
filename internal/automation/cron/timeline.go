package cron

import (
	"context"
	"slices"
	"time"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
)

const (
	// MaxTimelineDays limits a timeline into the future and the past.
	MaxTimelineDays = 31
	// timesOfJob and runsOfJob limit the items of each job in a timeline, timelineMost those of all.
	timesOfJob   = 60
	runsOfJob    = 20
	timelineMost = 1000
)

// Timeline lists the next times and the last runs of jobs.
type Timeline struct {
	From  time.Time      `json:"from"`
	Now   time.Time      `json:"now"`
	Until time.Time      `json:"until"`
	Items []TimelineItem `json:"items" doc:"In the order of time, a thousand at most."`
	More  bool           `json:"more,omitempty" doc:"There is more than is shown: a job shows its next 60 times and its last 20 runs."`
}

// TimelineItem is a future time of a job, or a run.
type TimelineItem struct {
	Job     chat.JobID   `json:"job"`
	Name    string       `json:"name"`
	Service string       `json:"service,omitempty"`
	At      time.Time    `json:"at"`
	Run     *chat.JobRun `json:"run,omitempty" doc:"Absent: the time is in the future."`
}

// Timeline returns the timeline of some days, ahead and back.
func (d *Jobs) Timeline(ctx context.Context, w Caller, all bool, which cronstore.Listed, days int) (Timeline, error) {
	now, err := d.Cron.Clock(ctx)
	if err != nil {
		return Timeline{}, err
	}
	span := time.Duration(min(max(days, 1), MaxTimelineDays)) * 24 * time.Hour
	out := Timeline{From: now.Add(-span), Now: now, Until: now.Add(span), Items: []TimelineItem{}}
	if which.Owner = w.User; all && w.Admin {
		which.Owner = 0
	}
	jobs, err := d.Cron.Jobs(ctx, which)
	if err != nil {
		return Timeline{}, err
	}
	ids := make([]chat.JobID, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
		out.ahead(j)
	}
	runs, err := d.Cron.RunsOf(ctx, ids, runsOfJob)
	if err != nil {
		return Timeline{}, err
	}
	for _, j := range jobs {
		out.back(j, runs[j.ID])
	}
	slices.SortStableFunc(out.Items, func(a, b TimelineItem) int { return a.At.Compare(b.At) })
	if len(out.Items) > timelineMost {
		out.Items, out.More = around(out.Items, now), true
	}
	return out, nil
}

// around returns the timelineMost items next to now, as many before it as after it where there are enough.
func around(items []TimelineItem, now time.Time) []TimelineItem {
	past, _ := slices.BinarySearchFunc(items, now, func(i TimelineItem, at time.Time) int { return i.At.Compare(at) })
	ahead := len(items) - past
	before := min(past, max(timelineMost/2, timelineMost-ahead))
	return items[past-before : past+timelineMost-before]
}

// ahead adds the future times of a job.
func (t *Timeline) ahead(j cronstore.Job) {
	table, err := schedule.New(j.Spec)
	if err != nil || j.Next == nil || j.State != chat.JobActive {
		return
	}
	at, left := *j.Next, j.MaxRuns-j.Runs
	for n := range timesOfJob + 1 {
		if at.After(t.Until) || j.MaxRuns > 0 && n >= left {
			return
		}
		if n == timesOfJob {
			t.More = true
			return
		}
		t.Items = append(t.Items, TimelineItem{Job: j.ID, Name: j.Name, Service: j.Service, At: at})
		next, ok := table.Next(at)
		if !ok {
			return
		}
		at = next
	}
}

// back adds the runs of a job.
func (t *Timeline) back(j cronstore.Job, runs []chat.JobRun) {
	t.More = t.More || len(runs) == runsOfJob
	for _, r := range runs {
		if r.Scheduled.After(t.From) {
			t.Items = append(t.Items, TimelineItem{Job: j.ID, Name: j.Name, Service: j.Service, At: r.Scheduled, Run: new(r)})
		}
	}
}
