package apiclient

import (
	"context"
	"net/http"
	"net/url"

	"xbot/internal/chat"
)

// Jobs lists what is done for the user at certain times.
func (c *Automation) Jobs(ctx context.Context) ([]chat.Job, error) {
	var list struct {
		Jobs []chat.Job `json:"jobs"`
	}
	return list.Jobs, c.do(ctx, http.MethodGet, "/api/cron", nil, nil, &list)
}

// AddJob has a job kept, once for each key; empty: it has none.
func (c *Automation) AddJob(ctx context.Context, p chat.JobPlan, once string) (chat.Job, error) {
	in := struct {
		chat.JobPlan

		Once string `json:"once,omitempty"`
	}{p, once}
	var out chat.Job
	return out, c.do(ctx, http.MethodPost, "/api/cron", nil, in, &out)
}

// ChangeJob puts a plan in the place of another.
func (c *Automation) ChangeJob(ctx context.Context, id chat.JobID, p chat.JobPlan) (chat.Job, error) {
	var out chat.Job
	return out, c.do(ctx, http.MethodPut, jobPath(id, ""), nil, p, &out)
}

// PauseJob holds a job until it is resumed.
func (c *Automation) PauseJob(ctx context.Context, id chat.JobID) (chat.Job, error) {
	var out chat.Job
	return out, c.do(ctx, http.MethodPost, jobPath(id, "/pause"), nil, nil, &out)
}

// ResumeJob lets a job go on.
func (c *Automation) ResumeJob(ctx context.Context, id chat.JobID) (chat.Job, error) {
	var out chat.Job
	return out, c.do(ctx, http.MethodPost, jobPath(id, "/resume"), nil, nil, &out)
}

// RunJob runs a job now, once for each key.
func (c *Automation) RunJob(ctx context.Context, id chat.JobID, once string) error {
	in := struct {
		Once string `json:"once"`
	}{once}
	return c.do(ctx, http.MethodPost, jobPath(id, "/run"), nil, in, nil)
}

// DeleteJob ends a job for good.
func (c *Automation) DeleteJob(ctx context.Context, id chat.JobID) error {
	return c.do(ctx, http.MethodDelete, jobPath(id, ""), nil, nil, nil)
}

// JobRuns lists the newest runs of a job.
func (c *Automation) JobRuns(ctx context.Context, id chat.JobID) ([]chat.JobRun, error) {
	var list struct {
		Runs []chat.JobRun `json:"runs"`
	}
	return list.Runs, c.do(ctx, http.MethodGet, jobPath(id, "/runs"), nil, nil, &list)
}

func jobPath(id chat.JobID, rest string) string {
	return "/api/cron/" + url.PathEscape(string(id)) + rest
}
