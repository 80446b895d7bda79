package automation

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/automation/trigger"
	"xbot/internal/chat"
)

// TriggerList is the triggers of a user.
type TriggerList struct {
	Triggers []chat.Trigger `json:"triggers"`
}

// FireList is the newest calls of a trigger.
type FireList struct {
	Fires []chat.Fire `json:"fires"`
}

// TriggerID is the path parameter of a trigger.
type TriggerID struct {
	ID string `path:"id" maxLength:"64"`
}

type (
	triggerBody     struct{ Body chat.Trigger }
	triggerMadeBody struct{ Body trigger.Made }
	triggerDraft    struct{ Body chat.TriggerDraft }
	triggerChange   struct {
		TriggerID

		Body chat.TriggerDraft
	}
	triggerFires struct {
		TriggerID

		Limit int `query:"limit" minimum:"1" maximum:"200" default:"50"`
	}
)

func (a *Endpoints) registerTriggers(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-triggers", Method: http.MethodGet, Path: "/api/triggers", Summary: "List my triggers, at whose URLs other programs post into conversations", Security: endpoint.Secured,
	}, a.listTriggers)
	huma.Register(h, huma.Operation{
		OperationID: "add-trigger", Method: http.MethodPost, Path: "/api/triggers", Summary: "Create a trigger",
		Description:   "The response contains the secret, which is never shown again. 409: a trigger with this name exists.",
		DefaultStatus: http.StatusCreated, Security: endpoint.Secured,
	}, a.addTrigger)
	huma.Register(h, huma.Operation{
		OperationID: "set-trigger", Method: http.MethodPut, Path: "/api/triggers/{id}", Summary: "Update a trigger; its source cannot change", Security: endpoint.Secured,
	}, a.setTrigger)
	huma.Register(h, huma.Operation{
		OperationID: "delete-trigger", Method: http.MethodDelete, Path: "/api/triggers/{id}", Summary: "Delete a trigger and its history",
		Description: "The conversation that it posts to is kept.", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, a.deleteTrigger)
	huma.Register(h, huma.Operation{
		OperationID: "renew-trigger", Method: http.MethodPost, Path: "/api/triggers/{id}/secret", Summary: "Rotate the secret of a trigger",
		Description: "The response has the new secret, which is never shown again. Calls signed with the old secret are refused.", Security: endpoint.Secured,
	}, a.renewTrigger)
	huma.Register(h, huma.Operation{
		OperationID: "list-fires", Method: http.MethodGet, Path: "/api/triggers/{id}/fires", Summary: "List the newest accepted calls of a trigger with their outcomes", Security: endpoint.Secured,
	}, a.listFires)
}

func (a *Endpoints) listTriggers(ctx context.Context, _ *struct{}) (*struct{ Body TriggerList }, error) {
	all, err := a.Triggers.List(ctx, auth.User(ctx).ID)
	return &struct{ Body TriggerList }{TriggerList{all}}, a.Problem(err)
}

func (a *Endpoints) addTrigger(ctx context.Context, in *triggerDraft) (*triggerMadeBody, error) {
	made, err := a.Triggers.Add(ctx, auth.User(ctx).ID, in.Body, "")
	return &triggerMadeBody{made}, a.Problem(err)
}

func (a *Endpoints) setTrigger(ctx context.Context, in *triggerChange) (*triggerBody, error) {
	t, err := a.Triggers.Change(ctx, auth.User(ctx).ID, in.ID, in.Body)
	return &triggerBody{t}, a.Problem(err)
}

func (a *Endpoints) deleteTrigger(ctx context.Context, in *TriggerID) (*struct{}, error) {
	_, err := a.Triggers.Remove(ctx, auth.User(ctx).ID, in.ID)
	return nil, a.Problem(err)
}

func (a *Endpoints) renewTrigger(ctx context.Context, in *TriggerID) (*triggerMadeBody, error) {
	made, err := a.Triggers.Renew(ctx, auth.User(ctx).ID, in.ID)
	return &triggerMadeBody{made}, a.Problem(err)
}

func (a *Endpoints) listFires(ctx context.Context, in *triggerFires) (*struct{ Body FireList }, error) {
	fires, err := a.TriggerStore.TriggerFires(ctx, auth.User(ctx).ID, in.ID, in.Limit)
	return &struct{ Body FireList }{FireList{fires}}, a.Problem(err)
}
