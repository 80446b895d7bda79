package openai

import (
	"net/http"
)

// List answers requests for the models.
type List struct {
	Models   Models
	Refusals Refusals
}

type modelBody struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func bodyOf(m Model) modelBody { return modelBody{m.ID, "model", m.Created.Unix(), "xbot"} }

// All answers GET /v1/models.
func (l *List) All(w http.ResponseWriter, r *http.Request) {
	models, err := l.Models.Models(r.Context())
	if err != nil {
		Refuse(w, err, l.Refusals)
		return
	}
	out := struct {
		Object string      `json:"object"`
		Data   []modelBody `json:"data"`
	}{"list", []modelBody{}}
	for _, m := range models {
		out.Data = append(out.Data, bodyOf(m))
	}
	writeJSON(w, http.StatusOK, out)
}

// One answers GET /v1/models/{id}.
func (l *List) One(w http.ResponseWriter, r *http.Request) {
	models, err := l.Models.Models(r.Context())
	if err != nil {
		Refuse(w, err, l.Refusals)
		return
	}
	for _, m := range models {
		if m.ID == r.PathValue("id") {
			writeJSON(w, http.StatusOK, bodyOf(m))
			return
		}
	}
	Refuse(w, &Error{Status: http.StatusNotFound, Param: "model", Code: "model_not_found", Message: "there is no such model; GET /v1/models lists them"}, l.Refusals)
}
