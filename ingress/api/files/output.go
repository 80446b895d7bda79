package files

import (
	"context"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/api/sessions"
	"xbot/ingress/auth"
	"xbot/ingress/download"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

func (a *Endpoints) registerOutputs(h huma.API) {
	endpoint.InSessionStream(a.Base, h, huma.Operation{
		OperationID: "task-output", Method: http.MethodGet, Path: "/api/sessions/{key}/tasks/{id}/output", Summary: "Get the whole output of a background task so far",
		Description: "Reads the output from the task's runner, which keeps it for seven days after the end.",
		Security:    endpoint.Secured, Responses: endpoint.AttachmentResponse("text/plain"),
	}, func(ctx context.Context, s chat.Session, in *sessions.TaskKey) (*huma.StreamResponse, error) {
		task, err := a.Calls.FindTask(ctx, s.Key, in.ID)
		if err != nil {
			return nil, err
		}
		box, err := sandbox.Reach(ctx, a.Sandboxes, auth.User(ctx).ID, task.Runner)
		if err != nil {
			return nil, err
		}
		attachment := download.Output(box, task.Call, task.ID+".txt")
		return a.streamOr(attachment, func(w http.ResponseWriter, err error) error {
			if fault.Is(err, fault.NotFound) {
				return writeStoredOutput(w, task)
			}
			return err
		}), nil
	})
}

// writeStoredOutput answers with the output in the task's own row, where that is all of it.
func writeStoredOutput(w http.ResponseWriter, task chat.Task) error {
	if task.EndedAt == nil || task.Total > chat.MaxTaskOutput || task.State == chat.TaskLost {
		return fault.Errorf(fault.NotFound, "runner %s does not keep the output of %s any more; the task itself has its head and tail", task.Runner, task.ID)
	}
	download.SetHeader(w, task.ID+".txt", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, task.Output) // the client is gone if this fails
	return nil
}
