package cron_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	jobs "xbot/internal/automation/cron"
	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/cron"
	"xbot/internal/turn/slashcommand"
)

// caller is who everybody is.
type caller slashcommand.Caller

func (c caller) Caller(context.Context, chat.UserID, chat.SessionKey) (slashcommand.Caller, error) {
	return slashcommand.Caller(c), nil
}

// press keeps what was published.
type press struct {
	tasks []jobs.ServiceTask
	once  []string
}

func (p *press) Publish(_ context.Context, w jobs.Caller, t jobs.ServiceTask, once string) ([]chat.Job, error) {
	p.tasks, p.once = append(p.tasks, t), append(p.once, once)
	return []chat.Job{{ID: "job_1", JobPlan: chat.JobPlan{Name: t.Name, When: "in 1s", Zone: "UTC"}}}, nil
}

func TestPublish_IsForAdministratorsWhereTheyAloneRead(t *testing.T) {
	t.Parallel()
	admin := caller{Admin: true, Owner: true, Direct: true}
	for what, c := range map[string]struct {
		who caller
		at  chat.SessionKey
	}{
		"a member":                           {caller{Owner: true, Direct: true}, here},
		"in a group, or a subagent":          {caller{Admin: true, Owner: true}, here},
		"in the conversation of another one": {caller{Admin: true, Direct: true}, here},
		"a consumer":                         {admin, "agent:svc_0a1b2c3d:svc:thread:0123456789"},
	} {
		p := &press{}
		result, err := cron.NewPublish(p, c.who).Run(t.Context(), tool.Call{ID: "t1.0.0", Session: c.at, User: 7, Arguments: `{"message":"hi","schedule_type":"once"}`})
		require.NoError(t, err)
		require.True(t, result.IsError, what)
		require.Empty(t, p.tasks, what)
	}
	p := &press{}
	published := cron.NewPublish(p, admin)
	result, err := published.Run(t.Context(), tool.Call{ID: "t1.0.0", Session: here, User: 7, Arguments: `{"message":"hi","service_ids":["svc_0a1b2c3d"],"schedule_type":"once","task_name":"hello"}`})
	require.NoError(t, err)
	require.Equal(t, "Published as 1 jobs; Cron with their ids changes, pauses or removes them:\njob_1 · hello · in 1s (UTC) · ", result.Content)
	require.Equal(t, []string{"t1.0.0"}, p.once, "a repeated call finds the jobs")
	require.Equal(t, []string{"svc_0a1b2c3d"}, p.tasks[0].Services)
	require.True(t, published.Spec().Optional)
}
