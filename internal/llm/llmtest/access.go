package llmtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// RequireKey makes the server refuse requests without a key, as a bearer token or as x-api-key. "": it takes any.
func (s *Server) RequireKey(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = key
}

// SetModels sets which models there are. Requests for others are refused; without ids every model is there.
func (s *Server) SetModels(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = slices.Clone(ids)
}

// barred answers a request with a wrong key, or for a model that is not there, in the words of its dialect.
func (s *Server) barred(req Request) (Reply, bool) {
	if no, refused := s.locked(req.Header); refused {
		return no, true
	}
	s.mu.Lock()
	missing := len(s.models) > 0 && !slices.Contains(s.models, req.Model)
	s.mu.Unlock()
	if !missing {
		return Reply{}, false
	}
	said := fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", req.Model)
	if req.Dialect == Anthropic {
		said = "model: " + req.Model
	}
	return Reply{Status: http.StatusNotFound, Error: said}, true
}

// locked answers a request without the key that is required. It repeats the key that came, as some providers do.
func (s *Server) locked(header http.Header) (Reply, bool) {
	s.mu.Lock()
	key := s.key
	s.mu.Unlock()
	came := header.Get("X-Api-Key")
	if bearer, found := strings.CutPrefix(header.Get("Authorization"), "Bearer "); found {
		came = bearer
	}
	if key == "" || came == key {
		return Reply{}, false
	}
	return Reply{Status: http.StatusUnauthorized, Error: "Incorrect API key provided: " + came}, true
}

// listModels lists the models, as Anthropic does for its clients and as OpenAI does for others.
func (s *Server) listModels(w http.ResponseWriter, r *http.Request) {
	anthropic := r.Header.Get("Anthropic-Version") != ""
	if no, refused := s.locked(r.Header); refused {
		body := openAIError(no)
		if anthropic {
			body = anthropicError(no)
		}
		writeJSON(w, no.Status, body)
		return
	}
	s.mu.Lock()
	ids := slices.Clone(s.models)
	s.mu.Unlock()
	if len(ids) == 0 {
		ids = []string{"llmtest"}
	}
	list := []object{}
	for _, id := range ids {
		if anthropic {
			list = append(list, object{"type": "model", "id": id, "display_name": id, "created_at": "2026-01-01T00:00:00Z"})
		} else {
			list = append(list, object{"id": id, "object": "model", "created": 0, "owned_by": "llmtest"})
		}
	}
	if anthropic {
		writeJSON(w, http.StatusOK, object{"data": list, "has_more": false, "first_id": ids[0], "last_id": ids[len(ids)-1]})
		return
	}
	writeJSON(w, http.StatusOK, object{"object": "list", "data": list})
}
