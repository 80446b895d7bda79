package apitest

import (
	"net/http"
	"os"
	"path"
	"slices"
	"strings"

	"xbot/internal/client/apiclient"
)

// Shares makes the runner have the files of the test's machine.
func (s *Server) Shares() { s.shares.Store(true) }

// Show makes a picture that messages can name by its hash.
func (s *Server) Show(hash string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pictures[hash] = content
}

func (s *Server) readPicture(w http.ResponseWriter, r *http.Request, _ *session) {
	s.mu.Lock()
	content, known := s.pictures[r.PathValue("hash")]
	s.mu.Unlock()
	if !known {
		problem(w, http.StatusNotFound, "There is no such picture.")
		return
	}
	// A client that has gone away has no use for the rest.
	_, _ = w.Write(content)
}

func (s *Server) listFiles(w http.ResponseWriter, r *http.Request, _ *session) {
	folder := r.URL.Query().Get("path")
	list := apiclient.Folder{Path: folder, Entries: []apiclient.FileEntry{}}
	entries, err := os.ReadDir(folder)
	if err != nil || !s.shares.Load() {
		problem(w, http.StatusNotFound, "There is no such folder.")
		return
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil {
			list.Entries = append(list.Entries, apiclient.FileEntry{Name: entry.Name(), Path: path.Join(folder, entry.Name()), Size: info.Size(), Dir: entry.IsDir(), ModTime: info.ModTime()})
		}
	}
	answer(w, http.StatusOK, list)
}

// searchFiles finds what was put below the folder /proj.
func (s *Server) searchFiles(w http.ResponseWriter, r *http.Request, _ *session) {
	found := apiclient.FoundFiles{Folder: "/proj", Paths: []string{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.files {
		below, ok := strings.CutPrefix(name, "/proj/")
		if ok && strings.Contains(strings.ToLower(below), strings.ToLower(r.URL.Query().Get("q"))) {
			found.Paths = append(found.Paths, below)
		}
	}
	slices.Sort(found.Paths)
	answer(w, http.StatusOK, found)
}
