package platform_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/channeltest"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/bridge"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/extension/plugin/platform"
	"xbot/internal/extension/plugin/pluginstore"
)

// TestConformance holds the reference plugin, a process of its own, to what every adapter promises.
func TestConformance(t *testing.T) {
	channeltest.Run(t, channeltest.Platform{
		Channel: "pets-street",
		Start:   func(t testing.TB) channeltest.Emulator { return newTown(t) },
		Lacks: map[channeltest.Ability]string{
			channeltest.Quotes: "a plugin says which message is answered, and not its text",
			channeltest.Names:  "a plugin says who writes, and not who else is mentioned",
			channeltest.Reach:  "an account is spoken for by the process that holds it alone",
		},
	})
}

// town drives a street as the suite wants it.
type town struct {
	*street

	hub *platform.Hub
}

func newTown(t testing.TB) *town {
	s := newStreet()
	t.Cleanup(func() { s.Disconnect(); s.Close() })
	r := &guideRows{rows{files: plugin.Tree{"run": {Data: []byte("x"), Exec: true}, plugin.ManifestName: {Data: []byte(guideManifest)}}}}
	known := &installed.Plugins{Rows: r}
	hub := &platform.Hub{Installed: known}
	b := bridge.New(bridge.Config{Plugins: known, Rows: r, Box: box{}, Home: t.TempDir(), Peer: hub})
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	hub.Connect(b)
	return &town{street: s, hub: hub}
}

const guideManifest = `{"id": "pets", "name": "Pets", "version": "1", "runtime": "stdio", "command": ["run"], "permissions": ["channel", "network"], "timeout": 10, "contributes": {"channels": [{
	"name": "pets-street", "label": "Street", "ids": {"person": "[12]", "group": "g1", "example": "1"},
	"options": [{"name": "url", "label": "URL", "required": true}, {"name": "token", "label": "Token", "secret": true, "required": true}],
	"abilities": {"text": 1000, "file": 1000000, "delete": true, "typing": true, "react": true, "idempotent": true}}]}}`

// guideRows have the reference plugin.
type guideRows struct{ rows }

func (r *guideRows) Plugins(context.Context) ([]pluginstore.Plugin, error) {
	return []pluginstore.Plugin{{
		ID: "pets", Version: "1", Digest: r.files.Digest(), Permissions: []string{"channel", "network"}, Enabled: true, Revision: 1, Installation: 1, Manifest: []byte(guideManifest),
	}}, nil
}

func (w *town) open(t testing.TB, token string) channel.Account {
	drivers, err := w.hub.Drivers(t.Context())
	require.NoError(t, err)
	require.Len(t, drivers, 1)
	a, err := drivers[0].Open(channeltest.Account, map[string]string{"url": w.URL, "token": token}, channel.Resources{})
	require.NoError(t, err)
	return a
}

func (w *town) Open(t testing.TB) channel.Account      { return w.open(t, w.token) }
func (w *town) OpenWrong(t testing.TB) channel.Account { return w.open(t, "wrong-secret") }

// Typed implements channeltest.Typed.
func (w *town) Typed(string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.typed
}

// Write implements channeltest.Emulator.
func (s *street) Write(in channeltest.Written) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	e := &event{
		Kind: "message", Number: s.count, ID: fmt.Sprintf("m%d", s.count), Who: fmt.Sprint(in.Who + 1), Name: []string{"Ann", "Bob"}[in.Who], Text: in.Text, Meant: in.Mention,
		At: time.Now().UnixMicro(),
	}
	switch in.Where {
	case channeltest.Group:
		e.Group = "g1"
	case channeltest.Thread:
		e.Group, e.Thread = "g1", "t1"
	}
	for i, f := range in.Files {
		key := fmt.Sprintf("%s-%d", e.ID, i)
		s.files[key] = f.Data
		e.Files = append(e.Files, kept{Kind: f.Kind, Key: key, Name: f.Name, Size: int64(len(f.Data))})
	}
	s.events = append(s.events, e)
	s.push(e)
	return e.ID
}

// find is the message with an id. The caller holds mu.
func (s *street) find(id string) *event {
	return s.events[slices.IndexFunc(s.events, func(e *event) bool { return e.ID == id && e.Kind == "message" })]
}

// Again implements channeltest.Emulator.
func (s *street) Again(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(s.find(id))
}

// change tells something new about a message.
func (s *street) change(id, kind, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	e := *s.find(id)
	e.Kind, e.Number, e.Text, e.done = kind, s.count, text, false
	s.events = append(s.events, &e)
	s.push(&e)
}

func (s *street) Correct(id, text string) { s.change(id, "edit", text) }
func (s *street) Recall(id string)        { s.change(id, "recall", "") }

// Hold implements channeltest.Emulator.
func (s *street) Hold() { s.mu.Lock(); defer s.mu.Unlock(); s.holding = true }

// Release implements channeltest.Emulator.
func (s *street) Release(reverse bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.held
	s.holding, s.held = false, nil
	if reverse {
		slices.Reverse(held)
	}
	for _, e := range held {
		s.push(e)
	}
}

// Acked implements channeltest.Emulator.
func (s *street) Acked(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(id).done
}

// Disconnect implements channeltest.Emulator.
func (s *street) Disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.readers {
		r.once.Do(func() { close(r.cut) })
		delete(s.readers, r)
	}
}

// Connected implements channeltest.Emulator.
func (s *street) Connected() int { s.mu.Lock(); defer s.mu.Unlock(); return len(s.readers) }

// Garbage implements channeltest.Emulator.
func (s *street) Garbage() {
	for _, line := range []string{
		"", "{", "[]", "null", `"text"`, `{"kind": "earthquake"}`, `{"kind": "message"}`, `{"kind": "message", "id": "x", "who": "robot", "text": "hello"}`,
		`{"kind": "message", "id": "x", "who": "1", "group": "elsewhere", "text": "hello"}`, `{"kind": "message", "id": "x\n", "who": "1", "text": "hello"}`,
		`{"kind": "message", "id": "x", "who": "1", "text": "` + strings.Repeat("y", 2<<20) + `"}`, `{"kind": "recall", "id": "", "who": "1"}`, "\x00\xff",
	} {
		s.raw(line)
	}
}

// Befall implements channeltest.Emulator.
func (s *street) Befall(t channeltest.Trouble) { s.mu.Lock(); defer s.mu.Unlock(); s.trouble = t }

// Shown implements channeltest.Emulator.
func (s *street) Shown(in channeltest.Where) (out []channeltest.Shown) {
	at := map[channeltest.Where]string{channeltest.Direct: "person 1", channeltest.Group: "group g1 ", channeltest.Thread: "group g1 t1"}[in]
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.shown {
		if m.Place != at {
			continue
		}
		shown := channeltest.Shown{ID: m.id, Text: m.Text, ReplyTo: m.Reply}
		if m.File != nil {
			kind, _, _ := strings.Cut(m.File.Type, "/")
			shown.Files = []channeltest.File{{Kind: kind, Name: m.File.Name, Data: m.File.Data}}
		}
		out = append(out, shown)
	}
	return out
}

// Broken implements channeltest.Emulator.
func (s *street) Broken() []string { s.mu.Lock(); defer s.mu.Unlock(); return slices.Clone(s.broken) }

func (s *street) Reactions(id string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.reacted[id])
}

func (s *street) Emoji() string { return "heart" }
