package sandbox_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a Link that answers call after call as a test says.
type script struct {
	t  *testing.T
	mu sync.Mutex

	steps []step
	asked []wire.Request
}

type step struct {
	answer any   // of a call that goes well
	pushes []any // ahead of the answer or of the error
	err    error
}

func (s *script) Ready(ctx context.Context) (wire.Info, error) {
	if ctx.Err() != nil {
		return wire.Info{}, sandbox.ErrOffline
	}
	return wire.Info{Store: "store", Workspace: "/w"}, nil
}

func (s *script) Call(_ context.Context, req wire.Request, push func(wire.Push) error) (wire.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, req)
	require.NotEmpty(s.t, s.steps, "an unexpected %s", req.Op)
	now := s.steps[0]
	s.steps = s.steps[1:]
	for _, body := range now.pushes {
		raw, err := json.Marshal(body)
		require.NoError(s.t, err)
		if err := push(wire.Push{Body: raw}); err != nil {
			return wire.Response{}, err
		}
	}
	raw, err := json.Marshal(now.answer)
	require.NoError(s.t, err)
	return wire.Response{Body: raw}, now.err
}

// body reads the n-th request.
func body[T any](s *script, n int) T {
	s.t.Helper()
	var v T
	require.Greater(s.t, len(s.asked), n)
	require.NoError(s.t, s.asked[n].Decode(&v))
	return v
}

func setup(t *testing.T, steps ...step) (*sandbox.Runner, *script) {
	s := &script{t: t, steps: steps}
	t.Cleanup(func() { require.Empty(t, s.steps, "calls that were not made") })
	return sandbox.NewRunner("laptop", s, sandbox.RunnerConfig{OfflineWait: 10 * time.Second}), s
}

func TestExec_GoesOnWhereTheOutputBroke(t *testing.T) {
	t.Parallel()
	box, s := setup(t,
		step{err: sandbox.ErrOffline},
		step{pushes: []any{wire.ExecOutput{Data: []byte("abc")}}, err: sandbox.ErrBroken},
		step{pushes: []any{wire.ExecOutput{Offset: 3, Data: []byte("de")}}, answer: wire.ExecEnd{State: wire.StateExited, Code: 4}},
	)
	var streamed string
	noted := 0
	got, err := box.Exec(t.Context(), sandbox.ExecRequest{
		ID: "t.0.0", Command: "c",
		Output: func(_ int64, piece []byte) { streamed += string(piece) },
		Starting: func(_ context.Context, store string) error {
			require.Equal(t, "store", store)
			noted++
			return nil
		},
	})
	require.NoError(t, err)
	require.Equal(t, 4, got.Code)
	require.Equal(t, "abcde", streamed)
	require.Equal(t, 1, noted)
	require.EqualValues(t, 3, body[wire.ExecAttach](s, 2).Offset)
	for n := range 3 {
		require.Equal(t, "store", body[wire.ExecAttach](s, n).Store)
	}
}

func TestExec_AsksForWallsByANameThatOlderRunnersDoNotKnow(t *testing.T) {
	r, s := setup(t, step{answer: wire.ExecEnd{State: wire.StateExited}}, step{answer: wire.ExecEnd{State: wire.StateExited}})
	for i, walls := range []chat.Confinement{{}, {Offline: true}} {
		_, err := sandbox.Narrow(r, walls).Exec(t.Context(), sandbox.ExecRequest{ID: "t.0.0", Command: "true"})
		require.NoError(t, err)
		require.Equal(t, wire.Confinement(walls), body[wire.ExecAttach](s, i).Confinement)
	}
	require.Equal(t, wire.OpExecAttach, s.asked[0].Op)
	require.Equal(t, wire.OpExecNarrow, s.asked[1].Op)
}

func TestExec_SendsSecretsByANameThatOlderRunnersDoNotKnow(t *testing.T) {
	t.Parallel()
	r, s := setup(t, step{answer: wire.ExecEnd{State: wire.StateExited}}, step{answer: wire.ExecEnd{State: wire.StateExited}})
	env := sandbox.Environment{Variables: []string{"A=1", "B=2"}, Secrets: []wire.Secret{{Name: "TOKEN", Value: "0123456789"}}}
	box := sandbox.Narrow(sandbox.WithEnvironment(r, env), chat.Confinement{Offline: true})
	_, err := box.Exec(t.Context(), sandbox.ExecRequest{ID: "t.0.0", Command: "true", Env: []string{"B=3"}})
	require.NoError(t, err)
	require.Equal(t, wire.OpExecSecret, s.asked[0].Op)
	sent := body[wire.ExecAttach](s, 0)
	require.Equal(t, []string{"A=1", "B=2", "B=3"}, sent.Env, "what the request says comes last, and wins")
	require.Equal(t, env.Secrets, sent.Secrets)
	require.True(t, sent.Confinement.Offline)
	require.Equal(t, "[hidden: TOKEN]", env.Masker().Text("0123456789"))

	_, err = sandbox.Wide(box).Exec(t.Context(), sandbox.ExecRequest{ID: "t.0.1", Command: "true"})
	require.NoError(t, err)
	require.Equal(t, wire.OpExecAttach, s.asked[1].Op, "what the server runs for itself has neither walls nor variables")
	require.Same(t, r, sandbox.WithEnvironment(r, sandbox.Environment{}))
}

func TestExec_RefusesOutputWithAGap(t *testing.T) {
	t.Parallel()
	box, _ := setup(t, step{pushes: []any{wire.ExecOutput{Offset: 5, Data: []byte("x")}}})
	_, err := box.Exec(t.Context(), sandbox.ExecRequest{ID: "t.0.0", Command: "c", Output: func(int64, []byte) {}})
	require.Equal(t, fault.Internal, fault.KindOf(err))
}

func TestRunner_PassesOnKindsAndSentences(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]fault.Kind{
		wire.Denied: fault.Denied, wire.NotFound: fault.NotFound, wire.Conflict: fault.Conflict, wire.Invalid: fault.Invalid,
		wire.TooLarge: fault.TooLarge, wire.Unavailable: fault.Unavailable,
	} {
		box, _ := setup(t, step{err: wire.Errorf(kind, "a sentence")})
		_, err := box.Stat(t.Context(), "f")
		require.Equal(t, want, fault.KindOf(err), kind)
		require.EqualError(t, err, "a sentence")
	}
	for _, kind := range []string{wire.Internal, "unheard of"} {
		box, _ := setup(t, step{err: wire.Errorf(kind, "a sentence")})
		_, err := box.Stat(t.Context(), "f")
		require.Equal(t, fault.Internal, fault.KindOf(err), kind)
		require.ErrorContains(t, err, `runner laptop has a fault (it says: "a sentence")`)
	}
}

func TestRemove_AfterALostAnswerGoneIsDone(t *testing.T) {
	t.Parallel()
	gone := step{err: wire.Errorf(wire.NotFound, "f does not exist")}
	box, _ := setup(t, step{err: sandbox.ErrBroken}, gone)
	require.NoError(t, box.Remove(t.Context(), "f"))
	box, _ = setup(t, step{err: sandbox.ErrOffline}, gone)
	require.Equal(t, fault.NotFound, fault.KindOf(box.Remove(t.Context(), "f")), "nothing was sent before")
}

func TestWriteFile_SaysThatItIsATryAfterALostAnswer(t *testing.T) {
	t.Parallel()
	box, s := setup(t, step{err: sandbox.ErrBroken}, step{answer: wire.WriteResult{}})
	require.NoError(t, box.WriteFile(t.Context(), "f", []byte("x"), sandbox.WriteCreate))
	require.False(t, body[wire.Write](s, 0).Retry)
	require.True(t, body[wire.Write](s, 1).Retry)
	require.Equal(t, body[wire.Write](s, 0).Upload, body[wire.Write](s, 1).Upload)
}

func TestWriteFile_BeginsAnewWhenTheRunnerLostParts(t *testing.T) {
	t.Parallel()
	box, s := setup(t,
		step{answer: wire.WriteResult{}}, step{answer: wire.WriteResult{Restart: true}},
		step{answer: wire.WriteResult{}}, step{answer: wire.WriteResult{}},
	)
	require.NoError(t, box.WriteFile(t.Context(), "f", make([]byte, wire.MaxChunk+1), sandbox.WriteReplace))
	require.NotEqual(t, body[wire.Write](s, 0).Upload, body[wire.Write](s, 2).Upload)
	require.Zero(t, body[wire.Write](s, 2).Offset)
	require.True(t, body[wire.Write](s, 3).Last)

	lost := step{answer: wire.WriteResult{Restart: true}}
	box, _ = setup(t, lost, lost, lost, lost, lost)
	require.Equal(t, fault.Unavailable, fault.KindOf(box.WriteFile(t.Context(), "f", nil, sandbox.WriteReplace)))
}

func TestUpload_OfWhatCannotBeReadAgainSaysSo(t *testing.T) {
	t.Parallel()
	box, _ := setup(t, step{answer: wire.WriteResult{}}, step{answer: wire.WriteResult{Restart: true}})
	_, err := box.Upload(t.Context(), "f", io.LimitReader(rand.Reader, wire.MaxChunk+1), sandbox.WriteReplace)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.ErrorContains(t, err, "send it again")
}

func TestDownload_SaysThatTheFileChanged(t *testing.T) {
	t.Parallel()
	at := time.Unix(1000, 0)
	box, _ := setup(t,
		step{answer: wire.ReadResult{Data: make([]byte, wire.MaxChunk), Size: 2 << 20, ModTime: at}},
		step{answer: wire.ReadResult{Data: make([]byte, wire.MaxChunk), Size: 2 << 20, ModTime: at.Add(1)}},
	)
	var got bytes.Buffer
	n, err := box.Download(t.Context(), "f", &got)
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.EqualValues(t, wire.MaxChunk, n)
}

func TestReadFile_ReadsAgainWhatChangedBetweenItsParts(t *testing.T) {
	t.Parallel()
	at := time.Unix(1000, 0)
	part := func(n int, size int64, at time.Time) step {
		return step{answer: wire.ReadResult{Data: make([]byte, n), Size: size, ModTime: at}}
	}
	const size = wire.MaxChunk + 10
	box, _ := setup(t,
		part(wire.MaxChunk, size, at), part(10, size, at.Add(1)),
		part(wire.MaxChunk, size, at.Add(1)), part(10, size, at.Add(1)),
	)
	got, err := box.ReadFile(t.Context(), "f", 0, 0)
	require.NoError(t, err)
	require.Len(t, got.Data, size)

	torn := []step{part(wire.MaxChunk, size, at), part(10, size+1, at)}
	box, _ = setup(t, append(append(torn, torn...), torn...)...)
	_, err = box.ReadFile(t.Context(), "f", 0, 0)
	require.Equal(t, fault.Conflict, fault.KindOf(err))

	_, err = box.ReadFile(t.Context(), "f", 0, 1<<40)
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
}

func TestStart_AsksARunnerThatWasAwayAgain(t *testing.T) {
	t.Parallel()
	box, s := setup(t,
		step{err: sandbox.ErrOffline}, step{err: sandbox.ErrOffline},
		step{pushes: []any{wire.StdioOutput{}}, answer: wire.StdioEnd{Code: 3}},
		step{err: sandbox.ErrBroken},
	)
	p, err := box.Start(t.Context(), sandbox.StdioRequest{Args: []string{"cat"}})
	require.NoError(t, err)
	code, err := p.Wait()
	require.NoError(t, err)
	require.Equal(t, 3, code)
	require.Len(t, s.asked, 3)

	_, err = box.Start(t.Context(), sandbox.StdioRequest{Args: []string{"cat"}})
	lost := new(sandbox.SessionLostError)
	require.ErrorAs(t, err, &lost, "it may have been started, and is not started twice")
}

func TestRunner_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	box, _ := setup(t)
	cancel(errors.New("stopped"))
	_, err := box.Exec(ctx, sandbox.ExecRequest{ID: "t.0.0", Command: "c"})
	require.ErrorIs(t, err, context.Canceled)
	_, err = box.Stat(ctx, "f")
	require.ErrorIs(t, err, context.Canceled)
}

func TestRunner_AFaultOfItsOwnIsToldFromOurs(t *testing.T) {
	for _, kind := range []string{"internal", "nonsense", ""} {
		r, _ := setup(t, step{err: &wire.Error{Kind: kind, Message: "segmentation fault " + strings.Repeat("x", 1000)}})
		_, err := r.Stat(t.Context(), "a")
		odd := new(sandbox.MisbehavedError)
		require.ErrorAs(t, err, &odd, kind)
		require.ErrorContains(t, err, "has a fault (it says: \"segmentation fault")
		require.Less(t, len(err.Error()), 400, "it cannot talk for ever")
	}
}
