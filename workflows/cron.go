package workflows

import (
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/cronjob"
	"xbot/internal/chat"
)

const (
	// maxJobWait is how long one run of a job waits at most. Then it continues as new, as it does when it is woken after that time: no
	// run is older than two days, neither its history nor the build that began it.
	maxJobWait = 24 * time.Hour
	// maxJobWakes is how often one run looks at its row before it continues as new.
	maxJobWakes = 50
)

// CronJobInput names a job.
type CronJobInput struct {
	Job chat.JobID `json:"job"`
	// Last is when it ran last, for operators.
	Last string `json:"last,omitempty"`
}

// CronJob waits for the times of a job and acts on them. Its task is in the row, which others change and then wake it. It ends with the job, and
// continues as new after each time that it acted on.
func CronJob(ctx workflow.Context, in CronJobInput) error {
	wakes, began := workflow.GetSignalChannel(ctx, SignalWake), workflow.Now(ctx)
	for range maxJobWakes {
		drainAll(wakes)
		var now cronjob.FireJobOutput
		err := workflow.ExecuteLocalActivity(localOptions(ctx, "fire what is due"), activities.NameFireJob, cronjob.FireJobInput{Job: in.Job}).Get(ctx, &now)
		if err != nil || now.Over {
			return err
		}
		if now.Runs > 0 {
			in.Last = now.Last
			break
		}
		workflow.SetCurrentDetails(ctx, details(now, in.Last))
		woken, err := waitForNext(ctx, wakes, now)
		if err != nil {
			return err
		}
		if !woken && (now.Paused || now.Wait > maxJobWait) || woken && outlived(ctx, began) {
			break
		}
	}
	return continueAsNew(ctx, NameCronJob, in)
}

// outlived reports whether a run that began at the given time has to continue as new.
func outlived(ctx workflow.Context, began time.Time) bool {
	const change = "a run that is woken ends after a day"
	return workflow.Now(ctx).Sub(began) >= maxJobWait &&
		workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) > workflow.DefaultVersion
}

// details returns what operators see of a job.
func details(now cronjob.FireJobOutput, last string) string {
	next := "paused"
	if !now.Paused {
		next = "next " + now.Next
	}
	if last != "" {
		last = "last " + last
	}
	return strings.Join(nonempty(now.Heading, next, last), " · ")
}

// waitForNext waits for the next time of the job, or for a change of it, and reports whether it was woken by one. One that is paused has no
// next time; it, too, waits no longer than a run may be old.
func waitForNext(ctx workflow.Context, wakes workflow.ReceiveChannel, now cronjob.FireJobOutput) (woken bool, err error) {
	timing, cancel := workflow.WithCancel(ctx)
	defer cancel()
	next := workflow.NewSelector(ctx)
	next.AddReceive(wakes, func(c workflow.ReceiveChannel, _ bool) { woken = c.ReceiveAsync(nil) })
	wait, summary := min(now.Wait, maxJobWait), "next "+now.Next
	if now.Paused {
		wait, summary = maxJobWait, "paused"
	}
	timer := workflow.NewTimerWithOptions(timing, wait, workflow.TimerOptions{Summary: summary})
	next.AddFuture(timer, func(f workflow.Future) { err = f.Get(ctx, nil) })
	next.AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) { err = ctx.Err() })
	next.Select(ctx)
	return woken, err
}

// maxTrackLooks is how often one run looks at the line before it continues as new.
const maxTrackLooks = 100

// ServiceTrackInput is empty: there is one line, and it is in Postgres.
type ServiceTrackInput struct{}

// ServiceTrack moves the line of the runs of services' jobs. It is woken when a job fires and when a turn that has a place ends, looks for runs that
// take too long without a wake, and ends when no run waits and no place is taken.
func ServiceTrack(ctx workflow.Context, in ServiceTrackInput) error {
	wakes := workflow.GetSignalChannel(ctx, SignalWake)
	for range maxTrackLooks {
		drainAll(wakes)
		var now cronjob.AdvanceTrackOutput
		err := workflow.ExecuteLocalActivity(localOptions(ctx, "move the line"), activities.NameAdvanceTrack, cronjob.AdvanceTrackInput{}).Get(ctx, &now)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, trackDetails(now))
		switch {
		case now.Waiting && now.Wait <= 0:
		case now.Waiting || now.Posted > 0:
			if err := waitInLine(ctx, wakes, now.Wait); err != nil {
				return err
			}
		case !drainAll(wakes):
			return nil
		}
	}
	return continueAsNew(ctx, NameServiceTrack, in)
}

// waitInLine waits until something has changed, or for a while.
func waitInLine(ctx workflow.Context, wakes workflow.ReceiveChannel, wait time.Duration) (err error) {
	timing, cancel := workflow.WithCancel(ctx)
	defer cancel()
	next := workflow.NewSelector(ctx)
	next.AddReceive(wakes, func(c workflow.ReceiveChannel, _ bool) { c.ReceiveAsync(nil) })
	timer := workflow.NewTimerWithOptions(timing, wait, workflow.TimerOptions{Summary: "looks again"})
	next.AddFuture(timer, func(f workflow.Future) { err = f.Get(ctx, nil) })
	next.AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) { err = ctx.Err() })
	next.Select(ctx)
	return err
}

// trackDetails returns what operators see of the line.
func trackDetails(now cronjob.AdvanceTrackOutput) string {
	text := []string{"**" + count(now.Posted, "run goes on", "runs go on") + "**"}
	if now.Waiting {
		text = append(text, "others wait in line")
	}
	return strings.Join(text, " · ")
}
