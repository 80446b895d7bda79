package automation

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/cron"
)

// JobList is the jobs of somebody.
type JobList struct {
	Jobs     []chat.Job `json:"jobs"`
	Timezone string     `json:"timezone" doc:"The timezone of jobs that name none."`
	From     string     `json:"timezone_from" enum:"profile,policy,server" doc:"Where the timezone comes from."`
}

// JobPath names a job.
type JobPath struct {
	Job chat.JobID `path:"job" maxLength:"64" example:"job_0123abcd"`
}

// NewJob is a job that somebody wants kept.
type NewJob struct {
	chat.JobPlan

	Once string `json:"once,omitempty" maxLength:"200" doc:"Chosen by the client: a second request with the same value makes no second job."`
}

// JobChange is a plan that takes the place of another.
type JobChange struct {
	chat.JobPlan

	Revision int64 `json:"revision,omitempty" minimum:"0" doc:"Revision of the job that the change is based on. 409: the job was changed meanwhile. 0: any revision."`
}

// Preview is the times of a timetable.
type Preview struct {
	When     string      `json:"when" doc:"How it is written."`
	Timezone string      `json:"timezone"`
	Times    []time.Time `json:"times" doc:"The next five times at most."`
}

type jobBody struct{ Body chat.Job }

const (
	previewTimes = 5
	maxJobBody   = 128 << 10
	runsListed   = 50
)

func asker(ctx context.Context) cron.Caller {
	u := auth.User(ctx)
	return cron.Caller{User: u.ID, Admin: u.Admin}
}

func (a *Endpoints) registerCron(h huma.API) {
	const others = "Administrators may also name the jobs of others."
	huma.Register(h, huma.Operation{OperationID: "list-jobs", Method: http.MethodGet, Path: "/api/cron", Summary: "The cron jobs, with the next time and the last run", Security: endpoint.Secured}, a.listJobs)
	huma.Register(h, huma.Operation{
		OperationID: "add-job", Method: http.MethodPost, Path: "/api/cron", Summary: "Create a cron job",
		Description: "A user may have a hundred active or paused jobs; 413: there are as many.", DefaultStatus: http.StatusCreated, MaxBodyBytes: maxJobBody, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct{ Body NewJob }) (*jobBody, error) {
		j, err := a.Jobs.Add(ctx, asker(ctx), in.Body.JobPlan, cron.From{Once: onceOf("api/", in.Body.Once)})
		return &jobBody{j}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{OperationID: "preview-times", Method: http.MethodPost, Path: "/api/cron/preview", Summary: "The next times of a timetable", Description: "It stores nothing.", Security: endpoint.Secured}, a.previewTimes)
	huma.Register(h, huma.Operation{
		OperationID: "change-job", Method: http.MethodPut, Path: "/api/cron/{job}", Summary: "Change a job", Description: "A member that is left out becomes empty. " + others, MaxBodyBytes: maxJobBody, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		JobPath

		Body JobChange
	}) (*jobBody, error) {
		j, err := a.Jobs.Change(ctx, asker(ctx), in.Job, in.Body.Revision, func(p *chat.JobPlan) { *p = in.Body.JobPlan })
		return &jobBody{j}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{OperationID: "delete-job", Method: http.MethodDelete, Path: "/api/cron/{job}", Summary: "Delete a job", Description: "The messages that it has posted stay. " + others, DefaultStatus: http.StatusNoContent, Security: endpoint.Secured},
		func(ctx context.Context, in *JobPath) (*struct{}, error) {
			return nil, a.Problem(a.Jobs.Remove(ctx, asker(ctx), in.Job))
		})
	huma.Register(h, huma.Operation{OperationID: "pause-job", Method: http.MethodPost, Path: "/api/cron/{job}/pause", Summary: "Pause a job until it is resumed", Description: others, Security: endpoint.Secured},
		func(ctx context.Context, in *JobPath) (*jobBody, error) {
			j, err := a.Jobs.Pause(ctx, asker(ctx), in.Job)
			return &jobBody{j}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "resume-job", Method: http.MethodPost, Path: "/api/cron/{job}/resume", Summary: "Resume a job", Description: "Times that passed meanwhile do not run. 409: it has no time left. " + others, Security: endpoint.Secured},
		func(ctx context.Context, in *JobPath) (*jobBody, error) {
			j, err := a.Jobs.Resume(ctx, asker(ctx), in.Job)
			return &jobBody{j}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "run-job", Method: http.MethodPost, Path: "/api/cron/{job}/run", Summary: "Run a job now", Description: "Its schedule stays the same. " + others, DefaultStatus: http.StatusAccepted, Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			JobPath

			Body struct {
				Once string `json:"once" minLength:"1" maxLength:"200" doc:"Chosen by the client: a second request with the same value runs nothing."`
			}
		}) (*struct{}, error) {
			return nil, a.Problem(a.Jobs.Run(ctx, asker(ctx), in.Job, in.Body.Once))
		})
	huma.Register(h, huma.Operation{OperationID: "list-runs", Method: http.MethodGet, Path: "/api/cron/{job}/runs", Summary: "The newest runs of a job with their outcomes", Description: "The newest 50 of the thousand that are kept. " + others, Security: endpoint.Secured}, a.listRuns)
}

func onceOf(prefix, once string) string {
	if once == "" {
		return ""
	}
	return prefix + once
}

func (a *Endpoints) listJobs(ctx context.Context, in *struct {
	All bool `query:"all" doc:"Jobs of all users; for administrators."`
}) (*struct{ Body JobList }, error) {
	jobs, err := a.Jobs.List(ctx, asker(ctx), in.All)
	if err != nil {
		return nil, a.Problem(err)
	}
	zone, err := a.Jobs.Zone(ctx, auth.User(ctx).ID)
	return &struct{ Body JobList }{JobList{Jobs: jobs, Timezone: zone.Name, From: zone.From}}, a.Problem(err)
}

func (a *Endpoints) previewTimes(ctx context.Context, in *struct {
	Body struct {
		When     string `json:"when" maxLength:"200"`
		Timezone string `json:"timezone,omitempty" maxLength:"64" doc:"Empty: that of jobs which name none."`
	}
}) (*struct{ Body Preview }, error) {
	when, zone, times, err := a.Jobs.Preview(ctx, asker(ctx), in.Body.When, in.Body.Timezone, previewTimes)
	return &struct{ Body Preview }{Preview{When: when, Timezone: zone, Times: times}}, a.Problem(err)
}

func (a *Endpoints) listRuns(ctx context.Context, in *JobPath) (*struct {
	Body struct {
		Runs []chat.JobRun `json:"runs"`
	}
}, error) {
	runs, err := a.Jobs.Runs(ctx, asker(ctx), in.Job, runsListed)
	out := &struct {
		Body struct {
			Runs []chat.JobRun `json:"runs"`
		}
	}{}
	out.Body.Runs = runs
	return out, a.Problem(err)
}
