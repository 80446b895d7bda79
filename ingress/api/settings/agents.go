package settings

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/turn/policy"
)

// Agent is one of those who answer.
type Agent struct {
	ID      string `json:"id" doc:"The part of a session key that names it."`
	Name    string `json:"name,omitempty"`
	Model   string `json:"model,omitempty" doc:"Model of its conversations; empty: that of the server's settings."`
	Default bool   `json:"default" doc:"Default agent."`
}

// AgentsBody lists agents.
type AgentsBody struct {
	Agents []Agent `json:"agents"`
}

func (a *Endpoints) registerAgents(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-agents", Method: http.MethodGet, Path: "/api/agents", Summary: "List the agents of the installation", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body AgentsBody }, error) {
		p, err := a.Policy.Live.Get(ctx)
		if err != nil {
			return nil, a.Problem(err)
		}
		usual := p.Agent("")
		listed := p.Agents.List
		if len(listed) == 0 {
			listed = []policy.Agent{usual}
		}
		out := AgentsBody{Agents: make([]Agent, len(listed))}
		for i, agent := range listed {
			out.Agents[i] = Agent{ID: agent.ID, Name: agent.Name, Model: agent.Model, Default: agent.ID == usual.ID}
		}
		return &struct{ Body AgentsBody }{out}, nil
	})
}
