package automation

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/automation/cron"
	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
)

// JobList is the jobs of a user.
type JobList struct {
	Jobs     []chat.Job `json:"jobs"`
	Timezone string     `json:"timezone" doc:"The timezone of jobs that name none."`
	From     string     `json:"timezone_from" enum:"profile,policy,server" doc:"Where the timezone comes from."`
}

// JobPath names a job.
type JobPath struct {
	Job chat.JobID `path:"job" maxLength:"64" example:"job_0123abcd"`
}

// NewJob is a job to create.
type NewJob struct {
	chat.JobPlan

	Once string `json:"once,omitempty" maxLength:"200" doc:"Idempotency key, chosen by the client. A repeated request creates no second job."`
}

// JobChange is a plan that takes the place of another.
type JobChange struct {
	chat.JobPlan

	Revision int64 `json:"revision,omitempty" minimum:"0" doc:"Revision of the job on which the change is based. 409: the job was changed in the meantime. 0: any revision."`
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
	huma.Register(h, huma.Operation{OperationID: "list-jobs", Method: http.MethodGet, Path: "/api/cron", Summary: "List the cron jobs, with the next time and the last run", Security: endpoint.Secured}, a.listJobs)
	huma.Register(h, huma.Operation{
		OperationID: "add-job", Method: http.MethodPost, Path: "/api/cron", Summary: "Create a cron job",
		Description: "A user may have one hundred active or paused jobs. 413: the limit is reached.", DefaultStatus: http.StatusCreated, MaxBodyBytes: maxJobBody, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct{ Body NewJob }) (*jobBody, error) {
		j, err := a.Jobs.Add(ctx, asker(ctx), in.Body.JobPlan, cron.From{Once: onceOf("api/", in.Body.Once)})
		return &jobBody{j}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{OperationID: "preview-times", Method: http.MethodPost, Path: "/api/cron/preview", Summary: "Preview the next times of a schedule", Description: "Nothing is stored.", Security: endpoint.Secured}, a.previewTimes)
	huma.Register(h, huma.Operation{
		OperationID: "change-job", Method: http.MethodPut, Path: "/api/cron/{job}", Summary: "Update a job", Description: "Omitted members become empty. " + others, MaxBodyBytes: maxJobBody, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		JobPath

		Body JobChange
	}) (*jobBody, error) {
		j, err := a.Jobs.Change(ctx, asker(ctx), in.Job, in.Body.Revision, func(p *chat.JobPlan) { *p = in.Body.JobPlan })
		return &jobBody{j}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{OperationID: "delete-job", Method: http.MethodDelete, Path: "/api/cron/{job}", Summary: "Delete a job", Description: "Messages that the job has posted are kept. " + others, DefaultStatus: http.StatusNoContent, Security: endpoint.Secured},
		func(ctx context.Context, in *JobPath) (*struct{}, error) {
			return nil, a.Problem(a.Jobs.Remove(ctx, asker(ctx), in.Job))
		})
	huma.Register(h, huma.Operation{OperationID: "pause-job", Method: http.MethodPost, Path: "/api/cron/{job}/pause", Summary: "Pause a job", Description: others, Security: endpoint.Secured},
		func(ctx context.Context, in *JobPath) (*jobBody, error) {
			j, err := a.Jobs.Pause(ctx, asker(ctx), in.Job)
			return &jobBody{j}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "resume-job", Method: http.MethodPost, Path: "/api/cron/{job}/resume", Summary: "Resume a job", Description: "Times that passed while the job was paused do not run. 409: the schedule has no time left. " + others, Security: endpoint.Secured},
		func(ctx context.Context, in *JobPath) (*jobBody, error) {
			j, err := a.Jobs.Resume(ctx, asker(ctx), in.Job)
			return &jobBody{j}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "run-job", Method: http.MethodPost, Path: "/api/cron/{job}/run", Summary: "Run a job now", Description: "The schedule is unchanged. " + others, DefaultStatus: http.StatusAccepted, Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			JobPath

			Body struct {
				Once string `json:"once" minLength:"1" maxLength:"200" doc:"Idempotency key, chosen by the client. A repeated request runs nothing."`
			}
		}) (*struct{}, error) {
			return nil, a.Problem(a.Jobs.Run(ctx, asker(ctx), in.Job, in.Body.Once))
		})
	huma.Register(h, huma.Operation{OperationID: "get-run", Method: http.MethodGet, Path: "/api/cron/{job}/runs/{run}", Summary: "Get the run of a job: its output and steps", Description: "Reads the run from its turn. " + others + " The output of another user's run is truncated, unless the run belongs to a service.", Security: endpoint.Secured}, a.getRun)
	huma.Register(h, huma.Operation{OperationID: "cron-timeline", Method: http.MethodGet, Path: "/api/cron-timeline", Summary: "List the next and the last runs of jobs", Security: endpoint.Secured}, a.timeline)
	huma.Register(h, huma.Operation{
		OperationID: "publish-service-task", Method: http.MethodPost, Path: "/api/service-tasks", Summary: "Schedule a message to conversations of services",
		Description:   "For administrators. Creates one job per service, which posts to all conversations that exist when it fires, and one per named conversation. At most four runs execute at once, each for at most 30 minutes; the others wait in a queue. 409: a service is withdrawn.",
		DefaultStatus: http.StatusCreated, MaxBodyBytes: maxJobBody, Security: endpoint.Secured,
	}, a.publishTask)
	huma.Register(h, huma.Operation{OperationID: "list-runs", Method: http.MethodGet, Path: "/api/cron/{job}/runs", Summary: "List the newest runs of a job with their outcomes", Description: "Returns the newest 50 of up to 1,000 stored runs. " + others, Security: endpoint.Secured}, a.listRuns)
}

// JobFilter selects jobs.
type JobFilter struct {
	All     bool   `query:"all" doc:"Jobs of all users; for administrators."`
	Track   string `query:"track" enum:"house,services" doc:"Jobs of users, or scheduled messages of services; default: both."`
	Service string `query:"service" maxLength:"40" doc:"Those of one service, with those that its conversations have made."`
}

func (f JobFilter) which() cronstore.Listed {
	return cronstore.Listed{Track: f.Track, Service: f.Service}
}

// NewTask is a scheduled message to conversations of services.
type NewTask struct {
	Message  string   `json:"message" minLength:"1" maxLength:"20000" doc:"Message to the agent in each conversation, preceded by a line that names an administrator as its author."`
	Name     string   `json:"task_name,omitempty" maxLength:"400"`
	Services []string `json:"service_ids,omitempty" maxItems:"20" doc:"All conversations of these services that exist when the job fires."`
	Sessions []string `json:"session_ids,omitempty" maxItems:"50" doc:"Conversations, by id or key of the session."`
	Type     string   `json:"schedule_type" enum:"once,cron,interval"`
	Schedule string   `json:"schedule,omitempty" maxLength:"200" doc:"A time such as 2026-03-29 08:00, an expression of five fields, or seconds. once: empty or now is at once."`
	Zone     string   `json:"timezone,omitempty" maxLength:"64" doc:"IANA; empty: that of the administrator."`
	RunNow   bool     `json:"run_now,omitempty" doc:"It also runs at once."`
	Once     string   `json:"once,omitempty" maxLength:"200" doc:"Idempotency key, chosen by the client. A repeated request creates no second job."`
}

func (a *Endpoints) publishTask(ctx context.Context, in *struct{ Body NewTask }) (*struct {
	Body struct {
		Jobs []chat.Job `json:"jobs"`
	}
}, error) {
	b := in.Body
	once := b.Once
	if once == "" {
		once = rand.Text()
	}
	made, err := a.Jobs.Publish(ctx, asker(ctx), cron.ServiceTask{
		Message: b.Message, Name: b.Name, Services: b.Services, Sessions: b.Sessions, Type: b.Type, Schedule: b.Schedule, Zone: b.Zone, RunNow: b.RunNow,
	}, "api/"+once)
	out := &struct {
		Body struct {
			Jobs []chat.Job `json:"jobs"`
		}
	}{}
	out.Body.Jobs = made
	return out, a.Problem(err)
}

func (a *Endpoints) timeline(ctx context.Context, in *struct {
	JobFilter

	Days int `query:"days" minimum:"1" maximum:"31" default:"7"`
}) (*struct{ Body cron.Timeline }, error) {
	out, err := a.Jobs.Timeline(ctx, asker(ctx), in.All, in.which(), in.Days)
	return &struct{ Body cron.Timeline }{out}, a.Problem(err)
}

func (a *Endpoints) getRun(ctx context.Context, in *struct {
	JobPath

	Run int64 `path:"run" minimum:"1"`
}) (*struct{ Body chat.JobRunDetails }, error) {
	out, err := a.Jobs.RunDetails(ctx, asker(ctx), in.Job, in.Run)
	return &struct{ Body chat.JobRunDetails }{out}, a.Problem(err)
}

func onceOf(prefix, once string) string {
	if once == "" {
		return ""
	}
	return prefix + once
}

func (a *Endpoints) listJobs(ctx context.Context, in *struct {
	JobFilter
}) (*struct{ Body JobList }, error) {
	jobs, err := a.Jobs.Listed(ctx, asker(ctx), in.All, in.which())
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
