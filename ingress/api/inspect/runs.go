package inspect

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/temporalui"
	"xbot/workflows"
)

// Kinds of prepared queries.
const (
	runsFailed  = "failed"
	runsWaiting = "waiting"
	runsRunning = "running"
	runsToday   = "today"
	runsPerson  = "person"
	runsModel   = "model"
)

// RunsLink leads to a list of runs in the Temporal UI.
type RunsLink struct {
	Kind  string `json:"kind" enum:"failed,waiting,running,today,person,model"`
	Name  string `json:"name,omitempty" doc:"Name of the person or model, in a query for their runs of today."`
	Query string `json:"query" doc:"As the Temporal UI and the temporal CLI read it."`
	URL   string `json:"url" doc:"Path of the list, behind the same login."`
}

func (a *Endpoints) registerRuns(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-run-queries", Method: http.MethodGet, Path: "/api/inspect/runs", Summary: "List prepared queries of the Temporal UI",
		Description: "For administrators. Days begin at midnight UTC. Empty if no Temporal UI is mounted.", Security: endpoint.Secured,
	}, a.runLinks)
}

func (a *Endpoints) runLinks(ctx context.Context, _ *struct{}) (*struct {
	Body struct {
		Links []RunsLink `json:"links"`
	}
}, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	var out struct {
		Body struct {
			Links []RunsLink `json:"links"`
		}
	}
	if !a.Info.TemporalUI {
		return &out, nil
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	people, models, err := a.Inspection.TurnsSince(ctx, today)
	if err != nil {
		return nil, a.Problem(err)
	}
	for _, l := range runQueries(today, people, models) {
		l.URL = a.Auth.Under(ctx, temporalui.Root) + strings.TrimPrefix(temporalui.RunsPath(a.Info.Namespace, l.Query), temporalui.Root)
		out.Body.Links = append(out.Body.Links, l)
	}
	return &out, nil
}

// runQueries returns the most common queries of operators. A run that was ended from outside has no outcome.
func runQueries(today time.Time, people, models []string) []RunsLink {
	since := "StartTime >= " + quoted(today.Format(time.RFC3339))
	links := []RunsLink{
		{Kind: runsFailed, Query: "XbotOutcome IN ('failed', 'lost') OR ExecutionStatus IN ('Failed', 'TimedOut', 'Terminated')"},
		{Kind: runsWaiting, Query: "ExecutionStatus = 'Running' AND XbotWaits IS NOT NULL"},
		{Kind: runsRunning, Query: "ExecutionStatus = 'Running' AND XbotKind IN (" + quoted(workflows.KindTurn) + ", " + quoted(workflows.KindSubagent) + ")"},
		{Kind: runsToday, Query: since},
	}
	for _, name := range people {
		links = append(links, RunsLink{Kind: runsPerson, Name: name, Query: "XbotUser = " + quoted(name) + " AND " + since})
	}
	for _, name := range models {
		links = append(links, RunsLink{Kind: runsModel, Name: name, Query: "XbotModel = " + quoted(name) + " AND " + since})
	}
	return links
}

// quoted returns a value in a query: users choose their names.
func quoted(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}
