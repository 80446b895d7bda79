package consumer

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/fault"
)

func (a *API) complete(w http.ResponseWriter, r *http.Request) {
	a.refuse(w, r, fault.Errorf(fault.NotFound, "later"))
}

func (a *API) refuseCompletion(w http.ResponseWriter, err error) {
	p := a.problem(err)
	w.WriteHeader(p.Status)
}

func describeCompletions(huma.API) {}
