package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"xbot/internal/fault"
	"xbot/internal/plugin"
	"xbot/internal/plugin/installed"
	"xbot/internal/sandbox"
)

// start starts the program of a plugin. It runs until life ends.
func (b *Bridge) start(life context.Context, one installed.Plugin) (sandbox.Process, error) {
	args := one.Command.Here()
	if args == nil {
		return nil, fault.Errorf(fault.Invalid, "it has no command for this system")
	}
	if err := b.unpack(life, one); err != nil {
		return nil, err
	}
	return b.cfg.Box.Start(life, sandbox.StdioRequest{Args: args, Plugin: &sandbox.Plugin{
		ID: one.Plugin.ID, Digest: one.Digest, Data: one.Installation, Network: one.Wants(plugin.Network), Files: one.Wants(plugin.Files),
	}})
}

func (b *Bridge) codeFolder(id string) string { return filepath.Join(b.cfg.Home, "code", id) }

// unpack writes the files of a plugin where its process runs, unless they are there.
func (b *Bridge) unpack(ctx context.Context, one installed.Plugin) error {
	dir := filepath.Join(b.codeFolder(one.Plugin.ID), one.Digest)
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		return nil
	}
	digest, archive, err := b.cfg.Rows.PluginArchive(ctx, one.Plugin.ID)
	if err != nil {
		return err
	}
	if digest != one.Digest {
		return fault.Errorf(fault.Conflict, "it was installed anew at this moment: try again")
	}
	files, err := plugin.ReadArchive(archive)
	if err != nil {
		return err
	}
	if files.Digest() != digest {
		return fault.Errorf(fault.Invalid, "its files in the database are not those that were installed: install it again")
	}
	return files.Unpack(dir)
}

// scriptsAtOnce is how many processes a plugin of the runtime script may have.
const scriptsAtOnce = 4

// killed is the first exit code that says that a signal ended a process, or what it stood for: it may have done anything before.
const killed = 128

// script starts the program of a plugin for one request, which it reads, and takes what it writes as the answer.
// What it asks of others ends with it. caller ends when whoever asks leaves, ctx when the time is up, too.
func (b *Bridge) script(caller, ctx context.Context, one installed.Plugin, values plugin.Values, r Request, into any) error {
	b.mu.Lock()
	err := b.pause(one)
	if b.closed {
		err = errClosing
	}
	if b.scripts[one.Plugin.ID] == nil {
		b.scripts[one.Plugin.ID] = make(chan struct{}, scriptsAtOnce)
	}
	slot := b.scripts[one.Plugin.ID]
	b.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case slot <- struct{}{}:
		defer func() { <-slot }()
	case <-ctx.Done():
		return fault.Errorf(fault.Unavailable, "the plugin %s is at work on as many requests as it may", one.Plugin.ID)
	}
	line, err := json.Marshal(struct {
		Method   string        `json:"method"`
		Params   any           `json:"params"`
		Settings plugin.Values `json:"settings"`
	}{r.Method, r.Params, values})
	if err != nil || len(line) > MaxMessage {
		return fault.Errorf(fault.TooLarge, "the plugin %s takes at most %d kB at once", one.Plugin.ID, MaxMessage>>10)
	}
	life, cancel := context.WithCancel(ctx)
	defer cancel()
	started, err := b.start(life, one)
	if err != nil {
		return fault.Errorf(kind(err), "the plugin %s cannot be started: %w", one.Plugin.ID, err)
	}
	out, said, code, err := talk(started, append(line, '\n'))
	switch {
	case caller.Err() != nil:
		return errUnanswered
	case ctx.Err() != nil:
		b.crashed(one, "it did not answer in time", redact(said, one, values))
		return errUnanswered
	case lostRunner(err):
		return &lostError{err.Error()}
	case err == nil && code >= killed:
		err = errors.New(ending(nil, code, nil))
	}
	if err != nil {
		b.crashed(one, short(err.Error()), redact(said, one, values))
		return &lostError{short(err.Error())}
	}
	b.works(one, false)
	switch said = redact(said, one, values); {
	case code != 0 && said == "":
		return &RefusedError{Plugin: one.Plugin.ID, Said: fmt.Sprintf("exit code %d", code)}
	case code != 0:
		return &RefusedError{Plugin: one.Plugin.ID, Said: said}
	}
	return readOutput(one.Plugin.ID, out, into)
}

// talk gives a process its input, and reads its output to the end.
func talk(p sandbox.Process, input []byte) (out []byte, said string, code int, err error) {
	var errs words
	var streams sync.WaitGroup
	streams.Go(func() { _, _ = io.Copy(&errs, p.Stderr()) }) // how it ended says Wait
	streams.Go(func() {
		in := p.Stdin()
		_, _ = in.Write(input) // who does not read it answers all the same
		_ = in.Close()
	})
	out, err = io.ReadAll(io.LimitReader(p.Stdout(), MaxMessage+1))
	if len(out) > MaxMessage {
		err = fault.Errorf(fault.TooLarge, "it wrote more than %d kB", MaxMessage>>10)
	}
	if err != nil {
		p.Kill()
	}
	_, _ = io.Copy(io.Discard, p.Stdout()) // until it has ended
	streams.Wait()
	code, waited := p.Wait()
	return out, errs.last(), code, errors.Join(err, waited)
}

// readOutput reads what a script wrote: an object, or a plain text.
func readOutput(id string, out []byte, into any) error {
	if out = bytes.TrimSpace(out); len(out) == 0 || out[0] != '{' {
		text, err := json.Marshal(map[string]string{"text": string(out)})
		if err != nil {
			return err
		}
		out = text
	}
	if json.Unmarshal(out, into) != nil {
		return &RefusedError{Plugin: id, Said: "something that is no answer to what it was asked"}
	}
	return nil
}

// watchEvery is how soon processes of plugins end that were switched off, changed or removed, or were idle; foldersEvery how soon the
// folders go of those that were removed.
const (
	watchEvery   = time.Second
	foldersEvery = 10 * time.Minute
)

// watch ends processes that are not wanted any more.
func (b *Bridge) watch() {
	tick, swept := time.NewTicker(watchEvery), time.Time{}
	defer tick.Stop()
	for {
		select {
		case <-b.over:
			return
		case <-tick.C:
		}
		if b.Running() > 0 {
			b.look()
		}
		if time.Since(swept) > foldersEvery {
			b.sweep()
			swept = time.Now()
		}
	}
}

// look compares the processes with the plugins that there are. While the database is away they go on.
func (b *Bridge) look() {
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	working, err := b.cfg.Plugins.Working(ctx)
	if err != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for p := range b.all {
		i := slices.IndexFunc(working, func(w installed.Plugin) bool { return w.Plugin.ID == p.plugin.Plugin.ID })
		switch {
		case i < 0:
			b.retire(p)
			p.leave() // at once: it may be why it was switched off
		case working[i].Revision != p.plugin.Revision, working[i].Digest != p.plugin.Digest, p.users == 0 && time.Since(p.used) > b.cfg.Idle:
			b.retire(p)
		}
	}
}

// oldCode is how long the files of a version that was replaced stay: a process of another server may use them.
const oldCode = 24 * time.Hour

// sweep removes the folders of plugins that were removed, and the files of versions that were replaced. What is there is looked at before the
// rows are: a plugin that was just installed has its row before its folder.
func (b *Bridge) sweep() {
	var found []string
	for _, part := range []string{"code", "data"} {
		entries, err := os.ReadDir(filepath.Join(b.cfg.Home, part))
		if err != nil {
			continue // there are none
		}
		for _, e := range entries {
			found = append(found, filepath.Join(part, e.Name()))
		}
	}
	if len(found) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	rows, err := b.cfg.Rows.Plugins(ctx)
	if err != nil {
		return
	}
	digests, installations := map[string]string{}, map[string]string{}
	for _, r := range rows {
		digests[r.ID], installations[r.ID] = r.Digest, strconv.FormatInt(r.Installation, 10)
	}
	for _, at := range found {
		digest, there := digests[filepath.Base(at)]
		switch {
		case !there:
			b.remove(filepath.Join(b.cfg.Home, at))
		case filepath.Dir(at) == "code":
			b.removeOld(filepath.Join(b.cfg.Home, at), digest)
		default:
			b.removeOld(filepath.Join(b.cfg.Home, at), installations[filepath.Base(at)])
		}
	}
}

func (b *Bridge) removeOld(dir, current string) {
	entries, _ := os.ReadDir(dir) // none where it cannot be read
	used := b.digests()
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.Name() != current && !used[e.Name()] && time.Since(info.ModTime()) > oldCode {
			b.remove(filepath.Join(dir, e.Name()))
		}
	}
}

// digests are the files that processes of this server use.
func (b *Bridge) digests() map[string]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := map[string]bool{}
	for p := range b.all {
		out[p.plugin.Digest] = true
	}
	return out
}

func (b *Bridge) remove(dir string) {
	if err := os.RemoveAll(dir); err != nil {
		b.cfg.Log.Warn("a folder of a plugin that is gone cannot be removed", "folder", dir, "error", err)
	}
}
