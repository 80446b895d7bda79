package services

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/fault"
	"xbot/internal/service"
)

// ServiceKey is a key of a service in a list: never its secret.
type ServiceKey struct{ service.Key }

// ServiceKeysBody lists keys.
type ServiceKeysBody struct {
	Keys []ServiceKey `json:"keys" doc:"The oldest first, also those that were revoked."`
}

// NewServiceKey is a key with its secret, shown once.
type NewServiceKey struct {
	service.Key

	Secret string `json:"key" doc:"The key. Shown only once; it is not stored."`
}

type (
	// ServiceKeyPath names the key of a request.
	ServiceKeyPath struct {
		ServicePath

		Key string `path:"kid" maxLength:"10" example:"key_0a1b2c"`
	}
	newKeyBody struct{ Body NewServiceKey }
)

func (a *Endpoints) registerKeys(h huma.API) {
	huma.Register(h, operation("list-service-keys", http.MethodGet, keys, "List the keys of a service, without their secrets", ""), a.listKeys)
	huma.Register(h, answering(operation("create-service-key", http.MethodPost, keys, "Create a service key",
		"The key gives access to the service and to the conversations started with it. Shown only once. "), http.StatusCreated), a.createKey)
	huma.Register(h, answering(operation("revoke-service-key", http.MethodDelete, key, "Revoke a service key", "Permanent. Its conversations are kept, but consumers can no longer reach them. "), http.StatusNoContent), a.revokeKey)
	huma.Register(h, operation("rotate-service-key", http.MethodPost, key+"/rotate", "Rotate the secret of a service key",
		"The old secret becomes invalid immediately; the key keeps its conversations. The new secret is shown only once. "), a.rotateKey)
}

func (a *Endpoints) listKeys(ctx context.Context, in *ServicePath) (*struct{ Body ServiceKeysBody }, error) {
	if _, err := a.service(ctx, in.ID); err != nil {
		return nil, err
	}
	list, err := a.Services.ServiceKeys(ctx, in.ID)
	out := ServiceKeysBody{Keys: make([]ServiceKey, len(list))}
	for i, k := range list {
		out.Keys[i] = ServiceKey{k}
	}
	return &struct{ Body ServiceKeysBody }{out}, a.Problem(err)
}

func (a *Endpoints) createKey(ctx context.Context, in *struct {
	ServicePath

	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"100" doc:"Name of the key's user or program."`
	}
}) (*newKeyBody, error) {
	if _, err := a.service(ctx, in.ID); err != nil {
		return nil, err
	}
	name := strings.Join(strings.Fields(in.Body.Name), " ")
	if name == "" {
		return nil, a.Problem(fault.Errorf(fault.Invalid, "name the key: whom or what it is for"))
	}
	made, secret, err := a.Services.AddServiceKey(ctx, in.ID, name)
	if err != nil {
		return nil, a.Problem(err)
	}
	a.note(ctx, "key of a service made", in.ID, "key", made.ID)
	return &newKeyBody{NewServiceKey{made, secret}}, nil
}

func (a *Endpoints) revokeKey(ctx context.Context, in *ServiceKeyPath) (*struct{}, error) {
	if _, err := a.service(ctx, in.ID); err != nil {
		return nil, err
	}
	if err := a.Services.RevokeServiceKey(ctx, in.ID, in.Key); err != nil {
		return nil, a.Problem(err)
	}
	a.note(ctx, "key of a service revoked", in.ID, "key", in.Key)
	return nil, nil
}

func (a *Endpoints) rotateKey(ctx context.Context, in *ServiceKeyPath) (*newKeyBody, error) {
	if _, err := a.service(ctx, in.ID); err != nil {
		return nil, err
	}
	now, secret, err := a.Services.RotateServiceKey(ctx, in.ID, in.Key)
	if err != nil {
		return nil, a.Problem(err)
	}
	a.note(ctx, "key of a service rotated", in.ID, "key", in.Key)
	return &newKeyBody{NewServiceKey{now, secret}}, nil
}
