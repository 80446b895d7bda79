package prompt

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/memory"
	"xbot/internal/sandbox"
	"xbot/internal/turn/agentprofile"
)

// agentsDir is the folder of roles, in the data folder of the server and in the hidden folders where tools act.
const agentsDir = "agents"

// Roles finds the roles that the model can delegate to, on each call: a changed file takes effect from then on.
type Roles struct {
	Home      string    // data folder of the server
	Sandboxes Sandboxes // nil: only the server's roles
	// Own returns the roles that users created in xbot; nil: there are none.
	Own OwnRoles
	// Installed returns the roles that users have installed; nil: there are none.
	Installed InstalledRoles
	// Profiles reports whether there is a role that reads the user's conversations; nil: there is none.
	Profiles Profiles
}

// OwnRoles returns the roles that users created in xbot, and which of the others they have switched off.
type OwnRoles interface {
	RolesOf(ctx context.Context, user chat.UserID) (role.UserRoles, error)
}

// InstalledRoles returns the roles that users have installed.
type InstalledRoles interface {
	InstalledRoles(ctx context.Context, user chat.UserID) (roles []role.Role, broken []role.Broken, err error)
}

// Found is the roles of a place, and the invalid role files.
type Found struct {
	Roles  []role.Role // sorted by name
	Broken []role.Broken
}

// Find returns the roles of a scene: those of the program, those of the server, those that are installed, those that the user created in
// xbot, those of the workspace, and those of the folder and the ones above it up to the root of the project, the nearest last. A later one
// replaces an earlier one of the same name. A place that cannot be reached now has none.
func (r Roles) Find(ctx context.Context, s chat.Scene) (Found, error) {
	a := &Assembly{Scene: s}
	defer a.close()
	return r.in(ctx, a)
}

func (r Roles) in(ctx context.Context, a *Assembly) (Found, error) {
	ours, broken, err := r.ofServer()
	if err != nil {
		return Found{}, err
	}
	var kept role.UserRoles
	if r.Own != nil {
		if kept, err = r.Own.RolesOf(ctx, a.Scene.User); err != nil {
			return Found{}, err
		}
	}
	var copies []role.Role
	if r.Installed != nil {
		var bad []role.Broken
		if copies, bad, err = r.Installed.InstalledRoles(ctx, a.Scene.User); err != nil {
			return Found{}, err
		}
		broken = append(broken, bad...)
	}
	levels := [][]role.Role{kept.Without(role.Builtin()), kept.Without(ours), kept.Without(copies), kept.InForce()}
	if r.Sandboxes != nil {
		// an unreachable or slow runner has no roles this time
		if view, err := a.look(ctx, r.Sandboxes); err == nil {
			theirs, bad, err := view.roles()
			if err == nil {
				levels, broken = append(levels, theirs...), append(broken, bad...)
			}
		}
	}
	found := Found{Roles: role.Merge(levels...), Broken: broken}
	who, err := r.reader(ctx, a)
	if err != nil {
		return found, err
	}
	if who.Remember.Subagent {
		if who.Private && who.Remember.Consumers {
			tellOfConsumers(found.Roles)
		}
		return found, nil
	}
	found.Roles = slices.DeleteFunc(found.Roles, func(one role.Role) bool { return one.Conversations && !one.Own }) // own ones stay, without these tools
	return found, nil
}

func (r Roles) ofServer() (roles []role.Role, broken []role.Broken, err error) {
	roles, broken, err = role.Dir(os.DirFS(filepath.Join(r.Home, agentsDir)))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return roles, broken, err
}

// Shared returns the roles of the program and the installation, sorted by name.
func (r Roles) Shared() ([]role.Role, error) {
	ours, _, err := r.ofServer()
	return role.Merge(role.Builtin(), ours), err
}

// reader returns the agent profile of a conversation, which decides whether roles read conversations of the user, and of consumers.
func (r Roles) reader(ctx context.Context, a *Assembly) (agentprofile.Profile, error) {
	if r.Profiles == nil {
		return agentprofile.Profile{}, nil
	}
	return a.agentProfile(ctx, r.Profiles)
}

// consumersRead is the description of roles that can read messages of consumers.
const consumersRead = " Also reads what consumers of their services said, and the inbox."

func tellOfConsumers(roles []role.Role) {
	for i, one := range roles {
		if one.Conversations && slices.ContainsFunc(one.Tools, memory.OfConsumers) {
			roles[i].Description += consumersRead
		}
	}
}

// roles reads the roles of the workspace and of the folders of the place, the nearest last.
func (v *view) roles() (levels [][]role.Role, broken []role.Broken, err error) {
	dirs := []string{path.Join(v.box.Workspace(), hiddenDir, agentsDir)}
	for _, l := range v.levels {
		if dir := path.Join(l.dir, hiddenDir, agentsDir); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		roles, bad, err := v.rolesIn(dir)
		if err != nil {
			return nil, nil, err
		}
		levels, broken = append(levels, roles), append(broken, bad...)
	}
	return levels, broken, nil
}

// rolesIn reads the roles of one folder.
func (v *view) rolesIn(dir string) (roles []role.Role, broken []role.Broken, err error) {
	infos, err := v.box.ReadDir(v.ctx, dir)
	if err != nil {
		return nil, nil, unlessAbsent(err)
	}
	infos = slices.DeleteFunc(infos, func(i sandbox.FileInfo) bool { return i.Dir || !strings.HasSuffix(i.Path, ".md") })
	read, whys := make([]role.Role, min(len(infos), maxEntries)), make([]string, min(len(infos), maxEntries))
	g, ctx := errgroup.WithContext(v.ctx)
	g.SetLimit(maxLooks)
	for i := range read {
		file := path.Join(dir, path.Base(infos[i].Path))
		read[i].From = file
		g.Go(func() error {
			data, err := v.box.ReadFile(ctx, file, 0, role.MaxFile+1)
			if err != nil {
				whys[i] = err.Error()
				return unlessAbsent(err)
			}
			r, err := role.Parse(data.Data, role.Fallback(file))
			if err != nil {
				whys[i] = err.Error()
				return nil // it is listed with the roles
			}
			r.From, r.Conversations = file, false // anyone may write in a project's folder, not only the user
			read[i] = r
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	for i, r := range read {
		if whys[i] != "" {
			broken = append(broken, role.Broken{File: r.From, Why: whys[i]})
			continue
		}
		roles = append(roles, r)
	}
	return roles, broken, nil
}
