package guestfs_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/guestfs"
	"xbot/internal/service"
)

// Users of the tests.
const (
	alice    chat.UserID = 1 // administrator
	consumer chat.UserID = 7
	shop     chat.UserID = 8 // the service's own
)

// house knows one conversation of a consumer, and the runners of its administrator.
type house struct {
	w       *world
	kept    string
	storage string // back end that has the files
	gone    bool
	active  string
	lost    map[string]bool // runners that are revoked
	away    bool
	sizes   map[bool]int64 // of the folders of the room, by whether it is what was sent
	full    int64          // what the rooms of the service may hold; 0: as much as they like
}

func (h *house) ServiceStorageHolds(_ context.Context, user chat.UserID, sent bool, bytes int64) error {
	if h.sizes[sent] = bytes; user != consumer || h.full > 0 && h.sizes[true]+h.sizes[false] >= h.full {
		return fault.Errorf(fault.TooLarge, "the service is full")
	}
	return nil
}

func (h *house) ServiceStorageGrows(_ context.Context, _ chat.UserID, sent bool, bytes int64) error {
	h.sizes[sent] += bytes
	return nil
}

func (h *house) ServiceStorage(_ context.Context, user chat.UserID) (service.FileSystem, bool, error) {
	switch {
	case user == shop || user == consumer && h.gone:
		return service.FileSystem{}, true, fault.Errorf(fault.Denied, "gone")
	case user != consumer:
		return service.FileSystem{}, false, nil
	}
	return service.FileSystem{
		Service: svc, Conversation: conv, Session: service.SessionKey(svc, conv), Admin: alice, Runner: h.kept, Storage: h.storage, Docs: h.w.conv.Docs, Scripts: h.w.conv.Scripts,
	}, true, nil
}

func (h *house) KeepServiceStorage(_ context.Context, _ chat.UserID, runner, leave string) (string, error) {
	if h.kept == leave {
		h.kept = runner
	}
	return h.kept, nil
}

func (h *house) KeepServiceBackend(_ context.Context, _ chat.UserID, storage string) (string, string, error) {
	if h.kept == "" && h.storage == "" {
		h.storage = storage
	}
	return h.storage, h.kept, nil
}

func (h *house) ServiceStorageLeft(context.Context, chat.UserID) (service.FileSystem, error) {
	if h.kept == "" && h.storage == "" {
		return service.FileSystem{}, fault.Errorf(fault.NotFound, "none")
	}
	return service.FileSystem{Service: svc, Conversation: conv, Admin: alice, Runner: h.kept, Storage: h.storage}, nil
}

func (h *house) ServiceStorageGone(context.Context, chat.UserID) error {
	h.kept, h.storage = "", ""
	return nil
}

func (h *house) Box(_ context.Context, user chat.UserID, runner string) (sandbox.Sandbox, error) {
	if user != alice {
		return nil, fault.Errorf(fault.Denied, "a consumer of a service has no machine")
	}
	if runner == "" {
		runner = h.active
	}
	if h.lost[runner] || runner == "" {
		return nil, fault.Errorf(fault.Denied, "there is no runner %s of alice", runner)
	}
	if h.away {
		return sandbox.NewRunner(runner, waits{}, sandbox.RunnerConfig{OfflineWait: 1}), nil
	}
	return sandbox.NewRunner(runner, h.w.link, sandbox.RunnerConfig{}), nil
}

func newHouse(t *testing.T) (*house, guestfs.Finder) {
	h := &house{w: newWorld(t), active: "laptop", lost: map[string]bool{}, sizes: map[bool]int64{}}
	return h, guestfs.Finder{Store: h, Sandboxes: h}
}

func TestFinder_EverybodyWhoWorksForAConsumerIsInItsRoom(t *testing.T) {
	h, f := newHouse(t)
	for _, key := range []chat.SessionKey{service.SessionKey(svc, conv), "agent:" + svc + ":subagent:1", "cron:job_00000001", "hook:x"} {
		box, ok, err := f.FileSystem(t.Context(), key, consumer)
		require.NoError(t, err, key)
		require.True(t, ok)
		require.Equal(t, guestfs.Name, box.Name())
		_, err = box.ReadFile(t.Context(), "/secret.txt", 0, 0)
		require.Equal(t, fault.NotFound, fault.KindOf(err))
		got, err := box.ReadFile(t.Context(), "/docs/open.md", 0, 0)
		require.NoError(t, err)
		require.Equal(t, "hello", string(got.Data))
	}
	require.Equal(t, "laptop", h.kept, "it is kept where they are")
}

func TestFinder_NobodyElseIsInIt(t *testing.T) {
	h, f := newHouse(t)
	_, ok, err := f.FileSystem(t.Context(), "agent:main:web:thread:1", alice)
	require.NoError(t, err)
	require.False(t, ok, "people have runners")
	for what, c := range map[string]struct {
		key  chat.SessionKey
		user chat.UserID
	}{
		"the session of a consumer with the user of somebody else": {service.SessionKey(svc, conv), alice},
		"the session of another consumer":                          {service.SessionKey(svc, "ffffffffff"), consumer},
		"the session of another service":                           {service.SessionKey("svc_ffffffff", conv), consumer},
		"the service itself":                                       {"agent:main:web:thread:1", shop},
	} {
		box, ok, err := f.FileSystem(t.Context(), c.key, c.user)
		require.True(t, ok, "%s: never a runner", what)
		require.Equal(t, fault.Denied, fault.KindOf(err), what)
		require.Nil(t, box)
	}
	h.gone = true
	_, ok, err = f.FileSystem(t.Context(), service.SessionKey(svc, conv), consumer)
	require.True(t, ok)
	require.Equal(t, fault.Denied, fault.KindOf(err))
}

func TestFinder_FilesStayOnTheRunnerWhereTheyBegan(t *testing.T) {
	h, f := newHouse(t)
	c := service.Conversation{ID: conv, Service: svc, User: consumer}
	_, err := f.OfConversation(t.Context(), c)
	require.NoError(t, err)
	h.active = "desk"
	_, _, err = f.FileSystem(t.Context(), service.SessionKey(svc, conv), consumer)
	require.NoError(t, err)
	require.Equal(t, "laptop", h.kept)
	h.lost["laptop"] = true
	_, err = f.OfConversation(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, "desk", h.kept, "that of before is not theirs any more")
	h.lost["desk"] = true
	_, err = f.OfConversation(t.Context(), c)
	require.Equal(t, fault.Denied, fault.KindOf(err))
	require.NotContains(t, err.Error(), "alice")
	require.NotContains(t, err.Error(), "desk")
	_, err = f.OfConversation(t.Context(), service.Conversation{ID: "ffffffffff", Service: svc, User: consumer})
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestFinder_RemovesTheFolderOfAConversationAndTheServicesWithTheLast(t *testing.T) {
	h, f := newHouse(t)
	h.kept, h.away = "laptop", true
	left, err := f.Remove(t.Context(), consumer)
	require.NoError(t, err)
	require.Equal(t, 1, left, "the runner is away")
	require.FileExists(t, h.w.path(own+"/generated/mine.txt"))

	h.away = false
	left, err = f.Remove(t.Context(), consumer)
	require.NoError(t, err)
	require.Zero(t, left)
	require.NoDirExists(t, h.w.path(own))
	require.FileExists(t, h.w.path("services/"+svc+"/conversations/ffffffffff/generated/other.txt"), "another's stays")
	left, err = f.Remove(t.Context(), consumer)
	require.NoError(t, err)
	require.Zero(t, left, "again it changes nothing")

	h.kept = "laptop"
	for _, name := range []string{"services/" + svc + "/conversations/ffffffffff", "services/" + svc + "/notes"} {
		require.NoError(t, os.RemoveAll(h.w.path(name)))
	}
	h.w.put(own+"/generated/again.txt", "x")
	left, err = f.Remove(t.Context(), consumer)
	require.NoError(t, err)
	require.Zero(t, left)
	require.NoDirExists(t, h.w.path("services/"+svc), "it was the last one")
	require.DirExists(t, h.w.path("services/svc_ffffffff"))
}

func TestFinder_RemovesNothingBehindALinkAndNothingOnARunnerThatIsLost(t *testing.T) {
	h, f := newHouse(t)
	h.kept = "laptop"
	require.NoError(t, os.RemoveAll(h.w.path("services")))
	h.w.put("private/"+svc+"/conversations/"+conv+"/a", canary)
	h.w.linkTo(h.w.path("private"), "services")
	left, err := f.Remove(t.Context(), consumer)
	require.NoError(t, err)
	require.Equal(t, 1, left)
	require.FileExists(t, filepath.Join(h.w.path("private"), svc, "conversations", conv, "a"))
	h.lost["laptop"] = true
	left, err = f.Remove(t.Context(), consumer)
	require.NoError(t, err)
	require.Zero(t, left)
}

func TestFinder_WhatEachRoomHoldsIsCountedWithTheOthersOfItsService(t *testing.T) {
	h, f := newHouse(t)
	agent, _, err := f.FileSystem(t.Context(), service.SessionKey(svc, conv), consumer)
	require.NoError(t, err)
	outside, err := f.OfConversation(t.Context(), service.Conversation{Service: svc, ID: conv, User: consumer})
	require.NoError(t, err)
	before, err := sandbox.Below(t.Context(), h.w.box, own+"/generated", 100)
	require.NoError(t, err)
	had := int64(0)
	for _, file := range before {
		had += file.Size
	}
	require.NoError(t, agent.WriteFile(t.Context(), "/generated/a.txt", []byte("12345"), sandbox.WriteCreate))
	require.NoError(t, outside.WriteFile(t.Context(), "/attachments/b.txt", []byte("123"), sandbox.WriteCreate))
	require.Equal(t, had+5, h.sizes[false], "also what was written last")
	h.full = had + h.sizes[true] + 5
	for path, box := range map[string]sandbox.Sandbox{"/generated/c.txt": agent, "/attachments/c.txt": outside} {
		require.Equal(t, fault.TooLarge, fault.KindOf(box.WriteFile(t.Context(), path, []byte("1"), sandbox.WriteCreate)), path)
	}
	require.NoError(t, agent.Remove(t.Context(), "/generated/a.txt"))
	require.Equal(t, had, h.sizes[false], "what is removed makes room, for others too")
	require.NoError(t, outside.WriteFile(t.Context(), "/attachments/c.txt", []byte("1"), sandbox.WriteCreate))
}
