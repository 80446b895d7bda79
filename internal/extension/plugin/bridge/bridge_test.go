package bridge

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// obedient answers all but what is named hang, and pings where it is to.
func obedient(pings bool) func(p *fakeProcess) (int, error) {
	return speak(func(_ *fakeProcess, r request) any {
		if r.Params.Name == "hang" || r.Method == "ping" && !pings {
			return nil
		}
		return map[string]string{"text": "here"}
	})
}

func TestBridge_WhoLeavesEndsNobodysProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "stdio", obedient(true))
		require.NoError(t, w.ask(t.Context(), "t", 0))
		for range 2 * maxLate {
			require.Error(t, w.ask(t.Context(), "hang", 10*time.Millisecond), "as a hook's or an enricher's time")
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			require.ErrorIs(t, w.ask(ctx, "hang", 0), context.DeadlineExceeded)
			cancel()
		}
		require.NoError(t, w.ask(t.Context(), "t", 0))
		require.Equal(t, 1, w.box.starts())
	})
}

func TestBridge_ARequestThatHangsEndsNoProcessThatAnswersOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "stdio", obedient(false))
		var unknown *UnknownError
		require.ErrorAs(t, w.ask(t.Context(), "hang", 0), &unknown)
		end := time.Now().Add(pingTime + time.Second)
		for time.Now().Before(end) {
			require.NoError(t, w.ask(t.Context(), "t", 0))
			<-time.After(50 * time.Millisecond)
		}
		require.Equal(t, 1, w.box.starts())
	})
}

func TestBridge_OneThatAnswersNothingAnyMoreIsEndedThoughItPrints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "stdio", speak(func(p *fakeProcess, r request) any {
			if r.Method == "initialize" {
				go func() {
					for p.ctx.Err() == nil {
						p.say(map[string]any{"method": "log", "params": map[string]string{"message": "at work"}})
					}
				}()
				return map[string]string{}
			}
			return nil
		}))
		require.Error(t, w.ask(t.Context(), "hang", 0))
		require.Eventually(t, func() bool { return w.Running() == 0 }, 2*pingTime, 10*time.Millisecond)
	})
}

func TestBridge_OneThatAnswersPingsAloneIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "stdio", obedient(true))
		for range maxLate {
			require.Error(t, w.ask(t.Context(), "hang", 0))
		}
		require.Eventually(t, func() bool { return w.Running() == 0 }, pingTime, 10*time.Millisecond)
	})
}

func TestBridge_APluginInstalledAnewIsAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "stdio", obedient(true))
		require.NoError(t, w.ask(t.Context(), "t", 0))
		w.rows.mu.Lock()
		w.rows.row.Revision = 7
		w.rows.mu.Unlock()
		require.Eventually(t, func() bool { return w.ask(t.Context(), "t", 0) == nil && w.box.starts() == 2 }, 5*time.Second, 10*time.Millisecond)
	})
}

func TestBridge_WhoKnowsAnOlderRevisionEndsNoNewerProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "stdio", obedient(true))
		require.NoError(t, w.ask(t.Context(), "t", 0))
		older, err := w.cfg.Plugins.Get(t.Context(), "p")
		require.NoError(t, err)
		newer := older
		newer.Revision++
		p, err := w.take(newer, nil)
		require.NoError(t, err)
		defer w.release(p)
		late, err := w.take(older, nil)
		require.NoError(t, err)
		defer w.release(late)
		require.Same(t, p, late)
	})
}

func TestBridge_OutagesAreNoCrashes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "stdio", obedient(true))
		w.box.fail = fault.Errorf(fault.Unavailable, "the runner is away")
		for range 2 * failing {
			require.Error(t, w.ask(t.Context(), "t", 0))
		}
		w.box.fail = nil
		require.Eventually(t, func() bool { return w.ask(t.Context(), "t", 0) == nil }, 500*time.Millisecond, time.Millisecond, "it is started as soon as the runner is back")

		lost := newWorld(t, "stdio", speak(func(p *fakeProcess, r request) any {
			if r.Params.Name == "lose" {
				p.err = &sandbox.SessionLostError{Runner: "r"}
				_ = p.out.PipeWriter.CloseWithError(p.err)
			}
			return map[string]string{}
		}))
		for range 2 * failing {
			require.Error(t, lost.ask(t.Context(), "lose", 0))
		}
		require.Empty(t, lost.rows.problems())
	})
}

func TestBridge_WhatACrashWroteIsForAdministratorsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "stdio", func(p *fakeProcess) (int, error) {
			_, _ = speak(func(p *fakeProcess, r request) any {
				if r.Method == "initialize" {
					return map[string]string{}
				}
				_ = p.in.PipeReader.CloseWithError(io.EOF)
				return nil
			})(p)
			_, _ = p.errs.PipeWriter.Write([]byte("of another person"))
			return 3, nil
		})
		require.Eventually(t, func() bool { // the pause grows
			err := w.ask(t.Context(), "t", 0)
			require.Error(t, err)
			require.NotContains(t, err.Error(), "another person")
			return w.rows.problems() != ""
		}, time.Minute, 100*time.Millisecond)
		require.Contains(t, w.rows.problems(), "exit code 3; it wrote: of another person")
	})
}

func TestBridge_HealthIsReadWhileProcessesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "stdio", speak(func(p *fakeProcess, r request) any {
			if r.Params.Name == "end" {
				defer p.kill()
			}
			return map[string]string{}
		}))
		var wait sync.WaitGroup
		for i := range 20 {
			wait.Go(func() { _ = w.ask(t.Context(), []string{"t", "end"}[i%2], 0) })
		}
		wait.Wait()
	})
}

func TestBridge_BlankLinesArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		written := make(chan int, 1)
		w := newWorld(t, "stdio", speak(func(p *fakeProcess, r request) any {
			if r.Method == "tools/call" {
				go func() {
					n := 0
					for end := time.Now().Add(time.Second); time.Now().Before(end) && p.ctx.Err() == nil; n++ {
						if _, err := p.out.PipeWriter.Write([]byte("\n")); err != nil {
							break
						}
					}
					written <- n
				}()
			}
			return map[string]string{}
		}))
		require.NoError(t, w.ask(t.Context(), "t", 0))
		require.Less(t, <-written, 3*bytesASecond/lineCost)
	})
}

func TestScript_ASignalIsALostOutcomeAndCrashesInARowPauseIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "script", func(*fakeProcess) (int, error) { return 137, nil })
		var unknown *UnknownError
		require.ErrorAs(t, w.ask(t.Context(), "t", 0), &unknown)
		require.ErrorAs(t, w.ask(t.Context(), "t", 0), &unknown)
		require.Equal(t, fault.Unavailable, fault.KindOf(w.ask(t.Context(), "t", 0)), "it is left alone for a while")
		require.Equal(t, 2, w.box.starts())
	})
}

func TestScript_RunsFewAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now atomic.Int32
		end := make(chan struct{}, 5*scriptsAtOnce)
		w := newWorld(t, "script", func(*fakeProcess) (int, error) {
			now.Add(1)
			defer now.Add(-1)
			<-end
			return 0, nil
		})
		var wait sync.WaitGroup
		for range cap(end) {
			wait.Go(func() { _ = w.ask(t.Context(), "t", 0) })
		}
		for range cap(end) {
			require.Eventually(t, func() bool { return now.Load() > 0 }, time.Minute, time.Millisecond)
			require.LessOrEqual(t, now.Load(), int32(scriptsAtOnce))
			end <- struct{}{}
		}
		wait.Wait()
	})
}

func TestScript_ARefusalIsNoCrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "script", func(p *fakeProcess) (int, error) {
			_, _ = p.errs.PipeWriter.Write([]byte("no such feed"))
			return 1, nil
		})
		for range 2 * failing {
			err := w.ask(t.Context(), "t", 0)
			_, refused := errors.AsType[*RefusedError](err)
			require.True(t, refused, "%v", err)
		}
	})
}

func TestBridge_StorageIsAskedOneByOneAndPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "stdio", speak(func(p *fakeProcess, r request) any {
			if r.Method == "tools/call" {
				go func() {
					for i := 0; p.ctx.Err() == nil; i++ {
						p.say(map[string]any{"jsonrpc": "2.0", "id": i, "method": "storage/get", "params": map[string]string{"key": "k"}})
					}
				}()
			}
			return map[string]string{}
		}))
		began := time.Now()
		require.NoError(t, w.ask(t.Context(), "t", 0))
		require.Eventually(t, func() bool {
			w.rows.mu.Lock()
			defer w.rows.mu.Unlock()
			return w.rows.asked > storedAtOnce
		}, time.Minute, 10*time.Millisecond)
		w.rows.mu.Lock()
		defer w.rows.mu.Unlock()
		require.Equal(t, 1, w.rows.most)
		require.LessOrEqual(t, float64(w.rows.asked), storedAtOnce+storedASecond*time.Since(began).Seconds()+1)
	})
}
