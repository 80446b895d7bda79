package sessions

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
)

// maxTodoLists bounds the lists of one answer.
const maxTodoLists = 50

// TodosBody has todo lists.
type TodosBody struct {
	Lists []chat.TodoList `json:"lists" doc:"The newest list first; at most 50."`
}

func (a *Endpoints) registerTodos(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-todos", Method: http.MethodGet, Path: "/api/todos", Summary: "List the open to-do items of my conversations",
		Description: "Omits completed items and lists without open items. The whole list of a conversation is part of its messages.", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body TodosBody }, error) {
		lists, err := a.Search.TodosOf(ctx, auth.User(ctx).ID, maxTodoLists)
		return &struct{ Body TodosBody }{TodosBody{Lists: append([]chat.TodoList{}, lists...)}}, a.Problem(err)
	})
}
