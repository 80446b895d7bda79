package apitest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// sharing are the links to sessions.
type sharing struct {
	links map[chat.SessionKey][]apiclient.ShareLink
	last  int64
	at    string
}

// PublicURL sets the public address of the server, which links contain; empty: they contain none.
func (s *Server) PublicURL(at string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sharing.at = at
}

// Links returns those to a session, the newest first.
func (s *Server) Links(key chat.SessionKey) []apiclient.ShareLink {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sharing.links[key])
}

func (s *Server) createShare(w http.ResponseWriter, r *http.Request, session *session) {
	var in struct {
		Days int `json:"expires_in"`
	}
	if !read(w, r, &in) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sharing.last++
	link := apiclient.ShareLink{ID: s.sharing.last, MadeAt: time.Now(), ExpiresAt: time.Now().AddDate(0, 0, in.Days)}
	if s.sharing.links == nil {
		s.sharing.links = map[chat.SessionKey][]apiclient.ShareLink{}
	}
	s.sharing.links[session.about.Key] = append([]apiclient.ShareLink{link}, s.sharing.links[session.about.Key]...)
	made := apiclient.NewShareLink{ID: link.ID, MadeAt: link.MadeAt, ExpiresAt: link.ExpiresAt, Link: fmt.Sprintf("/shared/token-%d", link.ID)}
	if s.sharing.at != "" {
		made.URL = s.sharing.at + made.Link
	}
	answer(w, http.StatusCreated, made)
}

func (s *Server) listShares(w http.ResponseWriter, _ *http.Request, session *session) {
	answer(w, http.StatusOK, map[string]any{"shares": s.Links(session.about.Key)})
}

func (s *Server) revokeShare(w http.ResponseWriter, r *http.Request, session *session) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	s.mu.Lock()
	defer s.mu.Unlock()
	links := s.sharing.links[session.about.Key]
	left := slices.DeleteFunc(slices.Clone(links), func(l apiclient.ShareLink) bool { return l.ID == id })
	if err != nil || len(left) == len(links) {
		problem(w, http.StatusNotFound, "There is no such link.")
		return
	}
	s.sharing.links[session.about.Key] = left
	w.WriteHeader(http.StatusNoContent)
}
