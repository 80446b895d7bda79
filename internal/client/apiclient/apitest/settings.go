package apitest

import (
	"net/http"
	"slices"

	"xbot/internal/client/apiclient"
)

// Prefers gives the user these settings, which are changed over HTTP.
func (s *Server) Prefers(settings ...apiclient.Setting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = settings
}

func (s *Server) listPreferences(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer(w, http.StatusOK, apiclient.PreferencesBody{Settings: slices.Clone(s.settings)})
}

func (s *Server) setPreference(w http.ResponseWriter, r *http.Request) {
	var in struct{ Value string }
	if !read(w, r, &in) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, known := range s.settings {
		for _, o := range known.Options {
			if known.Name == r.PathValue("name") && o.Value == in.Value {
				s.settings[i].Value, s.settings[i].Shown = o.Value, o.Title
				answer(w, http.StatusOK, s.settings[i])
				return
			}
		}
	}
	problem(w, http.StatusBadRequest, "It cannot be that.")
}
