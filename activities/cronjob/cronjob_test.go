package cronjob_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/cronjob"
	"xbot/internal/chat"
)

// jobs counts how often a job was fired.
type jobs int

func (j *jobs) FireJob(context.Context, chat.JobID, *chat.Heartbeat) (chat.Fired, error) {
	*j++
	return chat.Fired{Job: chat.Job{ID: "j1", State: chat.JobActive}}, nil
}

// PassJob passes over no time.
func (j *jobs) PassJob(context.Context, chat.JobID) (chat.Fired, error) { return chat.Fired{}, nil }

// Heartbeat says that no job is one.
func (j *jobs) Heartbeat(context.Context, chat.JobID) (*chat.Heartbeat, error) { return nil, nil }

func TestCronJobs_JobsOfACopyDoNotFireAndAreNotOver(t *testing.T) {
	fired := jobs(0)
	k := &cronjob.CronJobs{Jobs: &fired, Copy: true, Heartbeats: &fired}
	out, err := k.FireJob(t.Context(), cronjob.FireJobInput{Job: "j1"})
	require.NoError(t, err)
	require.Equal(t, cronjob.FireJobOutput{Paused: true}, out, "its workflow rests until it is woken")
	require.Zero(t, fired)
	k.Copy = false
	_, err = k.FireJob(t.Context(), cronjob.FireJobInput{Job: "j1"})
	require.NoError(t, err)
	require.EqualValues(t, 1, fired)
}
