package prompt

import (
	"xbot/internal/chat"
	"xbot/internal/memory"
)

// Parts is what the middlewares of the product need.
type Parts struct {
	Template  *Template
	Home      string // data folder of the server
	Sandboxes Sandboxes
	Rules     map[string]chat.Rule // of the installation
	Memory    memory.Recaller
	Personas  Personas // nil: nobody in particular
	Souls     SoulStore
	Past      Past
	Enrichers []Enricher
}

// Standard is the pipeline of the product: the eleven middlewares of spec/001 §2.3, and who the model is.
func Standard(p Parts) *Pipeline {
	return NewPipeline(
		p.Template, Persona{Personas: p.Personas}, Project{Home: p.Home, Sandboxes: p.Sandboxes}, Channel{}, Skills{Home: p.Home, Sandboxes: p.Sandboxes}, Agents{Roles: Roles{Home: p.Home, Sandboxes: p.Sandboxes, Personas: p.Personas}},
		Permission{Rules: p.Rules}, Memory{Provider: p.Memory, Personas: p.Personas}, Soul{Store: p.Souls, Personas: p.Personas}, Sender{}, Profile{Personas: p.Personas}, Language{},
		Recent{Past: p.Past, Personas: p.Personas}, Enrichers(p.Enrichers), UserMessage{},
	)
}
