package guestfs_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/sandbox"
	"xbot/internal/sandbox/guestfs"
	"xbot/runner/files"
	"xbot/runner/wire"
)

// canary stands in every file that no consumer may see.
const canary = "canary-7b1f"

// tree is a runner's own tree, spoken to by its protocol.
type tree struct {
	*files.Tree

	workspace string
	old       bool         // it is of a version that does not say where links lead
	before    func(string) // called before each request, with its op; nil: nothing
	mu        sync.Mutex
	asked     []string // ops
}

func (l *tree) Ready(context.Context) (wire.Info, error) {
	return wire.Info{Store: "store", Workspace: l.workspace}, nil
}

func (l *tree) Call(ctx context.Context, req wire.Request, _ func(wire.Push) error) (wire.Response, error) {
	l.mu.Lock()
	l.asked = append(l.asked, string(req.Op))
	l.mu.Unlock()
	if l.before != nil {
		l.before(string(req.Op))
	}
	answer, err := l.answer(ctx, req)
	if err != nil {
		return wire.Response{}, err
	}
	raw, err := json.Marshal(answer)
	return wire.Response{Body: raw}, err
}

func decoded[T any](req wire.Request) (body T, err error) {
	err = req.Decode(&body)
	return body, err
}

func (l *tree) answer(ctx context.Context, req wire.Request) (any, error) {
	switch req.Op {
	case wire.OpRead:
		body, err := decoded[wire.Read](req)
		if err != nil {
			return nil, err
		}
		return l.Read(body)
	case wire.OpWrite:
		body, err := decoded[wire.Write](req)
		if err != nil {
			return nil, err
		}
		return l.Write(body)
	case wire.OpEdited:
		body, err := decoded[wire.Edit](req)
		if err != nil {
			return nil, err
		}
		return l.Edited(body.ID)
	case wire.OpMove:
		body, err := decoded[wire.Move](req)
		if err != nil {
			return nil, err
		}
		return struct{}{}, l.Move(body)
	case wire.OpGlob:
		body, err := decoded[wire.Glob](req)
		if err != nil {
			return nil, err
		}
		return l.Glob(ctx, body)
	case wire.OpGrep:
		body, err := decoded[wire.Grep](req)
		if err != nil {
			return nil, err
		}
		return l.Grep(ctx, body)
	}
	body, err := decoded[wire.Path](req)
	if err != nil {
		return nil, err
	}
	switch req.Op {
	case wire.OpStat:
		info, err := l.Stat(body.Path)
		if l.old {
			info.Real = ""
		}
		return info, err
	case wire.OpReadDir:
		return l.ReadDir(body.Path)
	case wire.OpMkdir:
		return struct{}{}, l.MkdirAll(body.Path)
	case wire.OpRemove:
		return struct{}{}, l.Remove(body.Path)
	case wire.OpRemoveAll:
		return struct{}{}, l.RemoveAll(ctx, body.Path)
	}
	return nil, wire.Errorf(wire.Invalid, "unknown op %s", req.Op)
}

// world is a runner with files of everybody, and the room of one conversation on it.
type world struct {
	t    testing.TB
	work string // workspace
	link *tree
	box  *sandbox.Runner
	conv guestfs.Conversation
}

const (
	svc  = "svc_0a1b2c3d"
	conv = "0123456789"
)

// own is the folder of the conversation, below the workspace.
var own = filepath.Join("services", svc, "conversations", conv)

func newWorld(t testing.TB) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &world{t: t, work: filepath.Join(dir, "work")}
	require.NoError(t, os.MkdirAll(w.work, 0o755))
	files, err := files.Open(w.work, nil, filepath.Join(dir, "state"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = files.Close() })
	w.link = &tree{Tree: files, workspace: w.work}
	w.box = sandbox.NewRunner("laptop", w.link, sandbox.RunnerConfig{})
	w.conv = guestfs.Conversation{Service: svc, ID: conv, Docs: []string{"open.md", "faq/**"}, Scripts: []string{"run.py"}}
	for name, text := range map[string]string{
		"../outside.txt":                canary,
		"secret.txt":                    canary,
		".env":                          canary,
		"generated/house.txt":           canary,
		"docs/open.md":                  "hello",
		"docs/faq/a.md":                 "question",
		"docs/faq/deep/b.md":            "question two",
		"docs/private.md":               canary,
		"docs/private/c.md":             canary,
		"docs/openly.md":                canary,
		"scripts/run.py":                canary,
		"scripts/other.py":              canary,
		"services/svc_0a1b2c3d/notes":   canary,
		own + "/generated/mine.txt":     "mine",
		own + "/generated/images/x.png": "png",
		own + "/attachments/sent.txt":   "sent",
		own + "/elsewhere.txt":          canary,
		"services/svc_0a1b2c3d/conversations/ffffffffff/generated/other.txt": canary,
		"services/svc_ffffffff/conversations/0123456789/generated/other.txt": canary,
	} {
		w.put(name, text)
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.work, name) }

func (w *world) put(name, text string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	require.NoError(w.t, os.WriteFile(w.path(name), []byte(text), 0o644))
}

func (w *world) linkTo(target, name string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	require.NoError(w.t, os.Symlink(target, w.path(name)))
}

func (w *world) agent() sandbox.Sandbox    { return guestfs.ForAgent(w.box, w.conv) }
func (w *world) consumer() sandbox.Sandbox { return guestfs.ForConsumer(w.box, w.conv) }
