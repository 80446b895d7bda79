package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Trial starts plugins once before they are installed, with their future confinement and an empty data folder, which is removed. Its processes store
// no values and connect no platforms.
type Trial struct{ Config }

var _ installed.Starter = Trial{}

// trial records the end of the process of a plugin that is tried. A nil trial records nothing.
type trial struct {
	ran   bool // it was started, and its end is its own
	code  int
	wrote string // on its standard error
}

func (t *trial) note(code int, wrote string) {
	if t != nil {
		t.ran, t.code, t.wrote = true, code, wrote
	}
}

// Exit codes of a shell that cannot run a program.
const (
	codeNotExecutable = 126
	codeNotFound      = 127
)

// Start implements installed.Starter.
func (t Trial) Start(ctx context.Context, one installed.Plugin, files plugin.Tree, values plugin.Values) error {
	if err := sandbox.Connected(ctx, t.Box); err != nil {
		return fault.Errorf(kind(err), "the plugin %s was not installed: it has to be started once on the server's host, whose runner is not connected. Start the server (xbot serve), then install it again (%w)", one.Plugin.ID, err)
	}
	b := newBridge(t.Config)
	b.trial = &trial{}
	one.Installation = time.Now().UnixNano() // no installation has such a number
	end, err := b.folders.try(one, files)
	if err != nil {
		return err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, b.cfg.Start+goodbye)
	defer cancel()
	if one.Runtime == plugin.Script {
		err = b.startScript(ctx, one, values)
	} else {
		err = b.startOnce(ctx, one, values)
	}
	return b.trial.explain(one, values, err)
}

// startOnce starts the process of a plugin, and ends it once it can answer requests.
func (b *Bridge) startOnce(ctx context.Context, one installed.Plugin, values plugin.Values) error {
	p := newProcess(b, one, values)
	b.all[p] = struct{}{}
	b.work.Go(p.run)
	defer b.work.Wait()
	defer context.AfterFunc(ctx, func() { p.end(ctx.Err()) })()
	<-p.ready
	b.mu.Lock()
	defer b.mu.Unlock()
	p.leave()
	return p.err
}

// startScript asks a script to initialize, for which a separate process is started.
func (b *Bridge) startScript(ctx context.Context, one installed.Plugin, values plugin.Values) error {
	r := Request{Plugin: one.Plugin.ID, Method: "initialize", Params: b.welcome(one, values)}
	timed, cancel := context.WithTimeout(ctx, b.cfg.Start)
	defer cancel()
	return b.script(ctx, timed, one, values, r, &json.RawMessage{})
}

// explain returns the error of a plugin that did not start. One that lacks settings may end: it is refused only if its program cannot be run.
func (t *trial) explain(one installed.Plugin, values plugin.Values, err error) error {
	switch cannotRun := t.code == codeNotFound || t.code == codeNotExecutable; {
	case err == nil || t.ran && !cannotRun && len(one.Missing(values)) > 0:
		return nil
	case !t.ran && !itsOwn(err):
		return fault.Errorf(fault.Conflict, "the plugin %s was not installed: it could not be started once, for a reason that is not its own: %w", one.Plugin.ID, err)
	}
	why := strings.TrimPrefix(err.Error(), "the plugin "+one.Plugin.ID+" cannot be started: ")
	if _, refused := asRefused(err); refused && t.code != 0 { // a script, whose error is its output
		why = fmt.Sprintf("its process ended with exit code %d", t.code)
	}
	if t.wrote != "" {
		why += "; it wrote: " + t.wrote
	}
	return fault.Errorf(fault.Invalid, "the plugin %s %s does not start, so nothing was installed or replaced: %s. Build it as its README says, or mend it, then install it again", one.Plugin.ID, one.Plugin.Version, why)
}

// try writes the files of a plugin and protects them from removal until end, which removes its data.
func (f *folders) try(one installed.Plugin, files plugin.Tree) (end func(), err error) {
	mark := f.mark(one.Plugin.ID)
	if err := os.MkdirAll(filepath.Dir(mark), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return nil, err
	}
	end = func() {
		data := filepath.Join(f.home, "data", one.Plugin.ID)
		err := os.RemoveAll(filepath.Join(data, strconv.FormatInt(one.Installation, 10)))
		if err != nil {
			f.log.Warn("the data of a plugin that was tried cannot be removed", "plugin", one.Plugin.ID, "error", err)
		}
		_ = os.Remove(data) // it has data of an installation otherwise
		_ = os.Remove(mark) // it counts for trialTime otherwise
	}
	if !plugin.IsUnpacked(f.code(one), one.Digest) {
		err = f.write(one, files)
	}
	if err != nil {
		end()
		return nil, err
	}
	touch(f.code(one))
	return end, nil
}

// trialTime limits the trial of a plugin.
const trialTime = time.Minute

// mark returns the path of a file that exists while a plugin is tried.
func (f *folders) mark(id string) string { return filepath.Join(f.home, "trials", id) }

// isTried reports whether a server, or an operator, tries a plugin now.
func (f *folders) isTried(id string) bool {
	info, err := os.Stat(f.mark(id))
	return err == nil && time.Since(info.ModTime()).Abs() < trialTime
}

// noValues does not store values of a plugin that is tried.
type noValues struct{ Rows }

func (noValues) PluginValue(context.Context, string, chat.UserID, string) (string, bool, error) {
	return "", false, nil
}

func (noValues) PluginKeys(context.Context, string, chat.UserID, string, string) ([]string, error) {
	return nil, nil
}

func (noValues) SetPluginValue(context.Context, string, chat.UserID, string, string) error {
	return nil
}

func (noValues) DeletePluginValue(context.Context, string, chat.UserID, string) error { return nil }
