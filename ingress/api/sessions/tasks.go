package sessions

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/turn/engine"
)

// TaskKiller kills background tasks: it records the request and tries it at once.
type TaskKiller interface {
	Kill(ctx context.Context, user chat.UserID, key chat.SessionKey, id string) (chat.Task, error)
}

// TasksBody lists background tasks.
type TasksBody struct {
	Tasks []chat.Task `json:"tasks"`
}

// TaskKey is the path parameters of a background task.
type TaskKey struct {
	endpoint.Key

	ID string `path:"id" maxLength:"160" doc:"Short id within the session, as it is listed." example:"bg1"`
}

func (a *Endpoints) registerTasks(h huma.API) {
	endpoint.InSession(a.Base, h, huma.Operation{OperationID: "list-tasks", Method: http.MethodGet, Path: "/api/sessions/{key}/tasks", Summary: "List the background tasks of a session, newest first, without their output"},
		func(ctx context.Context, s chat.Session, in *struct {
			endpoint.Key
			All bool `query:"all" doc:"Includes background subagents, group chats and the newest runs of jobs of the session, each with its kind."`
		}) (TasksBody, error) {
			list := a.Calls.Tasks
			if in.All {
				list = engine.Background{Store: a.Turns}.Tasks
			}
			tasks, err := list(ctx, s.Key)
			return TasksBody{Tasks: append([]chat.Task{}, tasks...)}, err
		})
	endpoint.InSession(a.Base, h, huma.Operation{OperationID: "get-task", Method: http.MethodGet, Path: "/api/sessions/{key}/tasks/{id}", Summary: "Get a background task; once it has ended, with the head and tail of its output or with its report"},
		func(ctx context.Context, s chat.Session, in *TaskKey) (chat.Task, error) {
			return engine.Background{Store: a.Turns}.FindTask(ctx, s.Key, in.ID)
		})
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "kill-task", Method: http.MethodPost, Path: "/api/sessions/{key}/tasks/{id}/kill", Summary: "Kill a background task",
		Description:   "The kill is recorded immediately and sent as soon as the runner is connected. A task event reports the end. A subagent or the run of a job is stopped; a group chat is ended.",
		DefaultStatus: http.StatusAccepted,
	}, func(ctx context.Context, s chat.Session, in *TaskKey) (chat.Task, error) {
		return a.Killer.Kill(ctx, auth.User(ctx).ID, s.Key, in.ID)
	})
}
