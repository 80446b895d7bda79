package runners

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
)

type runnersBody struct{ Body chat.Runners }

type newRunnerBody struct{ Body chat.NewRunner }

// RunnerName is the path parameter of a runner.
type RunnerName struct {
	Name string `path:"name" maxLength:"200" doc:"Name of the runner." example:"laptop"`
}

func (a *Endpoints) registerRunners(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "list-runners", Method: http.MethodGet, Path: "/api/runners", Summary: "List my runners and the active one", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*runnersBody, error) {
			out, err := a.Runners.List(ctx, auth.User(ctx))
			return &runnersBody{out}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "create-runner", Method: http.MethodPost, Path: "/api/runners", Summary: "Create a runner", Description: "The token is shown only once.", DefaultStatus: http.StatusCreated, Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			endpoint.Request
			Body struct {
				Name string `json:"name" minLength:"1" maxLength:"200" doc:"1 to 128 lower-case letters, digits, dots, dashes and underscores, beginning with a letter or digit."`
			}
		}) (*newRunnerBody, error) {
			out, err := a.Runners.Create(ctx, auth.User(ctx), in.Body.Name, baseOf(in.HTTP()))
			return &newRunnerBody{out}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "renew-runner", Method: http.MethodPost, Path: "/api/runners/{name}/token", Summary: "Rotate the token of a runner", Description: "The old token becomes invalid, and connections that use it are closed.", Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			endpoint.Request
			RunnerName
		}) (*newRunnerBody, error) {
			out, err := a.Runners.Renew(ctx, auth.User(ctx), in.Name, baseOf(in.HTTP()))
			return &newRunnerBody{out}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "revoke-runner", Method: http.MethodDelete, Path: "/api/runners/{name}", Summary: "Revoke a runner", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured},
		func(ctx context.Context, in *RunnerName) (*struct{}, error) {
			return nil, a.Problem(a.Runners.Revoke(ctx, auth.User(ctx), in.Name))
		})
	huma.Register(h, huma.Operation{OperationID: "use-runner", Method: http.MethodPut, Path: "/api/runners/active", Summary: "Set the runner of my commands", Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			Body struct {
				Name string `json:"name" maxLength:"200" doc:"Empty for the default."`
			}
		}) (*runnersBody, error) {
			out, err := a.Runners.Use(ctx, auth.User(ctx), in.Body.Name)
			return &runnersBody{out}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "use-model", Method: http.MethodPut, Path: "/api/runners/llm", Summary: "Set whether my runner's model or the server's answers me", Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			Body struct {
				Source string `json:"source" enum:"auto,server" doc:"auto: the model of the runner my commands go to, if it offers one. server: the server's."`
			}
		}) (*runnersBody, error) {
			out, err := a.Runners.UseModel(ctx, auth.User(ctx), in.Body.Source)
			return &runnersBody{out}, a.Problem(err)
		})
}

func (a *Endpoints) registerSandbox(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "set-runner-sandbox", Method: http.MethodPut, Path: "/api/runners/local/sandbox", Summary: "Set whether commands of the server's own runner run in a sandbox",
		Description: "For administrators. off: commands have all rights of the user who runs xbot: they can read, change and delete every file of that user, including xbot's own key and data, and can stop xbot. The change applies to commands that start afterwards. 409: the setting XBOT_CONFINE decides. 404: the server has no runner of its own.",
		Security:    endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Body struct {
			Confine string `json:"confine" enum:"auto,off" doc:"auto: commands run in a sandbox, and are refused where the machine cannot confine them. off: they run without one."`
		}
	}) (*runnersBody, error) {
		out, err := a.Runners.SetSandbox(ctx, auth.User(ctx), in.Body.Confine)
		return &runnersBody{out}, a.Problem(err)
	})
}

// baseOf returns the address that a request came to. A proxy in front that ends TLS reports that in a header.
func baseOf(r *http.Request) string {
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
