package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/fault"
)

// FileName is the name of the file in the server's data folder.
const FileName = "mcp.json"

// lookEvery is the interval at which the file is checked.
const lookEvery = 2 * time.Second

// syncEvery is the interval of syncs of an unchanged file: a failure may be over by now, and another process may have changed its rows.
const syncEvery = 30 * time.Second

// missingFor is how long the file must be gone before its servers go, too. A volume that is not there for a moment, or an editor that rewrites the
// file, removes nothing.
const missingFor = 30 * time.Second

// askAtOnce limits how long a new server of the file may take to list its offers.
const askAtOnce = 20 * time.Second

// File syncs the installation's servers from a file of the administrator, in the form that MCP clients have in common. Its rows belong to the
// file, and only File changes them. Several processes may sync the same file at once. Where their files differ, the one counts that was started,
// or whose file was changed, last: no process takes over again what it has taken over already.
type File struct {
	Path        string            // it need not exist: then it has no servers
	Env         map[string]string // values of ${NAME}
	Servers     *Servers
	Connections *Connections // asks new servers; nil: none is asked
	Keys        Keys         // nil: no variable holds one
	Log         *slog.Logger
	MissingFor  time.Duration // how long the file must be gone before its servers go, too; 0: 30 s

	seen    fileState
	synced  time.Time       // when it was last taken over
	read    bool            // this process has read the file: only then does a missing file count as removed
	missing time.Time       // since when it is gone; zero: it is there
	tried   fileState       // the state that was tried last
	told    map[string]bool // logged since the file was last changed
	asks    asks
	taken   []Draft // the servers taken over from the file, all of them; nil: some were not
}

// Keys returns the names of variables that hold keys of the installation, which no server gets.
type Keys interface {
	// KeyVariables returns the current names.
	KeyVariables(ctx context.Context) ([]string, error)
}

// asks is the state of asking the servers of the file that have not listed their offers yet.
type asks struct {
	work    sync.WaitGroup
	running atomic.Bool
	wait    time.Duration // until they are asked again, longer each time
	next    time.Time
}

// fileState identifies a state of the file.
type fileState struct {
	known, there bool
	size         int64
	changed      time.Time
}

// Follow takes the file over whenever it changes, until ctx ends.
func (f *File) Follow(ctx context.Context) error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	defer f.asks.work.Wait()
	for {
		if state := f.state(); state != f.seen || time.Since(f.synced) >= syncEvery {
			if state != f.tried {
				f.tried, f.told = state, map[string]bool{}
			}
			switch err := f.Sync(ctx); {
			case ctx.Err() != nil:
				return nil
			case err != nil && !fault.Is(err, fault.Invalid):
				f.logOnce("the MCP servers of the file were not taken over, trying again", err) // the database is away
			default:
				if state != f.seen {
					f.asks.wait, f.asks.next = 0, time.Time{}
				}
				f.seen, f.synced = state, time.Now()
				f.askBeside(ctx)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (f *File) state() fileState {
	info, err := os.Stat(f.Path)
	if err != nil {
		return fileState{known: true}
	}
	return fileState{known: true, there: true, size: info.Size(), changed: info.ModTime()}
}

// Sync takes the file over once. A file that cannot be read, or is wrong, changes nothing: the servers stay unchanged. It returns Invalid if it is wrong. A
// server that cannot be taken over is logged, and the others are taken over.
func (f *File) Sync(ctx context.Context) error {
	env, err := f.variables(ctx)
	if err != nil {
		return err
	}
	drafts, there, err := f.drafts(env)
	if err != nil {
		f.logOnce("the file of MCP servers is wrong; those of before stay", err)
		return err
	}
	if !there && !f.removed() {
		return nil
	}
	if f.taken != nil && reflect.DeepEqual(drafts, f.taken) {
		return nil
	}
	f.taken = nil
	rows, err := f.Servers.Rows.MCPServers(ctx, 0)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.FromFile && !slices.ContainsFunc(drafts, func(d Draft) bool { return d.Name == r.Name }) {
			if err := f.remove(ctx, r); err != nil {
				return err
			}
		}
	}
	f.read = there // one that is gone is removed once
	whole := true
	for _, d := range drafts {
		taken, err := f.take(ctx, d, rows)
		if err != nil {
			return err
		}
		whole = whole && taken
	}
	if whole {
		f.taken = drafts
	}
	return nil
}

// removed reports whether the missing file counts as removed. A process that never read it knows nothing of it: its data folder may be
// another one than that of the process whose administrator wrote it.
func (f *File) removed() bool {
	if f.missing.IsZero() {
		f.missing = time.Now()
	}
	return f.read && time.Since(f.missing) >= cmp.Or(f.MissingFor, missingFor)
}

// maxFile limits the file, in bytes: ParseFile reads as much.
const maxFile = 1 << 20

// variables returns the variables that values may name: none of them holds a key of the installation.
func (f *File) variables(ctx context.Context) (map[string]string, error) {
	if f.Keys == nil {
		return f.Env, nil
	}
	keys, err := f.Keys.KeyVariables(ctx)
	if err != nil {
		return nil, fmt.Errorf("read which variables hold keys: %w", err)
	}
	env := maps.Clone(f.Env)
	for _, name := range keys {
		delete(env, name)
	}
	return env, nil
}

// drafts returns the servers of the file, with the values of variables filled in. One whose values cannot be used is left out.
func (f *File) drafts(env map[string]string) (out []Draft, there bool, err error) {
	if info, err := os.Stat(f.Path); err == nil && !info.Mode().IsRegular() {
		return nil, true, fault.Errorf(fault.Invalid, "%s is no file", FileName)
	}
	file, err := os.Open(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, true, fault.Errorf(fault.Invalid, "read %s: %w", FileName, err)
	}
	defer file.Close() // it was only read
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, true, fault.Errorf(fault.Invalid, "read %s: %w", FileName, err)
	}
	out, err = ParseFile(content)
	if err != nil {
		return nil, true, err
	}
	f.read, f.missing = true, time.Time{}
	for i := range out {
		if err := f.fill(&out[i], env); err != nil {
			return nil, true, err
		}
	}
	return out, true, nil
}

// variable matches ${NAME} in a value, or ${NAME:-default}.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// fill puts variables into the values of variables and headers. They are not allowed elsewhere, since all else is shown to administrators. A value
// with one that is not set is left empty, so that the server is not used without it.
func (f *File) fill(d *Draft, env map[string]string) error {
	if slices.ContainsFunc(append([]string{d.Command, d.URL}, d.Args...), variable.MatchString) {
		return fault.Errorf(fault.Invalid, "MCP server %s: ${…} stands for a secret, which belongs into env or headers: the command, its arguments and the url are shown", d.Name)
	}
	for _, values := range []map[string]string{d.Env, d.Headers} {
		for name, value := range values {
			values[name] = f.expand(d.Name, value, env)
		}
	}
	return nil
}

func (f *File) expand(server, value string, env map[string]string) string {
	missing := false
	out := variable.ReplaceAllStringFunc(value, func(ref string) string {
		parts := variable.FindStringSubmatch(ref)
		if set := env[parts[1]]; set != "" {
			return set
		}
		_, withheld := f.Env[parts[1]]
		missing = missing || parts[2] == ""
		switch _, left := env[parts[1]]; {
		case withheld && !left:
			f.logOnce("a variable of an MCP server holds a key of the installation, and is handed to no server: keep what is for the server in another one", fmt.Errorf("server %s: %s", server, parts[1]))
		case parts[2] == "":
			f.logOnce("a variable of an MCP server is not set", fmt.Errorf("server %s: %s", server, parts[1]))
		}
		return parts[3]
	})
	if missing {
		return ""
	}
	return out
}

// take stores a new or changed server of the file, and reports whether the rows have it then.
func (f *File) take(ctx context.Context, d Draft, rows []mcpstore.Server) (taken bool, err error) {
	i := slices.IndexFunc(rows, func(r mcpstore.Server) bool { return r.Name == d.Name })
	switch {
	case i >= 0 && !rows[i].FromFile:
		f.logOnce("an MCP server of the file is left out", fmt.Errorf("an administrator has added one of the name %s on the page", d.Name))
		return false, nil
	case i >= 0 && f.same(d, rows[i]):
		return true, nil
	case i >= 0:
		d.Revision = rows[i].Revision
	}
	_, err = f.Servers.save(ctx, 0, d, 0, true)
	switch {
	case fault.Is(err, fault.Conflict):
		return false, nil // another process was first
	case fault.Is(err, fault.Invalid):
		f.logOnce("an MCP server of the file is left out", fmt.Errorf("%s: %w", d.Name, err))
		return false, nil
	case err != nil:
		return false, err
	}
	f.Log.Info("MCP server of the file saved", "server", d.Name, "enabled", d.Enabled)
	if i >= 0 && f.Connections != nil {
		f.Connections.Forget(rows[i].ID)
	}
	return true, nil
}

// same reports whether the stored server equals that of the file.
func (f *File) same(d Draft, r mcpstore.Server) bool {
	was, err := stored(f.Servers.Key, r)
	now := given(d)
	return err == nil && d.Transport == r.Transport && d.Command == r.Command && slices.Equal(d.Args, r.Args) && d.URL == r.URL && d.Instructions == r.Instructions && d.Trusted == r.Trusted &&
		d.Enabled == r.Enabled && maps.Equal(was.Env, now.Env) && maps.Equal(was.Headers, now.Headers) &&
		slices.Equal(slices.Sorted(maps.Keys(d.Env)), r.EnvNames) && slices.Equal(slices.Sorted(maps.Keys(d.Headers)), r.HeaderNames)
}

// askMost is the longest interval of requests to servers that do not list their offers.
const askMost = 10 * time.Minute

// askBeside asks the servers of the file that have not listed their offers yet, all at once, while the file is followed on. A command has to be asked
// on a user's runner, which an administrator does.
func (f *File) askBeside(ctx context.Context) {
	if f.Connections == nil || time.Now().Before(f.asks.next) || !f.asks.running.CompareAndSwap(false, true) {
		return
	}
	f.asks.wait = min(max(2*f.asks.wait, syncEvery), askMost)
	f.asks.next = time.Now().Add(f.asks.wait)
	f.asks.work.Go(func() {
		defer f.asks.running.Store(false)
		rows, err := f.Servers.Rows.MCPServers(ctx, 0)
		if err != nil {
			return // the next look finds them
		}
		var all sync.WaitGroup
		defer all.Wait()
		for _, r := range rows {
			if r.FromFile && r.Enabled && r.Transport != chat.MCPStdio && r.ListedAt == nil {
				all.Go(func() { f.ask(ctx, r.MCPServer) })
			}
		}
	})
}

func (f *File) ask(ctx context.Context, s chat.MCPServer) {
	ctx, cancel := context.WithTimeout(ctx, askAtOnce)
	defer cancel()
	if _, err := f.Connections.Refresh(ctx, At{Server: s.ID, Vouched: true}); err != nil {
		f.Log.Warn("an MCP server of the file does not say what it offers", "server", s.Name, "error", err) // the list shows it, too
	}
}

func (f *File) remove(ctx context.Context, r mcpstore.Server) error {
	if err := f.Servers.Rows.RemoveMCPServer(ctx, 0, r.Name, true); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if f.Connections != nil {
		f.Connections.Forget(r.ID)
	}
	f.Log.Info("MCP server removed, which stood in the file", "server", r.Name)
	return nil
}

// logOnce logs a message once.
func (f *File) logOnce(what string, err error) {
	text := strings.TrimSpace(err.Error())
	if f.told[what+text] {
		return
	}
	if f.told == nil {
		f.told = map[string]bool{}
	}
	f.told[what+text] = true
	f.Log.Warn(what, "file", f.Path, "error", text)
}
