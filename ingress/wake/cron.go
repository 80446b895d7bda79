package wake

import (
	"cmp"
	"context"

	"go.temporal.io/sdk/temporal"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/workflows"
)

// StartCron signals the workflow of a job that its row was changed or its time has come, starting it if none runs. It may
// be repeated.
func (s *Starter) StartCron(ctx context.Context, id chat.JobID) error {
	j, err := s.Cron.Job(ctx, id)
	if fault.Is(err, fault.NotFound) {
		j = cronstore.Job{Job: chat.Job{ID: id}} // it was deleted: one that runs ends
	} else if err != nil {
		return err
	}
	summary := "cron"
	if s.Words && j.Name != "" {
		summary += " · " + chat.FirstWords(j.Name, commandWords)
	}
	told := j.Target
	if told == "" {
		told = cronstore.OwnConversation(id)
	}
	_, user := s.about(ctx, told) // its own conversation is there once it has run
	user = cmp.Or(user, j.OwnerName)
	o := s.options(workflows.CronID(id), summary, told, user, workflows.KindCron, s.Attributes.Known())
	return s.signal(ctx, o, workflows.NameCronJob, workflows.CronJobInput{Job: id})
}

// StartTrack signals the workflow of the line of the runs of services' jobs that something in it has changed, starting it if none runs. It
// may be repeated.
func (s *Starter) StartTrack(ctx context.Context) error {
	o := s.options(workflows.TrackID, "jobs of services", "", "", workflows.KindTrack, s.Attributes.Known())
	o.StaticDetails = "" // it is about no conversation
	if s.Attributes.Known() {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(workflows.AttrKind.ValueSet(workflows.KindTrack))
	}
	return s.signal(ctx, o, workflows.NameServiceTrack, workflows.ServiceTrackInput{})
}
