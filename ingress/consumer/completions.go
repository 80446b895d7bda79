package consumer

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/fault"
)

func (a *API) complete(w http.ResponseWriter, r *http.Request) {
	a.refuse(w, r, a.counted(r.Context(), visitOf(r.Context()), fault.Errorf(fault.NotFound, "there is no %s of this path; see %s", r.Method, documentPath)))
}

func (a *API) refuseCompletion(w http.ResponseWriter, err error) { a.write(w, a.problem(err)) }

func describeCompletions(huma.API) {}
