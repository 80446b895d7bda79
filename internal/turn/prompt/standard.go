package prompt

import (
	"xbot/internal/memory"
	"xbot/internal/turn/permission"
)

// Parts is the dependencies of the product's middlewares.
type Parts struct {
	Template    *Template
	Home        string // data folder of the server
	Sandboxes   Sandboxes
	Authorizers permission.Authorizers
	Memory      memory.Recaller
	Profiles    Profiles // nil: no agent profile
	Souls       SoulStore
	Past        Past
	Enrichers   []Enricher
	Own         OwnStore       // nil: no user has replacements
	Roles       OwnRoles       // as above
	Installed   Installed      // nil: no user has installed any
	Disabled    DisabledSkills // nil: none are
	Consents    Consents       // nil: skills of folders need no agreement
	Outside     *Pipeline      // for consumers of a service; nil: they have no prompt
}

// Installed returns the skills and roles that users have installed.
type Installed interface {
	InstalledSkills
	InstalledRoles
}

// Standard returns the pipeline of the system prompt.
func Standard(p Parts) *Pipeline {
	skills := Skills{Home: p.Home, Sandboxes: p.Sandboxes, Profiles: p.Profiles, Installed: p.Installed, Disabled: p.Disabled, Own: p.Own, Consents: p.Consents}
	roles := Roles{Home: p.Home, Sandboxes: p.Sandboxes, Profiles: p.Profiles, Own: p.Roles, Installed: p.Installed}
	return NewPipeline(
		p.Template, Persona{Profiles: p.Profiles}, Project{Home: p.Home, Sandboxes: p.Sandboxes}, Channel{}, skills,
		Agents{Roles: roles, Own: p.Own},
		Own{Store: p.Own, Profiles: p.Profiles}, OwnSections{Store: p.Own},
		Optional{}, Permission{Authorizers: p.Authorizers}, Memory{Provider: p.Memory, Profiles: p.Profiles}, Soul{Store: p.Souls, Profiles: p.Profiles}, Sender{}, Profile{Profiles: p.Profiles}, Language{},
		Recent{Past: p.Past, Profiles: p.Profiles}, Enrichers(p.Enrichers), UserMessage{},
	).WithOutside(p.Outside)
}
