package toolset

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/memory"
	"xbot/internal/tool"
	"xbot/internal/turn/agentprofile"
)

// Limits of what a model is shown in addition to the tools that are always there.
const (
	MaxUnused = 5  // messages of people for which a tool is shown though it is not used
	MaxActive = 30 // tools of one conversation; those used last
)

// Search is the name of the tool that finds optional tools. Conversations without optional tools do not have it.
const Search = "search_tools"

// ActiveTools is the store of the optional tools that conversations use.
type ActiveTools interface {
	// ActiveTools returns the optional tools of a conversation. Recent has at most most of them, the last used: within the last unused
	// messages of users, or at any time if unused is 0.
	ActiveTools(ctx context.Context, key chat.SessionKey, unused, most int) (chat.ToolUse, error)
	// UseTools records that a conversation uses tools now.
	UseTools(ctx context.Context, key chat.SessionKey, names ...string) error
}

// Settings reads the settings of a conversation.
type Settings interface {
	ModelWanted(ctx context.Context, key chat.SessionKey) (chat.ModelCriteria, error)
}

// Profiles returns the profile of the agent in a conversation, which decides what it may use.
type Profiles interface {
	Of(ctx context.Context, key chat.SessionKey) (agentprofile.Profile, error)
}

// Catalog finds the tools of all conversations. It is safe for concurrent use.
type Catalog struct {
	Builtin     *tool.Registry
	Sources     []Source
	ActiveTools ActiveTools
	Settings    Settings // nil: optional tools are never shown, and sources are not asked
	Profiles    Profiles // nil: all users have all tools
}

// Fixed returns a catalog in which all conversations have the same tools.
func Fixed(tools ...tool.Tool) *Catalog { return &Catalog{Builtin: tool.New(tools...)} }

// Of returns the tools of a conversation.
func (c *Catalog) Of(ctx context.Context, key chat.SessionKey) (*Set, error) {
	who, err := c.profile(ctx, key)
	if err != nil {
		return nil, err
	}
	use, err := c.use(ctx, key, who)
	if err != nil {
		return nil, err
	}
	all, err := c.all(ctx, key, who.Outside, use)
	if err != nil {
		return nil, err
	}
	mine := all.Where(who.HasTool)
	optional := func(s tool.Spec) bool { return s.Optional && !who.Names(s.Name) }
	if !mine.Any(optional) {
		return newSet(mine.Where(func(s tool.Spec) bool { return s.Name != Search }), nil, optional), nil
	}
	return newSet(mine, use.Recent, optional), nil
}

// Find returns the tool of a name that a conversation can call. No source takes the name of a tool of the program, so that for one of those
// no source is asked.
func (c *Catalog) Find(ctx context.Context, key chat.SessionKey, name string) (tool.Tool, bool, error) {
	if t, ok := c.Builtin.Get(name); ok && t.Spec().Name != Search {
		who, err := c.profile(ctx, key)
		return t, err == nil && who.Has(t.Spec().Name), err
	}
	set, err := c.Of(ctx, key)
	if err != nil {
		return nil, false, err
	}
	t, ok := set.Get(name)
	return t, ok, nil
}

// use returns a conversation's use of the optional tools. Conversations with consumers have none: their tools are given by name. What a flat
// memory keeps stays: nothing of it expires.
func (c *Catalog) use(ctx context.Context, key chat.SessionKey, who agentprofile.Profile) (chat.ToolUse, error) {
	if c.ActiveTools == nil || who.Outside {
		return chat.ToolUse{}, nil
	}
	unused := MaxUnused
	if who.Provider == memory.Flat {
		unused = 0
	}
	return c.ActiveTools.ActiveTools(ctx, key, unused, MaxActive)
}

// Person returns the tools that a user can have in some conversation, for rules and lists: none is left out.
func (c *Catalog) Person(ctx context.Context, user chat.UserID) (*tool.Registry, error) {
	return c.with(ctx, Place{User: user}, false)
}

// Use records that a conversation uses tools. Tools that are always shown need no record.
func (c *Catalog) Use(ctx context.Context, key chat.SessionKey, specs ...tool.Spec) error {
	var names []string
	for _, s := range specs {
		if s.Optional {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 || c.ActiveTools == nil {
		return nil
	}
	return c.ActiveTools.UseTools(ctx, key, names...)
}

func (c *Catalog) profile(ctx context.Context, key chat.SessionKey) (agentprofile.Profile, error) {
	if c.Profiles == nil {
		return agentprofile.Profile{}, nil
	}
	return c.Profiles.Of(ctx, key)
}

func (c *Catalog) all(ctx context.Context, key chat.SessionKey, outside bool, use chat.ToolUse) (*tool.Registry, error) {
	if len(c.Sources) == 0 || c.Settings == nil {
		return c.Builtin, nil
	}
	at, err := PlaceOf(ctx, c.Settings, key)
	if err != nil {
		return nil, err
	}
	at.Use = use
	return c.with(ctx, at, outside)
}

// with adds the tools of the sources. A tool of an earlier one, or of the program, keeps its name: no other replaces it.
func (c *Catalog) with(ctx context.Context, at Place, outside bool) (*tool.Registry, error) {
	all := c.Builtin
	for _, s := range c.Sources {
		if _, serves := s.(OutsideSource); outside && !serves {
			continue
		}
		found, err := s.Tools(ctx, at)
		if err != nil {
			return nil, err
		}
		all = all.With(found...)
	}
	return all, nil
}

// Quick reports whether calls of a built-in tool usually end within a second.
func (c *Catalog) Quick(name string) bool { return c.Builtin.Quick(name) }
