package apitest

import (
	"net/http"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// names are what can be chosen by name.
type names struct {
	models  []apiclient.Model
	runners []chat.Runner
}

// Knows sets the models and runners that can be chosen; until then there are none.
func (s *Server) Knows(models []apiclient.Model, runners []chat.Runner) {
	s.names.Store(&names{models, runners})
}

func (s *Server) known() names {
	if known := s.names.Load(); known != nil {
		return *known
	}
	return names{}
}

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"models": s.known().models})
}

func (s *Server) listRunners(w http.ResponseWriter, _ *http.Request) {
	all := chat.Runners{Runners: s.known().runners}
	for _, r := range all.Runners {
		if r.Active {
			all.Effective = r.Name
		}
	}
	answer(w, http.StatusOK, all)
}
