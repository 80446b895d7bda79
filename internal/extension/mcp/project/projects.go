package project

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/secret"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/policy"
)

const (
	freshness = 2 * time.Second // how long the last look at a folder counts as its current state, before its servers are listed
	readTime  = 5 * time.Second // for a file
	seenTime  = 2 * time.Second // for a runner that this process has not seen
	maxLooks  = 16              // at folders, at once
	maxSeen   = 1024            // conversations whose last look is stored
)

// Hooks returns where the commands of a conversation run.
type Hooks interface {
	// HookExecTarget returns where the commands of a conversation run.
	HookExecTarget(ctx context.Context, key chat.SessionKey) (hook.ExecTarget, error)
}

// MCPServers is the store of the MCP servers in projects, and of the users' consent to them.
type MCPServers interface {
	AgreeMCPProject(ctx context.Context, user chat.UserID, id int64, digest string, servers []mcpstore.Server) (before []int64, err error)
	LoseMCPProject(ctx context.Context, user chat.UserID, runner, folder, problem string) error
	MCPProjects(ctx context.Context, user chat.UserID) ([]mcpstore.SeenProject, error)
	MCPServersOfProjects(ctx context.Context, user chat.UserID) ([]mcpstore.Server, error)
	SeeMCPProject(ctx context.Context, p mcpstore.SeenProject) error
	WithdrawMCPProject(ctx context.Context, user chat.UserID, id int64) (servers []int64, err error)
}

// Policies returns the policy about agreements.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// HookSwitch reports whether hooks of folders are used (project_hooks of the administrator's file).
type HookSwitch interface{ ProjectHooks() bool }

// Projects manages the folders in which conversations work. It is safe for concurrent use.
type Projects struct {
	Folders    Hooks
	MCPServers MCPServers
	Key        secret.Sealer
	Sandboxes  sandbox.Finder
	Policies   Policies
	Hooked     HookSwitch // nil: hooks of folders are not used
	Log        *slog.Logger

	rows   toolset.Rows[[]mcpstore.SeenProject]
	mu     sync.Mutex
	looked map[chat.SessionKey]time.Time
	looks  int
	closed bool
	life   context.Context //nolint:containedctx // of looks, which outlive the steps that they are made beside
	end    context.CancelFunc
	work   sync.WaitGroup
	order  lookOrder
}

var (
	_ mcp.Projects  = (*Projects)(nil)
	_ hook.Projects = (*Projects)(nil)
)

// Close ends the running looks, and waits for them: a runner that is gone does not delay it.
func (p *Projects) Close() {
	p.mu.Lock()
	p.closed = true
	if p.end != nil {
		p.end()
	}
	p.mu.Unlock()
	p.work.Wait()
}

// place is a folder on a runner of a user.
type place struct {
	user   chat.UserID
	box    sandbox.Sandbox
	folder string
}

// String identifies the place.
func (h *place) String() string { return fmt.Sprint(h.user, " ", h.box.Name(), " ", h.folder) }

// of finds the folder of a conversation. It connects to nothing. It returns false if its user has no machine.
func (p *Projects) of(ctx context.Context, at toolset.Place) (place, bool, error) {
	target, err := p.Folders.HookExecTarget(ctx, at.Session)
	if fault.Is(err, fault.NotFound) || err == nil && target.User != at.User {
		return place{}, false, nil
	}
	if err != nil {
		return place{}, false, err
	}
	box, err := p.Sandboxes.Box(ctx, target.User, target.Runner)
	if err != nil {
		if fault.Is(err, fault.Internal) {
			return place{}, false, err
		}
		return place{}, false, nil // there is no runner that they may use
	}
	return place{target.User, box, cmp.Or(chat.FolderOn(target.Cwd, target.CwdRunner, box.Name()), box.Workspace())}, true, nil
}

// awaitFolder sets the folder of a conversation without one to the workspace of its runner. A process that has just started waits up to
// seenTime for the runner to report it, so that the first step has the tools of the folder, too.
func (h *place) awaitFolder(ctx context.Context) {
	if h.folder != "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, seenTime)
	defer cancel()
	if _, err := h.box.Stat(ctx, "."); err == nil { // else it is away, and so are its tools
		h.folder = h.box.Workspace()
	}
}

// InForce implements mcp.Projects. A look at the folder runs in parallel, so that the list of a user shows its current state.
func (p *Projects) InForce(ctx context.Context, at toolset.Place) ([]mcpstore.Server, error) {
	all, err := p.rows.At(at, func() ([]mcpstore.SeenProject, error) { return p.MCPServers.MCPProjects(ctx, at.User) })
	if err != nil {
		return nil, err
	}
	wait, due := p.due(at.Session)
	agreed := slices.ContainsFunc(all, func(s mcpstore.SeenProject) bool { return s.Agrees() })
	if !due && !agreed {
		return nil, nil
	}
	here, ok, err := p.of(ctx, at)
	if err != nil || !ok {
		return nil, err
	}
	if agreed {
		here.awaitFolder(ctx)
	}
	if due {
		p.lookBeside(here, wait)
	}
	i := slices.IndexFunc(all, func(s mcpstore.SeenProject) bool {
		return s.Runner == here.box.Name() && s.Folder == here.folder && s.Agrees()
	})
	if i < 0 {
		return nil, nil
	}
	if may, err := p.may(ctx, all[i]); err != nil || !may {
		return nil, err
	}
	servers, err := p.MCPServers.MCPServersOfProjects(ctx, at.User)
	return slices.DeleteFunc(servers, func(s mcpstore.Server) bool { return s.Project.ID != all[i].ID || !s.Project.Agrees() }), err
}

// may reports whether the policy permits the user to agree now. Otherwise earlier agreements are not used. A folder with only skills runs nothing,
// so its user may agree unless the policy is off.
func (p *Projects) may(ctx context.Context, s mcpstore.SeenProject) (bool, error) {
	is, err := p.Policies.Get(ctx)
	if err != nil {
		return false, err
	}
	if s.Digest == textsDigest {
		return is.Permissions.ProjectServers != policy.ProjectServersOff, nil
	}
	return is.Permissions.MayAgreeToServers(s.Admin), nil
}

// due reports whether to look at the folder of a conversation, and after which time: files written right after a look are seen, too.
func (p *Projects) due(key chat.SessionKey) (wait time.Duration, due bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.looked[key]
	if last.After(time.Now()) {
		return 0, false // that look is to come
	}
	wait = max(0, freshness-time.Since(last))
	if p.looked == nil || len(p.looked) >= maxSeen {
		p.looked = map[chat.SessionKey]time.Time{}
	}
	p.looked[key] = time.Now().Add(wait)
	return wait, true
}

func (p *Projects) lookBeside(here place, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.looks >= maxLooks {
		return // the next step looks
	}
	if p.life == nil {
		p.life, p.end = context.WithCancel(context.Background())
	}
	p.looks++
	p.work.Go(func() {
		defer func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.looks--
		}()
		select {
		case <-p.life.Done():
			return
		case <-time.After(wait):
		}
		ctx, cancel := context.WithTimeout(p.life, readTime)
		defer cancel()
		if here.awaitFolder(ctx); here.folder == "" {
			return // the next step reads it
		}
		if _, err := p.look(ctx, here); err != nil {
			p.Log.Debug("the .mcp.json of a folder was not looked at", "runner", here.box.Name(), "error", err)
		}
	})
}

// look reads and stores the contents of a folder. It returns the digest; empty if there is nothing, or it cannot be used. Errors come from the runner
// or the database.
func (p *Projects) look(ctx context.Context, here place) (digest string, err error) {
	_, digest, err = p.bundle(ctx, here)
	return digest, err
}

// bundle is look that also returns the contents. Every read of a folder uses it, so that an older one is not stored after a newer one.
func (p *Projects) bundle(ctx context.Context, here place) (b Bundle, digest string, err error) {
	began := p.order.began.Add(1)
	b, err = p.read(ctx, here)
	last := p.order.at(here.String())
	last.mu.Lock()
	defer last.mu.Unlock()
	switch {
	case last.newest(began):
		digest, err = p.note(ctx, here, b, err)
	case err == nil:
		digest = b.Digest() // a newer read has been stored
	}
	return b, digest, err
}

// note stores the contents of a folder.
func (p *Projects) note(ctx context.Context, here place, b Bundle, err error) (digest string, _ error) {
	switch {
	case away(err):
		return "", err
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil && b.empty():
		return "", p.MCPServers.LoseMCPProject(ctx, here.user, here.box.Name(), here.folder, "there is no "+mcp.ProjectFile+" any more")
	}
	seen := mcpstore.SeenProject{User: here.user, Project: mcpstore.Project{Runner: here.box.Name(), Folder: here.folder}}
	if err == nil {
		_, err = b.entries()
	}
	if err != nil {
		seen.Problem = err.Error()
	} else {
		stored, err := b.encode()
		if err != nil {
			return "", err
		}
		seen.Digest, seen.Texts, seen.Sealed = b.Digest(), b.texts(), p.Key.Seal(stored)
	}
	return seen.Digest, p.MCPServers.SeeMCPProject(ctx, seen)
}

// Hooks implements hook.Projects: it returns the hooks files of the folder of a conversation if its user has agreed to the folder. It returns the
// content that was compared with the agreement.
func (p *Projects) Hooks(ctx context.Context, key chat.SessionKey) ([]hook.Doc, error) {
	target, err := p.Folders.HookExecTarget(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	here, ok, err := p.of(ctx, toolset.Place{Session: key, User: target.User})
	if err != nil || !ok {
		return nil, err
	}
	here.awaitFolder(ctx)
	b, digest, err := p.bundle(ctx, here)
	if err != nil || digest == "" {
		return nil, err
	}
	agreed, err := p.agreed(ctx, here.user, here.box.Name(), here.folder)
	if err != nil || agreed != digest {
		return nil, err
	}
	return b.Hooks, nil
}

// agreed returns the digest that a user has agreed to in a folder, if the policy still allows it; empty otherwise.
func (p *Projects) agreed(ctx context.Context, user chat.UserID, runner, folder string) (string, error) {
	all, err := p.MCPServers.MCPProjects(ctx, user)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(all, func(s mcpstore.SeenProject) bool { return s.Runner == runner && s.Folder == folder && s.Agrees() })
	if i < 0 {
		return "", nil
	}
	if may, err := p.may(ctx, all[i]); err != nil || !may {
		return "", err
	}
	return all[i].Agreed, nil
}

// Agreed reports whether a user has agreed to the contents of a folder as last read.
func (p *Projects) Agreed(ctx context.Context, user chat.UserID, runner, folder string) (bool, error) {
	digest, err := p.agreed(ctx, user, runner, folder)
	return digest != "", err
}

// AgreedFolders returns a text that changes with the set of folders to which a user has agreed.
func (p *Projects) AgreedFolders(ctx context.Context, user chat.UserID) (string, error) {
	all, err := p.MCPServers.MCPProjects(ctx, user)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, s := range all {
		if may, err := p.may(ctx, s); err != nil {
			return "", err
		} else if may && s.Agrees() {
			fmt.Fprintf(&out, " %d.%.12s", s.ID, s.Agreed)
		}
	}
	return out.String(), nil
}

// CheckAgreement implements mcp.Projects: it reads the file once more, right before a call.
func (p *Projects) CheckAgreement(ctx context.Context, person chat.UserID, of mcpstore.Project, box sandbox.Sandbox) error {
	if box == nil || box.Name() != of.Runner {
		return fault.Errorf(fault.Denied, "the server stands in %s of a folder on the runner %s, where this conversation does not work", mcp.ProjectFile, of.Runner)
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	digest, err := p.look(ctx, place{person, box, of.Folder})
	if err != nil {
		return err
	}
	if digest != of.Agreed {
		return fault.Errorf(fault.Denied, "the folder %s has changed since the user agreed to it: its servers are not used until the user agrees again on the page, under Settings → Tools", of.Folder)
	}
	return nil
}

// maxOrdered limits the number of tracked places.
const maxOrdered = 10_000

// lookOrder prevents an older read of a folder from being stored after a newer one.
type lookOrder struct {
	began atomic.Uint64

	mu     sync.Mutex
	places map[string]*lastLook
}

// lastLook is the newest stored read of a place.
type lastLook struct {
	mu     sync.Mutex // locked while a read is stored
	stored uint64
}

// at returns the newest stored read of a place.
func (o *lookOrder) at(place string) *lastLook {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.places == nil || len(o.places) == maxOrdered {
		o.places = map[string]*lastLook{}
	}
	if o.places[place] == nil {
		o.places[place] = &lastLook{}
	}
	return o.places[place]
}

// newest reports whether no newer read was stored, and records this one. The caller must hold mu.
func (l *lastLook) newest(began uint64) bool {
	if l.stored > began {
		return false
	}
	l.stored = began
	return true
}
