package deletion_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/activities/deletion"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// person has some of everything, and says what is done in which order.
type person struct {
	age                                     time.Duration
	running, jobs, sessions, prompts, files int
	runs                                    int
	gone                                    bool

	did []string
}

func (p *person) Deletion(context.Context, chat.UserID) (chat.Deletion, error) {
	if p.gone {
		return chat.Deletion{}, fault.Errorf(fault.NotFound, "gone")
	}
	return chat.Deletion{Name: "ann", Conversations: 50, Left: p.sessions, Age: p.age}, nil
}

func (p *person) DeletionChecked(context.Context, chat.UserID) error { return nil }

func (p *person) StillRunning(context.Context, chat.UserID) (int, error) { return p.running, nil }

func (p *person) JobsOf(_ context.Context, _ chat.UserID, most int) ([]chat.JobID, error) {
	return make([]chat.JobID, min(most, p.jobs)), nil
}

func (p *person) DeleteJob(context.Context, chat.JobID) error {
	p.jobs--
	p.did = append(p.did, "job")
	return fault.Errorf(fault.NotFound, "another attempt has deleted it")
}

func (p *person) ConversationsOf(_ context.Context, _ chat.UserID, most int) ([]chat.SessionKey, error) {
	return make([]chat.SessionKey, min(most, p.sessions)), nil
}

func (p *person) DeleteSession(context.Context, chat.SessionKey) error {
	p.sessions--
	p.did = append(p.did, "session")
	return nil
}

func (p *person) PruneOrphans(context.Context) (n int, err error) {
	n, p.prompts = p.prompts, 0
	return n, nil
}

func (p *person) FilesOf(context.Context, chat.UserID) (int, error) { return p.files, nil }

func (p *person) Delete(_ context.Context, user string) (n int, err error) {
	if user != "ann" {
		return 0, errors.New("of somebody else")
	}
	n, p.runs = p.runs, 0
	return n, nil
}

func (p *person) EndDeletion(context.Context, chat.UserID) error {
	p.gone = true
	p.did = append(p.did, "end")
	return nil
}

func (p *person) step(t *testing.T) deletion.Output {
	t.Helper()
	d := &deletion.Deleter{Store: p, Histories: p}
	out, err := d.Step(t.Context(), deletion.Input{User: 7})
	require.NoError(t, err)
	return out
}

func TestStep_DeletesPieceByPieceAndTheUserLast(t *testing.T) {
	t.Parallel()
	p := &person{jobs: 2, sessions: 21, prompts: 3, runs: 5}
	var waits []string
	for range 20 {
		out := p.step(t)
		if out.Done {
			break
		}
		waits = append(waits, out.Waits)
	}
	require.Equal(t, []string{"", "", "", "", deletion.WaitsRuns}, waits, "jobs, twenty conversations, one, prompts, histories")
	require.True(t, p.gone)
	require.Len(t, p.did, 2+21+1)
	require.Equal(t, "end", p.did[len(p.did)-1])
	require.Equal(t, deletion.Output{Done: true}, p.step(t), "once more it finds nothing to do")
}

func TestStep_WaitsForTurnsAMinuteAndForRunnersADay(t *testing.T) {
	t.Parallel()
	p := &person{running: 2, sessions: 1, files: 3}
	require.Equal(t, deletion.Output{Conversations: 50, Left: 1, Waits: deletion.WaitsTurns, For: 2}, p.step(t))
	require.Empty(t, p.did)
	p.age = 2 * time.Minute
	require.Empty(t, p.step(t).Waits)
	require.Equal(t, []string{"session"}, p.did, "what still runs ends with its conversation")
	require.Equal(t, deletion.Output{Conversations: 50, Waits: deletion.WaitsFiles, For: 3}, p.step(t))
	p.age = 25 * time.Hour
	require.True(t, p.step(t).Done, "a runner that never comes back holds nobody")
}
