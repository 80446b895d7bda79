// Package installed provides the skills and roles that users have installed to prompts, to the tool that loads skills, and to the
// machine where commands run.
package installed

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"xbot/internal/chat"
	"xbot/internal/extension/registry"
	"xbot/internal/extension/role"
	"xbot/internal/extension/skill"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Store reads the copies that users have installed.
type Store interface {
	RegistryInForce(ctx context.Context, user chat.UserID, kind registry.Kind) ([]registry.Copy, error)
	RegistryInstallBundle(ctx context.Context, user chat.UserID, id int64) (registry.Packed, error)
}

// Installed finds the skills and roles of users.
type Installed struct{ Store Store }

// InstalledSkills returns the skills of a user, including those for all users. 0: only the latter. Their files are read when they are
// needed.
func (i Installed) InstalledSkills(ctx context.Context, user chat.UserID) ([]skill.Found, error) {
	copies, err := i.Store.RegistryInForce(ctx, user, registry.Skill)
	if err != nil {
		return nil, err
	}
	found := make([]skill.Found, len(copies))
	for n, c := range copies {
		found[n] = skill.Found{Entry: skill.Entry{Name: c.Name, Description: c.Description}, Folder: &folder{store: i.Store, user: user, copy: c}}
	}
	return found, nil
}

// InstalledRoles returns the roles of a user. Other users may have written them: none reads the user's conversations.
func (i Installed) InstalledRoles(ctx context.Context, user chat.UserID) (roles []role.Role, broken []role.Broken, err error) {
	copies, err := i.Store.RegistryInForce(ctx, user, registry.Role)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range copies {
		r, err := parse(c)
		if err != nil {
			broken = append(broken, role.Broken{File: c.Name, Why: err.Error()})
			continue
		}
		r.From, r.Conversations = "registry/"+c.Name, false
		roles = append(roles, r)
	}
	return roles, broken, nil
}

func parse(c registry.Copy) (role.Role, error) {
	b, err := registry.Read(c.Zip, c.Name)
	if err != nil {
		return role.Role{}, err
	}
	return role.Parse(b.Main().Data, c.Name)
}

// folder is the folder of an installed skill: in the database, until commands need it.
type folder struct {
	store Store
	user  chat.UserID
	copy  registry.Copy

	mu     sync.Mutex
	read   bool // the members below are
	bundle registry.Bundle
	packed registry.Packed
}

func (f *folder) Base() string { return f.copy.Name }

func (*folder) Path() string { return "" }

// once reads and unpacks the bundle once: the tool's result and the copy are of the same version.
func (f *folder) once(ctx context.Context) (registry.Bundle, registry.Packed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.read {
		return f.bundle, f.packed, nil
	}
	packed, err := f.store.RegistryInstallBundle(ctx, f.user, f.copy.ID)
	if err != nil {
		return registry.Bundle{}, packed, err
	}
	b, err := registry.Read(packed.Zip, packed.Name)
	if err != nil {
		return registry.Bundle{}, packed, err
	}
	f.bundle, f.packed, f.read = b, packed, true
	return b, packed, nil
}

func (f *folder) Files(ctx context.Context) (files []skill.Listed, more bool, err error) {
	b, _, err := f.once(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, one := range b.Files[:min(len(b.Files), skill.MaxFiles)] {
		files = append(files, skill.Listed{Name: one.Name, Size: int64(len(one.Data))})
	}
	return files, len(b.Files) > skill.MaxFiles, nil
}

func (f *folder) Read(ctx context.Context, file string, offset int64) (skill.Piece, error) {
	b, _, err := f.once(ctx)
	if err != nil {
		return skill.Piece{}, err
	}
	one, ok := b.File(skill.Clean(file))
	if !ok {
		return skill.Piece{}, fault.Errorf(fault.NotFound, "the skill has no %.80q; list_files shows what it has", file)
	}
	size := int64(len(one.Data))
	from := min(max(offset, 0), size)
	return skill.Piece{Data: one.Data[from:min(from+skill.MaxPiece, size)], Size: size}, nil
}

// CopyTo updates a copy on a runner to the installed version, and returns its folder there: one for each user and each state of the files.
// If nothing changed it costs one request.
func (f *folder) CopyTo(ctx context.Context, box sandbox.Sandbox) (dir string, err error) {
	runner, ok := sandbox.Wide(box).(*sandbox.Runner) // the copies are the server's, and no work of the model
	if !ok {
		return "", errors.New("no machine is there")
	}
	_, packed, err := f.once(ctx)
	if err != nil {
		return "", err
	}
	files, err := registry.FS(packed.Zip, packed.Name)
	if err != nil {
		return "", err
	}
	return sandbox.CopyFolder(ctx, runner, fmt.Sprintf("installed/%d/%.32s", f.user, packed.Digest), files)
}
