// Package services has the endpoints by which administrators publish agents as services: the definition of a service, its keys, and the
// conversations of its consumers, which are read and deleted here and nowhere written to.
package services

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/fault"
	"xbot/internal/llm/usage"
	"xbot/internal/media/mediastore"
	"xbot/internal/service"
	"xbot/internal/service/publisher"
	"xbot/internal/service/servicestore"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Services     *servicestore.Store
	ServiceUsage *servicestore.Usage
	Media        *mediastore.Store
	Desk         publisher.Publisher
	Prices       usage.Pricer
}

// ServiceView is a service as administrators see it.
type ServiceView struct {
	service.Service

	AdminName     string     `json:"admin_name" doc:"Name of the administrator whose it is."`
	Conversations int        `json:"conversations" doc:"How many conversations of consumers it has."`
	Keys          int        `json:"keys" doc:"How many of its keys are good."`
	LastUsedAt    *time.Time `json:"last_used_at,omitempty" doc:"At most a minute before the last use of a key; missing: none was used."`
	Page          string     `json:"page" doc:"Path of its page on this server. A key behind it lets whoever has the link talk to it: /s/{id}#key=…" example:"/s/svc_0a1b2c3d"`
}

// ServicesBody lists services.
type ServicesBody struct { //nolint:revive // the name of its schema in the API
	Services []ServiceView `json:"services" doc:"By name: of all administrators."`
}

// NewService is the definition of a new service. It needs a name; the defaults of omitted fields are documented.
type NewService struct{ service.Patch }

// ServiceChange is a change of a service; omitted fields stay.
type ServiceChange struct {
	service.Patch

	Revision int64 `json:"revision,omitempty" minimum:"0" doc:"The revision that the change was made from; 0: any."`
}

type (
	// ServicePath names the service of a request.
	ServicePath struct {
		ID string `path:"id" maxLength:"12" example:"svc_0a1b2c3d"`
	}
	serviceBody struct{ Body ServiceView }
)

const (
	root          = "/api/services"
	one           = root + "/{id}"
	keys          = one + "/keys"
	key           = keys + "/{kid}"
	conversations = one + "/conversations"
	conversation  = conversations + "/{cid}"
)

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerServices(h)
	a.registerKeys(h)
	a.registerConversations(h)
	a.registerUsage(h)
}

func operation(id, method, path, summary, description string) huma.Operation {
	return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Description: description + "For administrators.", Security: endpoint.Secured}
}

func answering(op huma.Operation, status int) huma.Operation {
	op.DefaultStatus = status
	return op
}

func (a *Endpoints) registerServices(h huma.API) {
	huma.Register(h, operation("list-services", http.MethodGet, root, "Agents that were published to programs and people outside", ""), a.list)
	huma.Register(h, answering(operation("create-service", http.MethodPost, root, "Publish an agent as a service",
		"It is yours: it works with your models, keys, prompt, documents and scripts. What is left out is as documented. 400: it names a model or a version that you do not have. "), http.StatusCreated), a.create)
	huma.Register(h, operation("get-service", http.MethodGet, one, "A service", ""), a.get)
	huma.Register(h, operation("change-service", http.MethodPatch, one, "Change, publish or withdraw a service",
		"In force for the next step of its conversations. Of one that was withdrawn the conversations stay, and its consumers are told so. 409: it was changed since the revision. "), a.change)
	huma.Register(h, answering(operation("delete-service", http.MethodDelete, one, "Delete a service with its keys and all conversations of its consumers",
		"Nobody finds it from now on. The rest goes on whatever dies meanwhile, and cannot be taken back. "), http.StatusAccepted), a.remove)
}

// administrators refuses other users.
func (a *Endpoints) administrators(ctx context.Context) error {
	if auth.User(ctx).Admin {
		return nil
	}
	return a.Problem(fault.Errorf(fault.Denied, "only administrators publish services, and see them"))
}

// note logs an action of an administrator.
func (a *Endpoints) note(ctx context.Context, what, of string, about ...any) {
	a.Log.Info(what, append(about, "service", of, "by", auth.User(ctx).Name)...)
}

func view(s service.Service, f servicestore.Stats) ServiceView {
	return ServiceView{Service: s, AdminName: f.Admin, Conversations: f.Conversations, Keys: f.Keys, LastUsedAt: f.UsedAt, Page: publisher.Link("", s.ID, "")}
}

func (a *Endpoints) shown(ctx context.Context, s service.Service) (*serviceBody, error) {
	figures, err := a.ServiceUsage.ServiceFigures(ctx, s.ID)
	return &serviceBody{view(s, figures[s.ID])}, a.Problem(err)
}

func (a *Endpoints) list(ctx context.Context, _ *struct{}) (*struct{ Body ServicesBody }, error) {
	if err := a.administrators(ctx); err != nil {
		return nil, err
	}
	all, err := a.Services.Services(ctx)
	if err != nil {
		return nil, a.Problem(err)
	}
	figures, err := a.ServiceUsage.ServiceFigures(ctx, "")
	out := ServicesBody{Services: make([]ServiceView, len(all))}
	for i, s := range all {
		out.Services[i] = view(s, figures[s.ID])
	}
	return &struct{ Body ServicesBody }{out}, a.Problem(err)
}

func (a *Endpoints) create(ctx context.Context, in *struct{ Body NewService }) (*serviceBody, error) {
	if err := a.administrators(ctx); err != nil {
		return nil, err
	}
	made, err := a.Desk.Add(ctx, auth.User(ctx).ID, in.Body.Patch)
	if err != nil {
		return nil, a.Problem(err)
	}
	a.note(ctx, "service made", made.ID)
	return a.shown(ctx, made)
}

func (a *Endpoints) get(ctx context.Context, in *ServicePath) (*serviceBody, error) {
	s, err := a.service(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return a.shown(ctx, s)
}

// service is one that exists, for administrators.
func (a *Endpoints) service(ctx context.Context, id string) (service.Service, error) {
	if err := a.administrators(ctx); err != nil {
		return service.Service{}, err
	}
	s, err := a.Services.Service(ctx, id)
	return s, a.Problem(err)
}

func (a *Endpoints) change(ctx context.Context, in *struct {
	ServicePath

	Body ServiceChange
}) (*serviceBody, error) {
	if err := a.administrators(ctx); err != nil {
		return nil, err
	}
	changed, err := a.Desk.Change(ctx, in.ID, in.Body.Revision, in.Body.Patch)
	if err != nil {
		return nil, a.Problem(err)
	}
	a.note(ctx, "service changed", changed.ID, "revision", changed.Revision, "published", changed.Published)
	return a.shown(ctx, changed)
}

func (a *Endpoints) remove(ctx context.Context, in *ServicePath) (*struct{}, error) {
	if err := a.administrators(ctx); err != nil {
		return nil, err
	}
	if err := a.Services.DeleteService(ctx, in.ID, auth.User(ctx).ID); err != nil {
		return nil, a.Problem(err)
	}
	a.note(ctx, "service is being deleted", in.ID)
	return nil, nil
}
