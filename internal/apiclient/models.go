package apiclient

import (
	"context"
	"net/http"
)

// Model is a model that conversations can choose.
type Model struct {
	ID        string   `json:"id"` // provider/model
	Alias     []string `json:"alias"`
	Available *bool    `json:"available,omitempty"` // whether it can be called; nil where only the worker can tell
}

// Names returns the names by which the model is chosen, the short ones first.
func (m Model) Names() []string { return append(append([]string{}, m.Alias...), m.ID) }

// Callable reports whether nothing speaks against choosing the model.
func (m Model) Callable() bool { return m.Available == nil || *m.Available }

// Models lists the models that conversations can choose.
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	var out struct {
		Models []Model `json:"models"`
	}
	err := c.do(ctx, http.MethodGet, "/api/models", nil, nil, &out)
	return out.Models, err
}
