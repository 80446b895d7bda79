package inspect

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat/ops"
	"xbot/internal/host/logs"
)

type logQuery struct {
	Level   string    `query:"level" enum:"debug,info,warn,error" doc:"The lowest level; default: all."`
	Since   time.Time `query:"since" doc:"Lines after this time."`
	Until   time.Time `query:"until" doc:"Lines up to this time."`
	Words   string    `query:"q" maxLength:"200" doc:"Words that the line contains, in upper or lower case."`
	Process string    `query:"process" maxLength:"64" doc:"Such as worker; default: all."`
	Limit   int       `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

func (a *Endpoints) registerLogs(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-logs", Method: http.MethodGet, Path: "/api/admin/logs", Summary: "List the newest log lines of the server",
		Description: "For administrators. Covers the processes that share the data folder of the responding process; each machine has its own.",
		Security:    endpoint.Secured,
	}, a.listLogs)
}

func (a *Endpoints) listLogs(ctx context.Context, in *logQuery) (*struct{ Body ops.Logs }, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	found, err := a.Logs.Read(ctx, logs.Query{Level: in.Level, Since: in.Since, Until: in.Until, Words: in.Words, Process: in.Process, Limit: in.Limit})
	return &struct{ Body ops.Logs }{found}, a.Problem(err)
}
