package prompt

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"xbot/internal/skill"
	"xbot/internal/toolset"
)

// Bounds of a catalog: what a model must read before anything was asked for.
const (
	maxEntries     = 100
	maxDescription = 300   // characters
	maxCatalog     = 8_000 // characters
	syncMark       = ".synced-by-xbot"
)

// Skills lists the skills that the model can read with its tools (spec/001 §2.3): those of the server, where a copy of
// them is kept in step on the runner, and those of the project.
type Skills struct {
	Home      string // data folder of the server
	Sandboxes Sandboxes
}

var _ Middleware = Skills{}

// Order is that of spec/001.
func (Skills) Order() int { return 100 }

// Name is for errors.
func (Skills) Name() string { return "skills" }

// Process adds the catalog.
func (s Skills) Process(ctx context.Context, a *Assembly) error {
	if !a.Tools.Shows("Read") {
		return nil // nothing could read them
	}
	a.hold("10_skills", here(a.Scene), func() (string, error) { return s.catalog(ctx, a) })
	return nil
}

func (s Skills) catalog(ctx context.Context, a *Assembly) (string, error) {
	view, err := a.look(ctx, s.Sandboxes)
	if err != nil {
		return "", err
	}
	found := map[string]skill.Entry{}
	copied := path.Join(view.box.Workspace(), hiddenDir, "skills")
	ours, err := s.ofServer(view, copied)
	if err != nil {
		return "", err
	}
	for _, e := range ours {
		found[e.Name] = e
	}
	for _, l := range view.levels { // the nearest wins
		dir := path.Join(l.dir, hiddenDir, "skills")
		if dir == copied && len(ours) > 0 {
			continue
		}
		theirs, err := view.skills(dir)
		if err != nil {
			return "", err
		}
		for _, e := range theirs {
			found[e.Name] = e
		}
	}
	return list(skillsHead, found), nil
}

// ofServer lists the server's skills with the paths that their copies have on the runner. Without a copy there are none.
func (s Skills) ofServer(v *view, copied string) ([]skill.Entry, error) {
	root := filepath.Join(s.Home, "skills")
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, nil //nolint:nilerr // the server has none
	}
	if _, err := v.box.Stat(v.ctx, path.Join(copied, syncMark)); err != nil {
		return nil, unlessAbsent(err)
	}
	entries, err := skill.Dir(os.DirFS(root))
	for i := range entries {
		entries[i].Path = path.Join(copied, entries[i].Path)
	}
	return entries, err
}

// skills lists the skills in a folder of the place.
func (v *view) skills(dir string) ([]skill.Entry, error) {
	infos, err := v.box.ReadDir(v.ctx, dir)
	if err != nil {
		return nil, unlessAbsent(err)
	}
	entries := make([]skill.Entry, min(len(infos), maxEntries))
	g, ctx := errgroup.WithContext(v.ctx)
	g.SetLimit(maxLooks)
	for i := range entries {
		if !infos[i].Dir {
			continue
		}
		file := path.Join(dir, path.Base(infos[i].Path), skill.File)
		g.Go(func() error {
			data, err := v.box.ReadFile(ctx, file, 0, skill.MaxHead)
			if err != nil {
				return unlessAbsent(err)
			}
			if e, err := skill.Parse(data.Data, path.Base(path.Dir(file))); err == nil {
				e.Path = file
				entries[i] = e
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e skill.Entry) bool { return e.Name == "" }), nil
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
		line := fmt.Sprintf("\n- %s: %s", e.Name, short(e.Description, maxDescription))
		if e.Path != "" {
			line += " (" + e.Path + ")"
		}
		if left -= len(line); left < 0 || i == maxEntries {
			fmt.Fprintf(&b, "\n[and %d more]", len(entries)-i)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// short is one line of a text.
func short(text string, limit int) string {
	words := []rune(strings.Join(strings.Fields(clean(text)), " "))
	if len(words) > limit {
		return string(words[:limit-1]) + "…"
	}
	return string(words)
}

// Agents lists the roles that the model can hand work to (spec/001 §2.3). It needs the tool that does so.
type Agents struct {
	Roles Roles
	Own   OwnStore // knows whether the person's own roles are others than when they were listed; nil: nobody has any
}

var _ Middleware = Agents{}

// Order is that of spec/001.
func (Agents) Order() int { return 110 }

// Name is for errors.
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

// Optional names the tools that the model can find and is not shown (spec/001 §5.3), so that none vanishes silently.
type Optional struct{}

var _ Middleware = Optional{}

// Order is between the agents and the permissions.
func (Optional) Order() int { return 112 }

// Name is for errors.
func (Optional) Name() string { return "optional tools" }

// MaxOptional bounds the list, in bytes: about 500 tokens, since what is always there takes 3 500 of the 4 000 that a prompt has (DESIGN §12).
const MaxOptional = 1_300

// Process adds the list. It names what is shown just now, too: what a conversation uses does not change its prompt.
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
