package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/policy"
)

// narrow is a policy under which people may keep one megabyte.
type narrow struct{}

func (narrow) Get(context.Context) (*policy.Policy, error) {
	return &policy.Policy{Limits: policy.Limits{Person: policy.PersonLimits{Storage: 1}}}, nil
}

func TestRoom_WhoKeepsAsMuchAsTheyMayUploadsNothingMore(t *testing.T) {
	d := driveOf(t, setupUnder(t, narrow{}))
	d.upload(d.alice, sent{"file", "a.txt", "text"}).is(http.StatusCreated, nil)
	require.Contains(t, d.upload(d.alice, sent{"file", "b.bin", strings.Repeat("x", 1<<20+1)}).problem(http.StatusRequestEntityTooLarge), "limits.person.storage")

	picture := chat.Picture{PictureRef: chat.PictureRef{Hash: strings.Repeat("ab", 32), MediaType: "image/png", Width: 1, Height: 1}, Data: make([]byte, 1<<20-100)}
	require.NoError(t, d.store.Attachments.AddPicture(t.Context(), d.key, picture))
	require.Contains(t, d.upload(d.alice, sent{"file", "c.txt", "text"}).problem(http.StatusRequestEntityTooLarge), "make room")
	d.alice.delete(path(d.key, "")).is(http.StatusNoContent, nil)
	d.alice.session("agent:main:web:thread:next")
	d.key = "agent:main:web:thread:next"
	d.upload(d.alice, sent{"file", "c.txt", "text"}).is(http.StatusCreated, nil)
}

// little is a policy under which people have little.
type little struct{}

func (little) Get(context.Context) (*policy.Policy, error) {
	return &policy.Policy{Limits: policy.Limits{Person: policy.PersonLimits{Sessions: 1, Runners: 1, Tokens: 2}}}, nil
}

func TestRoom_WhoHasAsManyAsTheyMayIsToldWhatMakesRoom(t *testing.T) {
	b := setupUnder(t, little{})
	mine := b.bob.session("agent:main:web:thread:first")

	require.Contains(t, b.bob.post("/api/sessions", map[string]any{}).problem(http.StatusConflict), "give one up")
	b.bob.post("/api/sessions", map[string]any{"key": mine.Key}).is(http.StatusCreated, nil)
	b.alice.post("/api/sessions", map[string]any{}).is(http.StatusCreated, nil)

	b.bob.post("/api/tokens", map[string]any{"name": "second"}).is(http.StatusCreated, nil)
	require.Contains(t, b.bob.post("/api/tokens", map[string]any{"name": "third"}).problem(http.StatusConflict), "limits.person.tokens")
	b.bob.post("/api/runners", map[string]any{"name": "laptop"}).is(http.StatusCreated, nil)
	require.Contains(t, b.bob.post("/api/runners", map[string]any{"name": "second"}).problem(http.StatusConflict), "you have 1 runners")
}

func TestRoom_CopiesImportsAndCommandsAskForItToo(t *testing.T) {
	b := setupUnder(t, little{})
	key := b.alice.session("agent:main:web:thread:first").Key
	text := string(b.alice.get(path(key, "/export")).body)
	b.exchange(key, "t1", "hello")

	require.Contains(t, b.alice.post(path(key, "/fork"), map[string]any{}).problem(http.StatusConflict), "you have 1 sessions")
	require.Contains(t, b.alice.post("/api/sessions/import", text).problem(http.StatusConflict), "limits.person.sessions")
	said := func(id, command string) string {
		b.alice.say(key, id, command).is(http.StatusAccepted, nil)
		messages := b.alice.transcript(key).Messages
		return messages[len(messages)-1].Content
	}
	require.Contains(t, said("f1", "/fork"), "you have 1 sessions")
	require.Contains(t, said("r1", "/runner create laptop"), "laptop")
	require.Contains(t, said("r2", "/runner create second"), "you have 1 runners")

	var list sessionList
	b.alice.get("/api/sessions").is(http.StatusOK, &list)
	require.Len(t, list.Sessions, 1)
	b.bob.post("/api/sessions/import", text).is(http.StatusCreated, nil)
}
