package models

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
)

// ToolKeys lists keys of tools.
type ToolKeys struct {
	Keys     []chat.ToolKey `json:"keys" doc:"Yours; administrators see those of the installation before them."`
	Services []ToolService  `json:"services" doc:"All services, and where what is used for you comes from."`
}

// ToolService is a service that tools use.
type ToolService struct {
	Service   string   `json:"service" example:"transcription"`
	Providers []string `json:"providers,omitempty" doc:"Whose APIs it can be reached by, the default one first; missing: one alone."`
	Source    string   `json:"source,omitempty" enum:"own,installation,environment" doc:"Where what is used for you comes from; missing: nothing is there. The environment is that of the process that answers."`
}

// ToolKeyDraft is the definition of a key of a tool.
type ToolKeyDraft struct {
	Shared   bool     `json:"shared,omitempty" doc:"It is the installation's, for everybody; for administrators."`
	Key      string   `json:"key,omitempty" maxLength:"4096" doc:"Empty: the stored one stays. It is never shown again."`
	Forget   bool     `json:"forget,omitempty" doc:"The stored key is removed."`
	Provider string   `json:"provider,omitempty" maxLength:"32" doc:"One of the service's; empty: the default one."`
	BaseURL  string   `json:"base_url,omitempty" maxLength:"512" doc:"Empty: the service's own. Addresses of people reach the public internet alone."`
	Model    string   `json:"model,omitempty" maxLength:"128" doc:"Empty: the usual one."`
	Price    *float64 `json:"price,omitempty" minimum:"0" maximum:"1000000" doc:"USD for a picture, for a million characters of speech or for a second of video; left out: what is known of the model."`
	Revision int64    `json:"revision,omitempty" minimum:"0" doc:"The revision that the change was made from; 0: there is none yet."`
}

type (
	// ToolKeyPath names the service of a request.
	ToolKeyPath struct {
		Service string `path:"service" enum:"tavily,cloudsway,searxng,image,speech,video,transcription,realtime"`
	}
	toolKeyChange struct {
		ToolKeyPath

		Body ToolKeyDraft
	}
	toolKeyRemoval struct {
		ToolKeyPath

		Shared bool `query:"shared" doc:"That of the installation; for administrators."`
	}
)

func (a *Endpoints) registerKeys(h huma.API) {
	const root, one = "/api/keys", "/api/keys/{service}"
	huma.Register(h, huma.Operation{
		OperationID: "list-tool-keys", Method: http.MethodGet, Path: root, Summary: "Keys of the services that tools use", Security: endpoint.Secured,
	}, a.listKeys)
	huma.Register(h, huma.Operation{
		OperationID: "set-tool-key", Method: http.MethodPut, Path: one, Summary: "Set the key of a service",
		Description: "Keys are never returned. In force at once, in every process. A person's own is used before the installation's, and that before the environment's. " +
			"409: it was changed meanwhile. Where the address changes, the key has to be given again.", Security: endpoint.Secured,
	}, a.setKey)
	huma.Register(h, huma.Operation{
		OperationID: "delete-tool-key", Method: http.MethodDelete, Path: one, Summary: "Remove the key of a service", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, a.removeKey)
	huma.Register(h, huma.Operation{
		OperationID: "try-tool-key", Method: http.MethodPost, Path: one + "/try", Summary: "Make one request that costs nothing",
		Description: "Nothing is stored. The result says what is wrong, or that the service has no such request.", Security: endpoint.Secured,
	}, a.tryKey)
}

func (a *Endpoints) listKeys(ctx context.Context, _ *struct{}) (*struct{ Body ToolKeys }, error) {
	u := auth.User(ctx)
	keys, err := a.Keys.List(ctx, u.ID, u.Admin)
	if err != nil {
		return nil, a.Problem(err)
	}
	sources, err := a.Keys.Sources(ctx, u.ID)
	out := ToolKeys{Keys: keys}
	for _, service := range toolkey.Services() {
		out.Services = append(out.Services, ToolService{Service: service, Providers: toolkey.Providers(service), Source: sources[service]})
	}
	return &struct{ Body ToolKeys }{out}, a.Problem(err)
}

func (a *Endpoints) setKey(ctx context.Context, in *toolKeyChange) (*struct{ Body chat.ToolKey }, error) {
	d, err := a.keyDraft(ctx, in)
	if err != nil {
		return nil, err
	}
	u := auth.User(ctx)
	if err := a.Keys.Save(ctx, d, u.ID); err != nil {
		return nil, a.Problem(err)
	}
	a.Log.Info("key of a tool saved", "service", d.Service, "shared", d.Shared, "by", u.Name)
	all, err := a.Keys.List(ctx, u.ID, true)
	if err != nil {
		return nil, a.Problem(err)
	}
	for _, one := range all {
		if one.Service == d.Service && one.User == d.User {
			return &struct{ Body chat.ToolKey }{one}, nil
		}
	}
	return nil, a.Problem(fault.Errorf(fault.Conflict, "the key was removed at this moment"))
}

// keyDraft returns the draft of a key of its owner: the installation only for administrators.
func (a *Endpoints) keyDraft(ctx context.Context, in *toolKeyChange) (toolkey.Draft, error) {
	owner, err := a.keyOwner(ctx, in.Body.Shared)
	return toolkey.Draft{Key: in.Body.Key, Forget: in.Body.Forget, ToolKey: chat.ToolKey{
		User: owner, Shared: in.Body.Shared, Service: in.Service, Provider: in.Body.Provider, BaseURL: in.Body.BaseURL, Model: in.Body.Model, Price: in.Body.Price, Revision: in.Body.Revision,
	}}, err
}

func (a *Endpoints) keyOwner(ctx context.Context, shared bool) (chat.UserID, error) {
	if shared {
		return 0, a.AdminOnly(ctx)
	}
	return auth.User(ctx).ID, nil
}

func (a *Endpoints) removeKey(ctx context.Context, in *toolKeyRemoval) (*struct{}, error) {
	owner, err := a.keyOwner(ctx, in.Shared)
	if err != nil {
		return nil, err
	}
	if err := a.Keys.Remove(ctx, owner, in.Service); err != nil {
		return nil, a.Problem(err)
	}
	a.Log.Info("key of a tool removed", "service", in.Service, "shared", in.Shared, "by", auth.User(ctx).Name)
	return nil, nil
}

func (a *Endpoints) tryKey(ctx context.Context, in *toolKeyChange) (*struct{ Body ToolKeyTried }, error) {
	d, err := a.keyDraft(ctx, in)
	if err != nil {
		return nil, err
	}
	out, err := a.Keys.Try(ctx, d)
	return &struct{ Body ToolKeyTried }{ToolKeyTried(out)}, a.Problem(err)
}

// ToolKeyTried is the result of one request.
type ToolKeyTried toolkey.Tried
