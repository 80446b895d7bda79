package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// start starts the program of a plugin. It runs until life ends.
func (b *Bridge) start(life context.Context, one installed.Plugin) (sandbox.Process, error) {
	args := one.Command.Here()
	if args == nil {
		return nil, fault.Errorf(fault.Invalid, "it has no command for this system")
	}
	if b.trial == nil {
		if err := b.folders.unpack(life, one); err != nil {
			return nil, err
		}
	}
	return b.cfg.Box.Start(life, sandbox.StdioRequest{Args: args, Plugin: &sandbox.Plugin{
		ID: one.Plugin.ID, Digest: one.Digest, Data: one.Installation, Network: one.Wants(plugin.Network), Files: one.Wants(plugin.Files),
	}})
}

// scriptsAtOnce limits the processes of a plugin of the runtime script.
const scriptsAtOnce = 4

// killed is the first exit code of a process that a signal ended, or that reports that: it may have done anything before.
const killed = 128

// script starts the program of a plugin for one request, which it reads, and takes its output as the answer.
// Its requests to others end with it. caller ends when the caller leaves, ctx when the time is up, too.
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
	if !lostRunner(err) {
		b.trial.note(code, redact(said, one, values))
	}
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
	var errs sandbox.LastOutput
	var streams sync.WaitGroup
	streams.Go(func() { _, _ = io.Copy(&errs, p.Stderr()) }) // Wait returns how it ended
	streams.Go(func() {
		in := p.Stdin()
		_, _ = in.Write(input) // a script that does not read it answers all the same
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
	return out, lastLine(&errs), code, errors.Join(err, waited)
}

// readOutput parses the output of a script: an object, or a plain text.
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
