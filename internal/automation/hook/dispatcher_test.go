package hook_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// asker answers commands by what they say.
type asker func(ctx context.Context, h hook.Handler, q hook.Question) (hook.Answer, error)

func (a asker) Ask(ctx context.Context, h hook.Handler, q hook.Question) (hook.Answer, error) {
	return a(ctx, h, q)
}

func desk(a asker) *hook.Dispatcher {
	return &hook.Dispatcher{Kinds: map[hook.Kind]hook.Asker{hook.KindCommand: a}, Log: slog.New(slog.DiscardHandler)}
}

func commands(event hook.Event, handlers ...string) hook.Set {
	return hook.Merge(parse(on(event, "", strings.Join(handlers, ","))))
}

const plainCommand = `{"type":"command","command":"x"}`

func TestDesk_BeforeACallAFailureIsANo(t *testing.T) {
	t.Parallel()
	fails := desk(func(context.Context, hook.Handler, hook.Question) (hook.Answer, error) {
		return hook.Answer{}, errors.New("broken")
	})
	call := hook.Sample(hook.PreToolUse, "Shell", "{}")
	out, err := fails.Ask(t.Context(), commands(hook.PreToolUse, plainCommand), call)
	require.NoError(t, err)
	require.Equal(t, hook.Deny, out.Decision)
	require.Contains(t, out.Reason, "hooks.json, hooks.PreToolUse[0].hooks[0] failed: broken")
	for _, d := range []hook.Decision{hook.Allow, hook.Ask} {
		out, err = fails.Ask(t.Context(), commands(hook.PreToolUse, `{"type":"command","command":"x","on_error":"`+string(d)+`"}`), call)
		require.NoError(t, err)
		require.Equal(t, d, out.Decision)
	}
	out, err = fails.Ask(t.Context(), commands(hook.UserPromptSubmit, plainCommand), hook.Sample(hook.UserPromptSubmit, "", "hi"))
	require.NoError(t, err)
	require.Equal(t, hook.Allow, out.Decision)
	require.Len(t, out.Notes, 1)
}

func TestDesk_BoundsHandlersAndTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hangs := desk(func(ctx context.Context, _ hook.Handler, _ hook.Question) (hook.Answer, error) {
			<-ctx.Done()
			return hook.Answer{}, ctx.Err()
		})
		began := time.Now()
		out, err := hangs.Ask(t.Context(), commands(hook.PreToolUse, `{"type":"command","command":"x","timeout":3}`), hook.Sample(hook.PreToolUse, "Shell", "{}"))
		require.NoError(t, err)
		require.Equal(t, 3*time.Second, time.Since(began))
		require.Equal(t, hook.Deny, out.Decision)
		require.Contains(t, out.Reason, "it did not answer within 3s")
	})
	var asked atomic.Int32
	counts := desk(func(context.Context, hook.Handler, hook.Question) (hook.Answer, error) {
		asked.Add(1)
		return hook.Answer{}, nil
	})
	many := make([]string, hook.MaxHandlers+1)
	for i := range many {
		many[i] = plainCommand
	}
	out, err := counts.Ask(t.Context(), commands(hook.PreToolUse, many...), hook.Sample(hook.PreToolUse, "Shell", "{}"))
	require.NoError(t, err)
	require.Equal(t, hook.Deny, out.Decision, "leaving one out would let pass what it refuses")
	require.Zero(t, asked.Load())
	out, err = counts.Ask(t.Context(), commands(hook.AgentStop, many...), hook.Sample(hook.AgentStop, "", ""))
	require.NoError(t, err)
	require.EqualValues(t, hook.MaxHandlers, asked.Load())
	require.Len(t, out.Notes, 1)
}

func TestDesk_DoesNotWaitForWhatIsAsync(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := desk(func(ctx context.Context, _ hook.Handler, _ hook.Question) (hook.Answer, error) {
			select {
			case <-ctx.Done():
				return hook.Answer{}, ctx.Err()
			case <-time.After(5 * time.Second):
				return hook.Answer{Decision: hook.Deny}, nil
			}
		})
		began := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		out, err := slow.Ask(ctx, commands(hook.PreToolUse, `{"type":"command","command":"x","async":true}`), hook.Sample(hook.PreToolUse, "Shell", "{}"))
		require.NoError(t, err)
		cancel()
		require.Equal(t, hook.Allow, out.Decision, "who is not waited for decides nothing")
		require.Zero(t, time.Since(began))
		slow.Wait()
		require.Equal(t, 5*time.Second, time.Since(began), "it outlives who asked")
	})
}

func TestDesk_AStopIsNoAnswer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	stops := desk(func(context.Context, hook.Handler, hook.Question) (hook.Answer, error) {
		cancel()
		return hook.Answer{}, context.Canceled
	})
	_, err := stops.Ask(ctx, commands(hook.PreToolUse, plainCommand), hook.Sample(hook.PreToolUse, "Shell", "{}"))
	require.ErrorIs(t, err, context.Canceled)
}

func TestLive_FollowsItsFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "hooks.json")
	live := &hook.Live{File: file, Grants: grants}
	require.False(t, live.Home().Wants(hook.Events()...), "no file, no hooks")
	write := func(text string, at time.Time) {
		t.Helper()
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(file, at, at))
	}
	now := time.Now()
	write(on(hook.AgentStop, "", plainCommand), now)
	require.True(t, live.For(t.Context(), "s").Wants(hook.AgentStop))
	write(on(hook.AgentStop, "", `{"type":"command"}`), now.Add(time.Second))
	require.False(t, live.Home().Wants(hook.AgentStop))
	require.Len(t, live.Home().Faults(), 1)
	require.NoError(t, os.Remove(file))
	require.Empty(t, live.Home().Faults())
}

// projects has the files of one project.
type projects struct {
	docs  []hook.Doc
	err   error
	reads int
}

func (p *projects) Hooks(context.Context, chat.SessionKey) ([]hook.Doc, error) {
	p.reads++
	return p.docs, p.err
}

func TestLive_ReadsProjectsOnlyWhereTheAdministratorSaysSo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "hooks.json")
	p := &projects{docs: []hook.Doc{{Source: "p", Layer: hook.LayerProject, Text: []byte(on(hook.AgentStop, "", plainCommand))}}}
	live := &hook.Live{File: file, Grants: grants, Projects: p}
	require.False(t, live.For(t.Context(), "s").Wants(hook.AgentStop))
	require.Zero(t, p.reads, "nothing is read for nobody")
	require.NoError(t, os.WriteFile(file, []byte(`{"enable_command_hooks":true,"project_hooks":true}`), 0o600))
	require.True(t, live.For(t.Context(), "s").Wants(hook.AgentStop))
	require.True(t, live.For(t.Context(), "s").Wants(hook.AgentStop))
	require.Equal(t, 1, p.reads, "what was read a moment ago holds")
	p.err = errors.New("the runner is away")
	set := live.For(t.Context(), "other")
	require.True(t, set.Wants(hook.PreToolUse), "what cannot be read may forbid anything")
	require.Contains(t, set.Faults()[0].String(), "the runner is away")
}

func TestDesk_TheAdministratorsJudgeWhatProjectsMakeOfACall(t *testing.T) {
	t.Parallel()
	deny := on(hook.PreToolUse, "Shell", `{"type":"command","command":"deny","if":"Shell(git push*)"}`)
	rewrite := on(hook.PreToolUse, "Shell", `{"type":"command","command":"rewrite"}`)
	says := desk(func(_ context.Context, h hook.Handler, q hook.Question) (hook.Answer, error) {
		if h.Command == "rewrite" {
			require.JSONEq(t, `{"command":"ls"}`, string(q.Payload.ToolInput))
			return hook.Answer{Updated: []byte(`{"command":"git push --force"}`)}, nil
		}
		require.Contains(t, string(q.Body), "git push --force")
		return hook.Answer{Decision: hook.Deny, Reason: "never"}, nil
	})
	call := hook.Sample(hook.PreToolUse, "Shell", `{"command":"ls"}`)
	set := hook.Merge(parse(deny), hook.Parse([]byte(rewrite), "p", hook.LayerProject, grants))
	out, err := says.Ask(t.Context(), set, call)
	require.NoError(t, err)
	require.Equal(t, hook.Deny, out.Decision)
	require.Equal(t, "never", out.Reason)

	set = hook.Merge(parse(rewrite), hook.Parse([]byte(deny), "p", hook.LayerProject, grants))
	out, err = says.Ask(t.Context(), set, call)
	require.NoError(t, err)
	require.Equal(t, hook.Allow, out.Decision, "a project has no say in what the administrator makes of a call")
	require.JSONEq(t, `{"command":"git push --force"}`, string(out.Updated))
}

func TestDesk_TwoRoundsTogetherAreBounded(t *testing.T) {
	t.Parallel()
	slow := strings.Replace(plainCommand, `"x"`, `"x","timeout":60`, 1)
	synctest.Test(t, func(t *testing.T) {
		hangs := desk(func(ctx context.Context, _ hook.Handler, _ hook.Question) (hook.Answer, error) {
			<-ctx.Done()
			return hook.Answer{}, ctx.Err()
		})
		set := hook.Merge(parse(on(hook.PreToolUse, "", slow)), hook.Parse([]byte(on(hook.PreToolUse, "", slow)), "p", hook.LayerProject, grants))
		began := time.Now()
		out, err := hangs.Ask(t.Context(), set, hook.Sample(hook.PreToolUse, "Shell", "{}"))
		require.NoError(t, err)
		require.Equal(t, hook.Deny, out.Decision)
		require.Equal(t, hook.MaxTime, time.Since(began))
		require.Len(t, out.Notes, 2)
		require.Contains(t, out.Notes[1], "that all hooks of an event have together")
	})
	half := strings.Split(strings.TrimSuffix(strings.Repeat(plainCommand+"|", hook.MaxHandlers/2+1), "|"), "|")
	never := desk(func(_ context.Context, h hook.Handler, _ hook.Question) (hook.Answer, error) {
		require.NotEqual(t, hook.LayerHome, h.Layer)
		return hook.Answer{}, nil
	})
	set := hook.Merge(parse(on(hook.PreToolUse, "", strings.Join(half, ","))), hook.Parse([]byte(on(hook.PreToolUse, "", strings.Join(half, ","))), "p", hook.LayerProject, grants))
	out, err := never.Ask(t.Context(), set, hook.Sample(hook.PreToolUse, "Shell", "{}"))
	require.NoError(t, err)
	require.Equal(t, hook.Deny, out.Decision, "of both files together there are too many")
}
