package deletion_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
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
	belongs                                 int // services of theirs
	rooms                                   int // folders of theirs on runners

	accounts []string // providers
	broken   bool     // nothing can be disconnected

	did []string
}

func (p *person) List(context.Context, chat.UserID) (out []chat.OAuthAccount, err error) {
	for _, provider := range p.accounts {
		out = append(out, chat.OAuthAccount{Provider: provider})
	}
	return out, nil
}

func (p *person) Disconnect(_ context.Context, _ chat.UserID, provider string) (untold string, err error) {
	switch {
	case provider == "gone":
		p.accounts = slices.DeleteFunc(p.accounts, func(one string) bool { return one == provider })
		return "", fault.Errorf(fault.NotFound, "another attempt has disconnected it")
	case p.broken && provider != "acme":
		return "", fault.Errorf(fault.Unavailable, "held by somebody")
	}
	p.accounts = slices.DeleteFunc(p.accounts, func(one string) bool { return one == provider })
	p.did = append(p.did, "disconnect "+provider)
	return "it answers with status 503", nil
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

func (p *person) DeletionBelow(context.Context, chat.UserID, int) (int, error) {
	n := p.belongs
	p.belongs = max(0, n-1)
	return n, nil
}

func (p *person) Remove(context.Context, chat.UserID) (int, error) {
	n := p.rooms
	p.rooms = max(0, n-1)
	return n, nil
}

func (p *person) deleter() *deletion.Deleter {
	return &deletion.Deleter{Agents: p, Cron: p, Users: p, Histories: p, Accounts: p, Services: p, ConsumerFiles: p, Log: slog.New(slog.DiscardHandler)}
}

func (p *person) step(t *testing.T) deletion.Output {
	t.Helper()
	d := p.deleter()
	out, err := d.Step(t.Context(), deletion.Input{User: 7})
	require.NoError(t, err)
	return out
}

func TestStep_DeletesPieceByPieceAndTheUserLast(t *testing.T) {
	t.Parallel()
	p := &person{belongs: 1, jobs: 2, sessions: 21, prompts: 3, runs: 5}
	require.Equal(t, deletion.WaitsBelow, p.step(t).Waits, "those who belong to them go first, by deletions of their own")
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
	p := &person{running: 2, sessions: 1, files: 3, rooms: 2}
	require.Equal(t, deletion.Output{Conversations: 50, Left: 1, Waits: deletion.WaitsTurns, For: 2}, p.step(t))
	require.Empty(t, p.did)
	p.age = 2 * time.Minute
	require.Empty(t, p.step(t).Waits)
	require.Equal(t, []string{"session"}, p.did, "what still runs ends with its conversation")
	require.Equal(t, deletion.Output{Conversations: 50, Waits: deletion.WaitsFiles, For: 5}, p.step(t))
	require.Equal(t, deletion.Output{Conversations: 50, Waits: deletion.WaitsFiles, For: 4}, p.step(t), "a folder on a runner is gone")
	p.age = 25 * time.Hour
	require.True(t, p.step(t).Done, "a runner that never comes back holds nobody")
}

func TestStep_GivesTokensBackBeforeAnythingElseGoes(t *testing.T) {
	t.Parallel()
	p := &person{jobs: 1, accounts: []string{"acme", "gone", "globex"}}
	require.Equal(t, deletion.Output{Conversations: 50, For: 2}, p.step(t))
	require.Equal(t, []string{"disconnect acme", "disconnect globex"}, p.did, "though their providers cannot be told")
	p.step(t)
	require.True(t, p.step(t).Done)
	require.Equal(t, []string{"disconnect acme", "disconnect globex", "job", "end"}, p.did)
}

func TestStep_AnAccountThatCannotBeDisconnectedHoldsNobodyForLong(t *testing.T) {
	t.Parallel()
	p := &person{accounts: []string{"first", "acme"}, broken: true}
	p.step(t)
	require.Equal(t, []string{"disconnect acme"}, p.did, "one that fails does not keep the others")
	_, err := p.deleter().Step(t.Context(), deletion.Input{User: 7})
	require.ErrorContains(t, err, "held by somebody", "it is tried again")
	require.False(t, p.gone)
	p.age = time.Hour
	require.True(t, p.step(t).Done)
}
