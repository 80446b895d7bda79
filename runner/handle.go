package runner

import (
	"context"

	"xbot/runner/wire"
)

// handle carries out one request. push sends a part of the answer ahead of its end and waits while the server takes no more.
func (d *daemon) handle(ctx context.Context, f wire.Frame, push func(any) error) (any, error) {
	switch op := wire.Op(f.Type); op {
	case wire.OpExecAttach:
		return with(f, func(r wire.ExecAttach) (any, error) { return d.attach(ctx, r, push) })
	case wire.OpExecNarrow:
		return with(f, func(r wire.ExecAttach) (any, error) { return d.attach(ctx, r, push) })
	case wire.OpExecSecret:
		return with(f, func(r wire.ExecAttach) (any, error) { return d.attach(ctx, r, push) })
	case wire.OpExecKill:
		return with(f, func(r wire.ExecID) (any, error) { return nil, d.kill(r) })
	case wire.OpExecRelease:
		return with(f, func(r wire.ExecID) (any, error) { return nil, d.release(r) })
	case wire.OpExecOutput:
		return with(f, func(r wire.ExecOutputRead) (any, error) { return d.readOutput(r) })
	case wire.OpExecWrite:
		return with(f, func(r wire.ExecWrite) (any, error) { return nil, d.writeInput(r) })
	case wire.OpRead:
		return with(f, func(r wire.Read) (any, error) { return d.files.Read(r) })
	case wire.OpWrite:
		return with(f, func(r wire.Write) (any, error) { return d.files.Write(r) })
	case wire.OpEdited:
		return with(f, func(r wire.Edit) (any, error) { return d.files.Edited(r.ID) })
	case wire.OpStat:
		return with(f, func(r wire.Path) (any, error) { return d.files.Stat(r.Path) })
	case wire.OpReadDir:
		return with(f, func(r wire.Path) (any, error) { return d.files.ReadDir(r.Path) })
	case wire.OpMkdir:
		return with(f, func(r wire.Path) (any, error) { return nil, d.files.MkdirAll(r.Path) })
	case wire.OpRemove:
		return with(f, func(r wire.Path) (any, error) { return nil, d.files.Remove(r.Path) })
	case wire.OpRemoveAll:
		return with(f, func(r wire.Path) (any, error) { return nil, d.files.RemoveAll(ctx, r.Path) })
	case wire.OpMove:
		return with(f, func(r wire.Move) (any, error) { return nil, d.files.Move(r) })
	case wire.OpGlob:
		return with(f, func(r wire.Glob) (any, error) { return d.files.Glob(ctx, r) })
	case wire.OpGrep:
		return with(f, func(r wire.Grep) (any, error) { return d.files.Grep(ctx, r) })
	case wire.OpStatus:
		running, err := d.store.Running()
		return wire.Status{Running: running}, err
	case wire.OpStdioStart:
		return with(f, func(r wire.StdioStart) (any, error) { return d.startStdio(ctx, r, push) })
	case wire.OpPluginStart:
		return with(f, func(r wire.PluginStart) (any, error) { return d.startPlugin(ctx, r, push) })
	case wire.OpStdioWrite:
		return with(f, func(r wire.StdioWrite) (any, error) { return nil, d.writeStdio(ctx, r) })
	case wire.OpLLM:
		return with(f, func(r wire.LLMRequest) (any, error) { return nil, d.callModel(ctx, r, push) })
	case wire.OpSync:
		return with(f, func(r wire.SyncFolder) (any, error) { return d.sync(r) })
	default:
		return nil, wire.Errorf(wire.Invalid, "this runner does not know the operation %q: install a newer xbot-runner", op)
	}
}

// with reads the body of a request and carries it out.
func with[T any](f wire.Frame, do func(T) (any, error)) (any, error) {
	var body T
	if err := f.Decode(&body); err != nil {
		return nil, err
	}
	return do(body)
}

// callModel passes a request on to the model that this runner offers.
func (d *daemon) callModel(ctx context.Context, r wire.LLMRequest, push func(any) error) error {
	if d.cfg.Model == nil {
		return wire.Errorf(wire.NotFound, "this runner offers no model: start it with --llm-provider and --llm-model")
	}
	return d.cfg.Model.Do(ctx, r, push)
}
