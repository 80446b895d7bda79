package project

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool/toolset"
)

// Seen is a folder with its file as its user sees it.
type Seen struct {
	mcpstore.SeenProject

	MayAgree bool    // the policy permits it to the user
	Bundle   Bundle  // as last read
	Entries  []Entry // the servers of the bundle
	// Servers are those that the user has agreed to; used or not.
	Servers []mcpstore.Server
}

// State is the state of the agreement to a folder.
type State string

// States of a folder.
const (
	StateAsks     State = "asks"     // not agreed to, not used
	StateAgreed   State = "agreed"   // used, if the policy still permits the user to agree
	StateChanged  State = "changed"  // changed since the agreement, not used
	StateUnusable State = "unusable" // see Problem
)

// State returns whether the contents of the folder are used.
func (s Seen) State() State {
	switch {
	case s.Digest == "":
		return StateUnusable
	case s.Agrees():
		return StateAgreed
	case s.Agreed != "":
		return StateChanged
	}
	return StateAsks
}

// Here reads the folder of a conversation of the user. found is false if there are no hooks, servers and skills, or no runner.
func (p *Projects) Here(ctx context.Context, user chat.UserID, key chat.SessionKey) (seen Seen, found bool, err error) {
	here, ok, err := p.of(ctx, toolset.Place{Session: key, User: user})
	if err != nil || !ok {
		return Seen{}, false, err
	}
	if here.awaitFolder(ctx); here.folder == "" {
		return Seen{}, false, fault.Errorf(fault.Unavailable, "the runner %s is offline", here.box.Name())
	}
	return p.At(ctx, user, here.box, here.folder)
}

// At reads a folder on a runner of the user. found is false if there are no hooks, servers and skills.
func (p *Projects) At(ctx context.Context, user chat.UserID, box sandbox.Sandbox, folder string) (seen Seen, found bool, err error) {
	timed, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	if _, err := p.look(timed, place{user, box, folder}); err != nil {
		return Seen{}, false, err
	}
	all, err := p.List(ctx, user)
	i := slices.IndexFunc(all, func(s Seen) bool { return s.Runner == box.Name() && s.Folder == folder })
	if err != nil || i < 0 || all[i].Digest == "" && all[i].Problem == "" {
		return Seen{}, false, err
	}
	return all[i], true, nil
}

// List returns the folders of a user.
func (p *Projects) List(ctx context.Context, user chat.UserID) ([]Seen, error) {
	all, err := p.MCPServers.MCPProjects(ctx, user)
	if err != nil {
		return nil, err
	}
	servers, err := p.MCPServers.MCPServersOfProjects(ctx, user)
	if err != nil {
		return nil, err
	}
	out := make([]Seen, len(all))
	for i, one := range all {
		out[i].SeenProject = one
		if out[i].MayAgree, err = p.may(ctx, one); err != nil {
			return nil, err
		}
		for _, s := range servers {
			if s.Project.ID == one.ID {
				out[i].Servers = append(out[i].Servers, s)
			}
		}
		if out[i].Bundle, out[i].Entries, err = p.entries(one); err != nil {
			out[i].Problem, out[i].Digest = err.Error(), ""
		}
	}
	return out, nil
}

func (p *Projects) entries(of mcpstore.SeenProject) (b Bundle, _ []Entry, err error) {
	if len(of.Sealed) == 0 {
		return b, nil, nil
	}
	stored, err := p.Key.Open(of.Sealed)
	if err != nil {
		return b, nil, fault.Errorf(fault.Invalid, "the stored contents of the folder cannot be decrypted; they are read again when a conversation works there: %w", err)
	}
	if b, err = decode(stored); err != nil {
		return b, nil, fault.Errorf(fault.Invalid, "the stored contents of the folder cannot be read: %w", err)
	}
	entries, err := b.entries()
	return b, entries, err
}

// Agree records that a user agrees to the contents of a folder with this digest. They are used there until the digest changes or the user withdraws.
// It reads the folder again. Errors are Conflict if the digest has changed, Denied if the policy forbids the user to agree, and NotFound if the folder
// is not theirs. It returns the folder, and the ids of servers that were removed.
func (p *Projects) Agree(ctx context.Context, user chat.UserID, id int64, digest string) (now Seen, before []int64, err error) {
	of, err := p.one(ctx, user, id)
	if err != nil {
		return Seen{}, nil, err
	}
	if !of.MayAgree {
		return Seen{}, nil, fault.Errorf(fault.Denied, "only administrators may agree to folders here (permissions.projectServers of the policy)")
	}
	if of.Digest == "" || digest != of.Digest {
		return Seen{}, nil, errOther
	}
	box, err := p.Sandboxes.Box(ctx, user, of.Runner)
	if err != nil {
		return Seen{}, nil, err
	}
	timed, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	switch stands, err := p.look(timed, place{user, box, of.Folder}); {
	case err != nil:
		return Seen{}, nil, err
	case stands != digest:
		return Seen{}, nil, errOther
	}
	servers := make([]mcpstore.Server, 0, len(of.Entries))
	for _, e := range of.Entries {
		if e.Problem == "" {
			servers = append(servers, e.Sealed(p.Key))
		}
	}
	if before, err = p.MCPServers.AgreeMCPProject(ctx, user, id, digest, servers); err != nil {
		return Seen{}, nil, err
	}
	now, err = p.one(ctx, user, id)
	return now, before, err
}

var errOther = fault.Errorf(fault.Conflict, "the folder has changed since it was shown to you: review it again")

// Withdraw withdraws the consent of a user. It returns the ids of the removed servers. It returns NotFound if the user has no such folder.
func (p *Projects) Withdraw(ctx context.Context, user chat.UserID, id int64) ([]int64, error) {
	return p.MCPServers.WithdrawMCPProject(ctx, user, id)
}

func (p *Projects) one(ctx context.Context, user chat.UserID, id int64) (Seen, error) {
	all, err := p.List(ctx, user)
	if err != nil {
		return Seen{}, err
	}
	i := slices.IndexFunc(all, func(s Seen) bool { return s.ID == id })
	if i < 0 {
		return Seen{}, fault.Errorf(fault.NotFound, "there is no such folder")
	}
	return all[i], nil
}
