package prompt

import (
	"xbot/internal/chat"
	"xbot/internal/memory"
)

// Parts is what the middlewares of the product need.
type Parts struct {
	Template  *Template
	Home      string // data folder of the server
	Places    Places
	Rules     map[string]chat.Rule // of the installation
	Memory    memory.Provider
	Enrichers []Enricher
}

// Standard is the pipeline of the product: the eleven middlewares of spec/001 §2.3.
func Standard(p Parts) *Pipeline {
	return NewPipeline(
		p.Template, Project{Home: p.Home, Places: p.Places}, Channel{}, Skills{Home: p.Home, Places: p.Places}, Agents{Home: p.Home},
		Permission{Rules: p.Rules}, Memory{Provider: p.Memory}, Sender{}, Language{}, Enrichers(p.Enrichers), UserMessage{},
	)
}
