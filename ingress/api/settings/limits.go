package settings

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/fault"
	"xbot/internal/turn/policy"
)

// Limits is how much may run at once, and what runs and waits.
type Limits struct {
	Limits  LimitNumbers  `json:"limits" doc:"In force."`
	Set     LimitNumbers  `json:"set" doc:"The value in the policy; 0: not set, the default applies."`
	Default LimitNumbers  `json:"default"`
	Version int64         `json:"version" doc:"Version of the policy that sets them."`
	Running int           `json:"running" doc:"Turns that run."`
	Waiting int           `json:"waiting" doc:"Conversations that wait for a free turn."`
	Turns   []TenantTurns `json:"turns" doc:"By tenant: the user or group that conversations belong to."`
	LLM     []TenantCalls `json:"llm" doc:"Calls to models, by tenant and pool."`
}

// TenantTurns are the turns of a tenant.
type TenantTurns struct {
	Tenant  string  `json:"tenant"`
	Running int     `json:"running"`
	Kept    int     `json:"kept" doc:"Free slots that are reserved for its next conversations."`
	Waiting int     `json:"waiting"`
	Longest float64 `json:"longest_wait_s" doc:"Seconds for which the first of them has waited."`
}

// TenantCalls are the calls to models of a tenant.
type TenantCalls struct {
	Tenant  string `json:"tenant"`
	Pool    string `json:"pool" enum:"global,personal,subagent"`
	Running int    `json:"running"`
	Waiting int    `json:"waiting"`
}

func (a *Endpoints) registerLimits(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "get-limits", Method: http.MethodGet, Path: "/api/limits", Summary: "List running and queued work, by user and group",
		Description: "For administrators. The limits are part of the policy; change them with PUT /api/limits.",
		Security:    endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body Limits }, error) {
		got, err := a.limits(ctx)
		return &struct{ Body Limits }{got}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "set-limits", Method: http.MethodPut, Path: "/api/limits", Summary: "Update the limits, as a new version of the policy",
		Description: "For administrators. All processes apply the change within a second; the rest of the policy is unchanged. 409: another administrator changed the policy in the meantime; 422 lists all validation errors.",
		Security:    endpoint.Secured,
	}, func(ctx context.Context, in *struct{ Body NewLimits }) (*struct{ Body Limits }, error) {
		if err := a.setLimits(ctx, in.Body); err != nil {
			return nil, err
		}
		got, err := a.limits(ctx)
		return &struct{ Body Limits }{got}, a.Problem(err)
	})
}

func (a *Endpoints) limits(ctx context.Context) (Limits, error) {
	if !auth.User(ctx).Admin {
		return Limits{}, fault.Errorf(fault.Denied, "only administrators see how much runs")
	}
	most, err := a.Quota.Caps(ctx)
	if err != nil {
		return Limits{}, err
	}
	version, set, err := a.policyInForce(ctx)
	if err != nil {
		return Limits{}, err
	}
	turns, err := a.Turns.TurnsByTenant(ctx)
	if err != nil {
		return Limits{}, err
	}
	calls, err := a.Leases.CallsByTenant(ctx)
	if err != nil {
		return Limits{}, err
	}
	out := Limits{
		Limits: numbersOf(most), Set: numbersOf(set.Limits), Default: numbersOf(new(policy.Policy).Limit()), Version: version,
		Turns: []TenantTurns{}, LLM: []TenantCalls{},
	}
	for _, t := range turns {
		out.Running, out.Waiting = out.Running+t.Running, out.Waiting+t.Waiting
		out.Turns = append(out.Turns, TenantTurns{Tenant: t.Name, Running: t.Running, Kept: t.Kept, Waiting: t.Waiting, Longest: t.Longest.Seconds()})
	}
	for _, c := range calls {
		out.LLM = append(out.LLM, TenantCalls{Tenant: c.Name, Pool: c.Pool, Running: c.Held, Waiting: c.Waiting})
	}
	return out, nil
}
