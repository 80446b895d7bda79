package apiclient

import (
	"context"
	"net/http"
	"net/url"

	"xbot/internal/chat"
)

// Runners lists where commands can run.
func (c *Administration) Runners(ctx context.Context) (chat.Runners, error) {
	var all chat.Runners
	return all, c.do(ctx, http.MethodGet, "/api/runners", nil, nil, &all)
}

// CreateRunner makes a runner. Its token is in the answer and nowhere else.
func (c *Administration) CreateRunner(ctx context.Context, name string) (chat.NewRunner, error) {
	var made chat.NewRunner
	return made, c.do(ctx, http.MethodPost, "/api/runners", nil, map[string]string{"name": name}, &made)
}

// RenewRunner gives a runner a new token; the old one is dead.
func (c *Administration) RenewRunner(ctx context.Context, name string) (chat.NewRunner, error) {
	var made chat.NewRunner
	return made, c.do(ctx, http.MethodPost, runnerPath(name)+"/token", nil, nil, &made)
}

// RevokeRunner makes a runner's token useless and closes its connection.
func (c *Administration) RevokeRunner(ctx context.Context, name string) error {
	return c.do(ctx, http.MethodDelete, runnerPath(name), nil, nil, nil)
}

// UseRunner chooses where commands run; empty means the default.
func (c *Administration) UseRunner(ctx context.Context, name string) (chat.Runners, error) {
	var all chat.Runners
	return all, c.do(ctx, http.MethodPut, "/api/runners/active", nil, map[string]string{"name": name}, &all)
}

// UseModel chooses whose model answers: chat.LLMAuto or chat.LLMServer.
func (c *Administration) UseModel(ctx context.Context, source string) (chat.Runners, error) {
	var all chat.Runners
	return all, c.do(ctx, http.MethodPut, "/api/runners/llm", nil, map[string]string{"source": source}, &all)
}

func runnerPath(name string) string { return "/api/runners/" + url.PathEscape(name) }
