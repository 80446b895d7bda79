package modelcall

import (
	"context"

	"xbot/internal/agentprofile"
	"xbot/internal/chat"
	"xbot/internal/tool"
)

// Profiles knows who answers in a session.
type Profiles interface {
	Of(ctx context.Context, key chat.SessionKey) (agentprofile.Profile, error)
}

// ProfileOf returns who answers in a session. If who is nil it is a profile without restrictions, whose answers are
// delivered.
func ProfileOf(ctx context.Context, who Profiles, key chat.SessionKey) (agentprofile.Profile, error) {
	if who == nil {
		return agentprofile.Profile{Deliver: true}, nil
	}
	return who.Of(ctx, key)
}

// Allowed is the tools that an agent may use. For the model the others do not exist.
type Allowed struct {
	Catalog
	Who agentprofile.Profile
}

// Specs returns what the model can call.
func (a Allowed) Specs() []tool.Spec {
	all := a.Catalog.Specs()
	specs := make([]tool.Spec, 0, len(all))
	for _, s := range all {
		if a.Who.Has(s.Name) {
			specs = append(specs, s)
		}
	}
	return specs
}

// Class returns the class of a tool; a tool that is not allowed has the class of an unknown one.
func (a Allowed) Class(name string) chat.ToolClass {
	if !a.Who.Has(name) {
		return chat.ClassRead
	}
	return a.Catalog.Class(name)
}

// Questions returns what a call asks a person; a tool that is not allowed asks nobody.
func (a Allowed) Questions(name, arguments string) []chat.Inquiry {
	if !a.Who.Has(name) {
		return nil
	}
	return a.Catalog.Questions(name, arguments)
}
