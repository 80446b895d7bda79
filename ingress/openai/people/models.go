package people

import (
	"context"
	"net/http"
	"strings"

	"xbot/ingress/auth"
	"xbot/ingress/openai"
	"xbot/internal/turn/policy"
)

// usual is the model that is the installation's usual agent; an agent is usual/agent.
const usual = "xbot"

// Models lists the agents, the usual one first under its short name, and then the models that the user may choose: the entries of
// clients' menus of models.
func (p *People) Models(ctx context.Context) ([]openai.Model, error) {
	doc, err := p.Policies.Get(ctx)
	if err != nil {
		return nil, err
	}
	known, err := p.Catalogue.Get(ctx, auth.User(ctx).ID)
	if err != nil {
		return nil, err
	}
	out := []openai.Model{{ID: usual, Created: p.Info.StartedAt}}
	agents := doc.Agents.List
	if len(agents) == 0 {
		agents = []policy.Agent{doc.Agent("")}
	}
	for _, a := range agents {
		out = append(out, openai.Model{ID: usual + "/" + a.ID, Created: p.Info.StartedAt})
	}
	for _, e := range known.Entries {
		out = append(out, openai.Model{ID: e.ID, Created: p.Info.StartedAt})
	}
	return out, nil
}

// who is the addressee of a request: an agent, and the model that it is to use.
type who struct{ agent, model string }

// resolve returns the agent and model that the name of a model means.
func (p *People) resolve(ctx context.Context, name string) (who, error) {
	doc, err := p.Policies.Get(ctx)
	if err != nil {
		return who{}, err
	}
	main := doc.Agent("").ID
	if name == usual {
		return who{agent: main}, nil
	}
	if agent, is := strings.CutPrefix(name, usual+"/"); is {
		if found := doc.Agent(agent); found.ID == agent || agent == policy.DefaultAgent {
			return who{agent: found.ID}, nil
		}
		return who{}, noModel(name)
	}
	known, err := p.Catalogue.Get(ctx, auth.User(ctx).ID)
	if err != nil {
		return who{}, err
	}
	if e, ok := known.Get(name); ok {
		return who{main, e.ID}, nil
	}
	return who{}, noModel(name)
}

func noModel(name string) error {
	return &openai.Error{Status: http.StatusNotFound, Param: "model", Code: "model_not_found", Message: "there is no model " + quoted(name) + "; GET /v1/models lists them"}
}
