package prompt

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/extension/skill"
	"xbot/internal/sandbox"
	"xbot/internal/tool/toolset"
)

// Bounds of a catalog, which the model reads in every request.
const (
	maxEntries     = 100
	maxDescription = 300   // characters
	maxCatalog     = 8_000 // characters
	syncMark       = ".synced-by-xbot"
)

// Skills lists the skills that the tool Skill loads: those of the server, and those where tools act, of the workspace and of
// the folders from the root of the project to the session's own. The nearest wins.
type Skills struct {
	Home      string // data folder of the server
	Sandboxes Sandboxes
	Profiles  Profiles        // nil: every agent has the tool
	Installed InstalledSkills // nil: no user has installed any
	Disabled  DisabledSkills  // nil: none are
	Own       OwnStore        // reports changes of the installed skills since they were listed; nil: there are none
	Consents  Consents        // nil: skills of folders need no agreement
}

var _ Middleware = Skills{}

// Consents returns the folders to which users have agreed. The workspace of a runner needs no agreement.
type Consents interface {
	Agreed(ctx context.Context, user chat.UserID, runner, folder string) (bool, error)
	// AgreedFolders returns a text that changes with the set of folders to which the user has agreed.
	AgreedFolders(ctx context.Context, user chat.UserID) (string, error)
}

// InstalledSkills returns the skills that users have installed.
type InstalledSkills interface {
	InstalledSkills(ctx context.Context, user chat.UserID) ([]skill.Found, error)
}

// DisabledSkills returns the names of skills that the installation has switched off.
type DisabledSkills interface {
	DisabledSkills(ctx context.Context) ([]string, error)
}

// SkillsPart is the part of a prompt that lists skills.
const SkillsPart = "10_skills"

// skillDirs are the folders of skills, within the searched folders. The later wins.
var skillDirs = []string{".agents/skills", hiddenDir + "/skills"}

// Order returns the position of the section.
func (Skills) Order() int { return 100 }

// Name is used in errors.
func (Skills) Name() string { return "skills" }

// Process adds the catalog. If the place cannot be reached now, the server's skills are still listed.
func (s Skills) Process(ctx context.Context, a *Assembly) error {
	if has, err := s.canLoad(ctx, a); err != nil || !has {
		return err
	}
	besides, err := s.besides(ctx, a)
	if err != nil {
		return err
	}
	a.hold(SkillsPart, here(a.Scene).with(besides), func() (string, error) { return s.catalog(ctx, a) })
	if _, made := a.Parts[SkillsPart]; made {
		return nil
	}
	ours, err := s.seen(ctx, a.Scene.User, nil)
	if err != nil {
		a.Notes = append(a.Notes, err)
	}
	if text := listSkills(ours); text != "" {
		a.Parts[SkillsPart] = clean(text)
	}
	return nil
}

// besides returns a text that changes with the inputs, other than the place, that decide which skills there are.
func (s Skills) besides(ctx context.Context, a *Assembly) (string, error) {
	own, err := a.ownPrompts(ctx, s.Own)
	if err != nil {
		return "", err
	}
	known := own.Skills
	if s.Consents != nil && a.Scene.Cwd != "" { // otherwise it works in the workspace
		agreed, err := s.Consents.AgreedFolders(ctx, a.Scene.User)
		if err != nil {
			return "", err
		}
		known += agreed
	}
	if s.Disabled == nil {
		return known, nil
	}
	off, err := s.Disabled.DisabledSkills(ctx)
	if err != nil || len(off) == 0 {
		return known, err
	}
	return fmt.Sprintf("%s -%q", known, off), nil
}

// canLoad reports whether the agent has the tool. A tool that is not shown yet counts: it is shown together with this part.
func (s Skills) canLoad(ctx context.Context, a *Assembly) (bool, error) {
	if s.Profiles == nil {
		return true, nil
	}
	who, err := a.agentProfile(ctx, s.Profiles)
	return err == nil && who.Has(chat.SkillTool), err
}

func (s Skills) catalog(ctx context.Context, a *Assembly) (string, error) {
	view, err := a.look(ctx, s.Sandboxes)
	if err != nil {
		return "", err
	}
	found, err := s.seen(ctx, a.Scene.User, view)
	return listSkills(found), err
}

// Server returns the folder of the installation's skills.
func (s Skills) Server() skill.Server { return skill.Server{Dir: filepath.Join(s.Home, "skills")} }

// In returns the skills of a user in a place, sorted by name: if the sandbox is nil, those of the server and those that the user has
// installed. User 0 has installed none.
func (s Skills) In(ctx context.Context, user chat.UserID, box sandbox.Sandbox, folder string) ([]skill.Found, error) {
	if box == nil {
		return s.seen(ctx, user, nil)
	}
	if box.Workspace() == "" { // this process has not seen it
		if _, err := box.Stat(ctx, "."); err != nil {
			return nil, err
		}
	}
	v := &view{ctx: ctx}
	if err := v.enter(box, folder); err != nil {
		return nil, err
	}
	return s.seen(ctx, user, v)
}

// Off reports whether the installation has switched off skills of a name.
func (s Skills) Off(ctx context.Context, name string) (bool, error) {
	if s.Disabled == nil {
		return false, nil
	}
	names, err := s.Disabled.DisabledSkills(ctx)
	return skill.Off(names, name), err
}

// Seen returns the skills of a scene. For a place that cannot be reached now they are those of the server and the installed ones.
func (s Skills) Seen(ctx context.Context, scene chat.Scene) ([]skill.Found, error) {
	a := &Assembly{Scene: scene}
	defer a.close()
	if view, err := a.look(ctx, s.Sandboxes); err == nil {
		if found, err := s.seen(ctx, scene.User, view); err == nil {
			return found, nil
		}
	}
	return s.seen(ctx, scene.User, nil)
}

// seen returns the skills of a user, with those of a place, if there is one. It omits those that the installation has switched off.
func (s Skills) seen(ctx context.Context, user chat.UserID, v *view) ([]skill.Found, error) {
	levels, err := s.ofServer(ctx, user)
	if err != nil {
		return nil, err
	}
	shadowed := map[string][]string{}
	if v != nil {
		theirs, err := s.ofPlace(ctx, user, v)
		if err != nil {
			return nil, err
		}
		for i := range theirs {
			theirs[i] = withoutBuiltin(theirs[i], shadowed)
		}
		levels = append(levels, theirs...)
	}
	found := nearest(levels...)
	for i := range found {
		if found[i].Builtin {
			found[i].Shadowed = shadowed[skill.Key(found[i].Name)]
		}
	}
	if s.Disabled == nil {
		return found, nil
	}
	off, err := s.Disabled.DisabledSkills(ctx)
	return slices.DeleteFunc(found, func(f skill.Found) bool { return err != nil || f.Off(off) }), err
}

// ofPlace returns the skills of the workspace and of the folders of a place to which the user has agreed, the nearest last.
func (s Skills) ofPlace(ctx context.Context, user chat.UserID, v *view) ([][]skill.Found, error) {
	if s.Consents == nil || len(v.levels) == 0 {
		return v.allSkills(true)
	}
	here := v.levels[len(v.levels)-1].dir
	if here == path.Clean(v.box.Workspace()) {
		return v.allSkills(true)
	}
	agreed, err := s.Consents.Agreed(ctx, user, v.box.Name(), here)
	if err != nil {
		return nil, err
	}
	return v.allSkills(agreed)
}

// withoutBuiltin removes the skills of a folder with the name of a built-in skill, which takes precedence, and records their folders in
// shadowed.
func withoutBuiltin(found []skill.Found, shadowed map[string][]string) []skill.Found {
	own := skill.Builtin()
	return slices.DeleteFunc(found, func(f skill.Found) bool {
		i := slices.IndexFunc(own, func(b skill.Found) bool {
			return skill.Key(b.Name) == skill.Key(f.Name) || skill.Key(b.Name) == skill.Key(f.Folder.Base())
		})
		if i < 0 {
			return false
		}
		key := skill.Key(own[i].Name)
		shadowed[key] = append(shadowed[key], f.Folder.Path())
		return true
	})
}

// ofServer returns the skills of the program, those of the installation's folder, and the installed ones, the strongest last.
func (s Skills) ofServer(ctx context.Context, user chat.UserID) (levels [][]skill.Found, err error) {
	ours, err := s.Server().List()
	if err != nil {
		return nil, err
	}
	levels = [][]skill.Found{skill.Builtin(), ours}
	if s.Installed == nil {
		return levels, nil
	}
	copies, err := s.Installed.InstalledSkills(ctx, user)
	return append(levels, copies), err
}

// nearest merges skills, sorted by name. Of one name, ignoring its spelling, the last wins.
func nearest(levels ...[]skill.Found) []skill.Found {
	byName := map[string]skill.Found{}
	for _, level := range levels {
		for _, one := range level {
			byName[skill.Key(one.Name)] = one
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b skill.Found) int { return strings.Compare(a.Name, b.Name) })
}

// allSkills returns the skills of the workspace and, if the user has agreed, of the folders of the place, the nearest last.
func (v *view) allSkills(agreed bool) (levels [][]skill.Found, err error) {
	workspace := path.Clean(v.box.Workspace())
	dirs := []string{workspace}
	for _, l := range v.levels {
		if l.dir != workspace && agreed {
			dirs = append(dirs, l.dir)
		}
	}
	for _, dir := range dirs {
		for _, below := range skillDirs {
			theirs, err := v.skills(path.Join(dir, below))
			if err != nil {
				return nil, err
			}
			levels = append(levels, theirs)
		}
	}
	return levels, nil
}

// skills lists the skills in a folder of the place. It skips copies of the server's.
func (v *view) skills(dir string) ([]skill.Found, error) {
	infos, err := v.box.ReadDir(v.ctx, dir)
	if err != nil {
		return nil, unlessAbsent(err)
	}
	if slices.ContainsFunc(infos, func(i sandbox.FileInfo) bool { return path.Base(i.Path) == syncMark }) {
		return nil, nil
	}
	infos = slices.DeleteFunc(infos, func(i sandbox.FileInfo) bool { return !i.Dir })
	found := make([]skill.Found, min(len(infos), skill.MaxSkills))
	g, ctx := errgroup.WithContext(v.ctx)
	g.SetLimit(maxLooks)
	for i := range found {
		folder := path.Join(dir, path.Base(infos[i].Path))
		g.Go(func() error {
			data, err := v.box.ReadFile(ctx, path.Join(folder, skill.File), 0, skill.MaxHead)
			if err != nil {
				return unlessAbsent(err)
			}
			if e, ok := skill.Describe(data.Data, path.Base(folder)); ok {
				found[i] = skill.Found{Entry: e, Folder: skill.In(v.box, folder)}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(f skill.Found) bool { return f.Folder == nil }), nil
}

// listSkills renders skills without their folders: the tool knows them. The program's skills are listed only together with others: alone they
// would bring the tool, and its tokens, into every conversation. Users can still ask for them by name.
func listSkills(found []skill.Found) string {
	if !slices.ContainsFunc(found, func(f skill.Found) bool { return !f.Builtin }) {
		return ""
	}
	entries := map[string]skill.Entry{}
	for _, f := range found {
		entries[f.Name] = skill.Entry{Name: f.Name, Description: f.Description}
	}
	return list(skillsHead, entries)
}

// list renders entries by name, within bounds.
func list(head string, found map[string]skill.Entry) string {
	if len(found) == 0 {
		return ""
	}
	entries := make([]skill.Entry, 0, len(found))
	for _, e := range found {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b skill.Entry) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	b.WriteString(head + "\n")
	left := maxCatalog
	for i, e := range entries {
		line := fmt.Sprintf("\n- %s: %s", short(e.Name, skill.MaxName), short(e.Description, maxDescription))
		if left -= len(line); left < 0 || i == maxEntries {
			fmt.Fprintf(&b, "\n[and %d more]", len(entries)-i)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// short returns a text as one line.
func short(text string, limit int) string {
	words := []rune(strings.Join(strings.Fields(clean(text)), " "))
	if len(words) > limit {
		return string(words[:limit-1]) + "…"
	}
	return string(words)
}

// Agents lists the roles that the model can delegate to. It needs the tool that does so.
type Agents struct {
	Roles Roles
	Own   OwnStore // reports changes of the user's own roles since they were listed; nil: there are none
}

var _ Middleware = Agents{}

// Order returns the position of the section.
func (Agents) Order() int { return 110 }

// Name is used in errors.
func (Agents) Name() string { return "agents" }

// Process adds the catalog.
func (g Agents) Process(ctx context.Context, a *Assembly) error {
	if !a.Tools.Shows("SubAgent") {
		return nil
	}
	own, err := a.ownPrompts(ctx, g.Own)
	if err != nil {
		return err
	}
	a.hold("15_agents", here(a.Scene).with(own.Roles), func() (string, error) {
		found, err := g.Roles.in(ctx, a)
		if err != nil {
			return "", err
		}
		entries := map[string]skill.Entry{}
		for _, r := range found.Roles {
			entries[r.Name] = skill.Entry{Name: r.Name, Description: r.Description}
		}
		return list(agentsHead, entries), nil
	})
	return nil
}

// Optional names the tools that the model can find and is not shown, so that none disappears without notice.
type Optional struct{}

var _ Middleware = Optional{}

// Order is between the agents and the permissions.
func (Optional) Order() int { return 112 }

// Name is used in errors.
func (Optional) Name() string { return "optional tools" }

// MaxOptional bounds the list, in bytes: about 500 tokens, since the fixed parts take 3 500 of the 4 000 that a prompt has.
const MaxOptional = 1_300

// Process adds the list. It also names the currently shown tools: the tools that a conversation uses do not change its prompt.
func (Optional) Process(_ context.Context, a *Assembly) error {
	if !a.Tools.Shows(toolset.Search) {
		return nil
	}
	if optional := a.Tools.Optional(); len(optional) > 0 {
		a.Parts["16_tools"] = optionalHead + "\n\n" + toolset.List(optional, MaxOptional)
	}
	return nil
}

const optionalHead = "# More tools\n\nThese can be called, too. Those whose parameters you do not see you find with " + toolset.Search + " first."
