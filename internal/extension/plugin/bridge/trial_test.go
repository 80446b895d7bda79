package bridge

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// tried is the plugin of a world, which is not installed. It lacks settings if it has some that are required.
func (w *world) tried(settings ...plugin.Setting) installed.Plugin {
	m, err := w.rows.files.Manifest()
	require.NoError(w, err)
	m.Contributes.Settings = settings
	return installed.Plugin{Plugin: w.rows.row, Manifest: m}
}

// says is a program that writes to standard error and ends.
func says(code int, words string) func(p *fakeProcess) (int, error) {
	return func(p *fakeProcess) (int, error) {
		_, _ = p.errs.PipeWriter.Write([]byte(words))
		return code, nil
	}
}

func TestTrial_RefusesWhatDoesNotStartAndSaysWhy(t *testing.T) {
	lacking := plugin.Setting{Name: "token", Type: plugin.Secret, Required: true}
	known := plugin.Setting{Name: "token", Type: plugin.Secret}
	for name, c := range map[string]struct {
		play     func(p *fakeProcess) (int, error)
		fail     error // of the runner
		settings []plugin.Setting
		kind     fault.Kind // empty: it starts
		says     []string
	}{
		"answers":                   {play: obedient(true)},
		"ends at once":              {play: says(1, "Error: Cannot find module 'main.mjs'\n"), kind: fault.Invalid, says: []string{"p 1 does not start", "exit code 1", "Cannot find module 'main.mjs'"}},
		"hides its secrets":         {play: says(1, "bad token s3cret-value\n"), settings: []plugin.Setting{known}, kind: fault.Invalid, says: []string{"bad token …"}},
		"says no":                   {play: refuses, kind: fault.Invalid, says: []string{"the plugin p says: not today"}},
		"says nothing":              {play: speak(func(*fakeProcess, request) any { return nil }), kind: fault.Invalid, says: []string{"could not be asked anything within 15s"}},
		"lacks settings":            {play: says(1, "token is missing\n"), settings: []plugin.Setting{lacking}},
		"lacks settings and a file": {play: says(127, "not found\n"), settings: []plugin.Setting{lacking}, kind: fault.Invalid, says: []string{"exit code 127"}},
		"the runner is offline":     {fail: &sandbox.OfflineError{Runner: "local"}, kind: fault.Unavailable, says: []string{"Start the server"}},
		"no confinement":            {fail: fault.Errorf(fault.Unavailable, "plugins cannot be confined"), kind: fault.Conflict, says: []string{"plugins cannot be confined"}},
		"the runner refuses":        {fail: fault.Errorf(fault.Invalid, "no such program"), kind: fault.Invalid, says: []string{"no such program"}},
		"the runner goes away":      {play: func(*fakeProcess) (int, error) { return 0, &sandbox.SessionLostError{} }, kind: fault.Conflict, says: []string{"not its own"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "stdio", c.play)
				w.box.fail = c.fail
				values := plugin.Values{}
				if len(c.settings) > 0 && !c.settings[0].Required {
					values["token"] = "s3cret-value"
				}
				err := Trial{w.cfg}.Start(t.Context(), w.tried(c.settings...), w.rows.files, values)
				if c.kind == "" {
					require.NoError(t, err)
				} else {
					require.Equal(t, c.kind, fault.KindOf(err), "%v", err)
				}
				for _, want := range c.says {
					require.ErrorContains(t, err, want)
				}
				require.Empty(t, w.rows.lastFailure(), "it is no failure of a plugin that is installed")
				data, err := filepath.Glob(filepath.Join(w.home, "data", "*"))
				require.NoError(t, err)
				require.Empty(t, data)
			})
		})
	}
}

// refuses is a program that does not want to be initialized.
func refuses(p *fakeProcess) (int, error) {
	return speak(func(p *fakeProcess, r request) any {
		p.say(map[string]any{"jsonrpc": "2.0", "id": r.ID, "error": map[string]any{"code": 1, "message": "not today"}})
		return nil
	})(p)
}

func TestTrial_OfAScriptAsksItToInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for code, kind := range map[int]fault.Kind{0: "", 1: fault.Invalid, 127: fault.Invalid, 137: fault.Invalid} {
			var asked struct {
				Method string `json:"method"`
			}
			w := newWorld(t, "script", func(p *fakeProcess) (int, error) {
				_ = json.NewDecoder(p.in.PipeReader).Decode(&asked)
				_, _ = p.errs.PipeWriter.Write([]byte("some words"))
				return code, nil
			})
			err := Trial{w.cfg}.Start(t.Context(), w.tried(), w.rows.files, nil)
			require.Equal(t, "initialize", asked.Method)
			if kind == "" {
				require.NoError(t, err)
				continue
			}
			require.Equal(t, kind, fault.KindOf(err), "%v", err)
			require.ErrorContains(t, err, "some words")
		}
	})
}

func TestTrial_KeepsNoValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{})
		w := newWorld(t, "stdio", speak(func(p *fakeProcess, r request) any {
			if r.Method == "initialize" {
				p.say(map[string]any{"jsonrpc": "2.0", "id": 7, "method": "storage/get", "params": map[string]string{"key": "a"}})
				return nil
			}
			return nil
		}))
		play := w.box.play
		w.box.play = func(p *fakeProcess) (int, error) { defer close(done); return play(p) }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Error(t, Trial{w.cfg}.Start(ctx, w.tried(), w.rows.files, nil))
		<-done
		require.Zero(t, w.rows.asked, "the values of what is installed are not read")
	})
}

func TestSweep_KeepsWhatIsTried(t *testing.T) {
	w := newWorld(t, "stdio", obedient(true))
	one := w.tried()
	one.Plugin.ID = "other"
	end, err := w.folders.try(one, w.rows.files)
	require.NoError(t, err)
	w.folders.sweep(nil)
	require.DirExists(t, w.folders.code(one))
	old := time.Now().Add(-2 * trialTime)
	require.NoError(t, os.Chtimes(w.folders.mark("other"), old, old))
	w.folders.sweep(nil)
	require.NoDirExists(t, w.folders.code(one), "a trial that was killed")
	end()
	require.NoFileExists(t, w.folders.mark("other"))
}

func TestBridge_NotesTheLastFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "stdio", obedient(true))
		require.Error(t, w.ask(t.Context(), "hang", 0))
		require.Equal(t, "it did not answer tools/call in time", w.rows.lastFailure())
		require.NoError(t, w.ask(t.Context(), "t", 0))
		require.NotEmpty(t, w.rows.lastFailure(), "it stays")
		ctx, leave := context.WithCancel(t.Context())
		w.rows.mu.Lock()
		w.rows.failure = ""
		w.rows.mu.Unlock()
		time.AfterFunc(time.Millisecond, leave)
		require.Error(t, w.ask(ctx, "hang", 0))
		require.Empty(t, w.rows.lastFailure(), "who leaves is no failure of the plugin")
	})
}
