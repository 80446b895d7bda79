package consumer_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/guestfs"
	"xbot/internal/service"
	"xbot/internal/storage"
	"xbot/internal/storage/disk"
	"xbot/internal/storage/s3"
	"xbot/internal/storage/storagetest"
	"xbot/internal/storage/sweeper"
	"xbot/internal/tool/tooltest"
)

// places is an installation with a runner, a folder and a bucket.
type places struct {
	*bundle
	finder    guestfs.Finder
	bucket    *storagetest.Server
	workspace string
	away      bool // the runner
	gone      bool // the administrator has no runner
}

// Box is the runner of the administrator.
func (p *places) Box(ctx context.Context, user chat.UserID, runner string) (sandbox.Sandbox, error) {
	switch {
	case p.gone:
		return nil, fault.Errorf(fault.Denied, "there is no runner for this user: connect one")
	case p.away:
		return sandbox.None{Why: &sandbox.OfflineError{Runner: "laptop"}}, nil
	}
	return p.finder.Sandboxes.(only).Box(ctx, user, runner)
}

func (b *bundle) inPlaces() *places {
	b.T.Helper()
	box := tooltest.New(b.T)
	p := &places{bundle: b, bucket: storagetest.NewServer(b.T), workspace: box.Workspace()}
	bucket, err := s3.New(p.bucket.Config())
	require.NoError(b.T, err)
	folder, err := disk.Open(b.T.TempDir())
	require.NoError(b.T, err)
	b.T.Cleanup(func() { _ = folder.Close() })
	p.finder = guestfs.Finder{
		Store: b.Store.Services, Sandboxes: only{box, b.User.ID},
		Objects: guestfs.Objects{Backends: storage.Backends{storage.S3: bucket, storage.Disk: folder}, Edits: b.Store.Storage},
	}
	b.api.Files = p.finder
	return p
}

func (p *places) mover() guestfs.Mover {
	f := p.finder
	f.Sandboxes = p
	return guestfs.Mover{Finder: f, Moves: p.Store.Services}
}

// fill gives a conversation files.
func (p *places) fill(c service.Conversation) {
	p.T.Helper()
	box := p.agent(p.finder, c)
	for name, text := range files {
		require.NoError(p.T, box.WriteFile(p.T.Context(), "/generated/"+name, []byte(text), sandbox.WriteReplace))
	}
	theirs, err := p.finder.OfConversation(p.T.Context(), c)
	require.NoError(p.T, err)
	require.NoError(p.T, theirs.WriteFile(p.T.Context(), "/attachments/in/sent.txt", []byte("sent"), sandbox.WriteReplace))
}

var files = map[string]string{"a.txt": "one", "deep/er/b ü.txt": "two", "empty": "", "large": strings.Repeat("0123456789", 1<<20)}

// has checks that a conversation has its files.
func (p *places) has(c service.Conversation) {
	p.T.Helper()
	box := p.agent(p.finder, c)
	found, err := box.Glob(p.T.Context(), sandbox.GlobQuery{Pattern: "**", Limit: 100})
	require.NoError(p.T, err)
	require.Len(p.T, found.Paths, len(files)+1)
	for name, text := range files {
		got, err := box.ReadFile(p.T.Context(), "/generated/"+name, 0, 0)
		require.NoError(p.T, err, name)
		require.Equal(p.T, text, string(got.Data), name)
	}
	got, err := box.ReadFile(p.T.Context(), "/attachments/in/sent.txt", 0, 0)
	require.NoError(p.T, err)
	require.Equal(p.T, "sent", string(got.Data))
}

// later lets the time pass that moves, deletions and retries wait for.
func (p *places) later() {
	p.T.Helper()
	for _, change := range []string{"UPDATE service_rooms SET move_at = move_at - interval '1 hour'", "UPDATE storage_deletions SET due_at = now() - interval '1 minute'"} {
		_, err := p.Pool.Exec(p.T.Context(), change)
		require.NoError(p.T, err)
	}
}

func (p *places) step(target string) service.MoveProgress {
	p.T.Helper()
	out, err := p.mover().Step(p.T.Context(), target)
	require.NoError(p.T, err)
	return out
}

// moves makes steps until all files are at the target.
func (p *places) moves(target string) {
	p.T.Helper()
	for range 10 {
		if out := p.step(target); out.Left == 0 && out.Leftovers == 0 {
			return
		}
		p.later()
		sweep := p.sweeper()
		require.NoError(p.T, sweep.Delete(p.T.Context()))
		p.later()
		require.NoError(p.T, sweep.Delete(p.T.Context()))
	}
	require.Fail(p.T, "the migration does not end")
}

func (p *places) sweeper() *sweeper.Sweeper {
	return &sweeper.Sweeper{Rows: p.Store.Storage, Storages: p.finder.Objects.Backends, Log: slog.New(slog.DiscardHandler)}
}

func (p *places) objects(backend string) int {
	p.T.Helper()
	all, err := storage.All(p.T.Context(), p.finder.Objects.Backends[backend], "", 100)
	require.NoError(p.T, err)
	return len(all)
}

func TestMove_FilesGoFromEachPlaceToEachOther(t *testing.T) {
	p := setup(t).inPlaces()
	c, other := p.conversation(), p.conversation()
	p.fill(c)
	p.fill(other)
	folder := filepath.Join(p.workspace, "services", c.Service)
	for _, target := range []string{storage.S3, storage.Disk, storage.Local, storage.Disk, storage.S3, storage.Local, storage.S3} {
		p.moves(target)
		p.has(c)
		p.has(other)
		_, err := os.Stat(folder)
		require.Equal(t, target == storage.Local, err == nil, "only the target has them: %s", target)
	}
	require.Equal(t, 10, p.objects(storage.S3))
	require.Zero(t, p.objects(storage.Disk))
}

func TestMove_AConversationIsOnlyReadUntilItIsMoved(t *testing.T) {
	p := setup(t).inPlaces()
	c := p.conversation()
	p.fill(c)
	out := p.step(storage.S3)
	require.Equal(t, 1, out.Left, "writes that began before have their time")
	p.has(c)
	for what, err := range map[string]error{
		"write": p.agent(p.finder, c).WriteFile(t.Context(), "/generated/new", nil, sandbox.WriteCreate), "remove": p.agent(p.finder, c).Remove(t.Context(), "/generated/a.txt"),
		"move": p.agent(p.finder, c).Move(t.Context(), "/generated/a.txt", "/generated/b"),
	} {
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "%s: %v", what, err)
	}
	require.Equal(t, "unavailable", p.upload(p.key, c, [2]string{"a", "b"}).problem(http.StatusServiceUnavailable))
	require.NoError(t, p.mover().Stop(t.Context()))
	require.NoError(t, p.agent(p.finder, c).WriteFile(t.Context(), "/generated/a.txt", []byte("one"), sandbox.WriteReplace))
	p.moves(storage.S3)
	p.has(c)
	require.NoError(t, p.agent(p.finder, c).WriteFile(t.Context(), "/generated/a.txt", []byte("new"), sandbox.WriteReplace))
}

func TestMove_AnAttemptThatWasKilledIsContinued(t *testing.T) {
	p := setup(t).inPlaces()
	c := p.conversation()
	p.fill(c)
	p.step(storage.S3)
	p.later()
	ctx, cancel := context.WithCancel(t.Context())
	m := p.mover()
	m.Objects.Backends = storage.Backends{storage.S3: &crashingStore{Store: m.Objects.Backends[storage.S3], left: 2, die: cancel}}
	_, err := m.Step(ctx, storage.S3)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 2, p.objects(storage.S3), "it was in the middle")
	p.has(c)
	key := p.finder.Objects.Backends[storage.S3]
	_, err = key.Put(t.Context(), fmt.Sprintf("%d/svc/%s/%s/gen/stale", p.User.ID, c.Service, c.ID), storage.Bytes([]byte("x")), storage.Condition{})
	require.NoError(t, err)
	p.moves(storage.S3)
	p.has(c)
	require.Equal(t, 5, p.objects(storage.S3))
}

// crashingStore fails like a process that is killed after some writes.
type crashingStore struct {
	storage.Store
	left int
	die  func()
}

func (d *crashingStore) Put(ctx context.Context, key string, c storage.Content, when storage.Condition) (storage.Object, error) {
	if d.left == 0 {
		d.die()
		return storage.Object{}, context.Canceled
	}
	d.left--
	return d.Store.Put(ctx, key, c, when)
}

func TestMove_WhatCannotBeMovedStaysAndIsWritten(t *testing.T) {
	p := setup(t).inPlaces()
	c := p.conversation()
	p.fill(c)
	for name, harm := range map[string]func(){"bucket": p.bucket.Kill, "runner": func() { p.away = true }} {
		p.step(storage.S3)
		p.later()
		harm()
		out := p.step(storage.S3)
		require.Equal(t, 1, out.Left, name)
		require.Equal(t, 1, out.Failed, name)
		require.NotEmpty(t, out.Problem)
		p.has(c)
		require.NoError(t, p.agent(p.finder, c).WriteFile(t.Context(), "/generated/a.txt", []byte("one"), sandbox.WriteReplace), "it is tried later, and not held up")
		if p.away {
			p.away = false
		} else {
			p.bucket.Start()
		}
		p.later()
	}
	p.moves(storage.S3)
	p.has(c)
	p.gone = true
	p.step(storage.Local)
	p.later()
	require.Equal(t, 1, p.step(storage.Local).Failed, "there is no runner to move to")
	p.has(c)
	_, err := p.mover().Step(t.Context(), "elsewhere")
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

func TestMove_CopiesOfAMoveThatWasEndedGoWithTheConversation(t *testing.T) {
	p := setup(t).inPlaces()
	c := p.conversation()
	p.fill(c)
	p.step(storage.S3)
	p.later()
	ctx, cancel := context.WithCancel(t.Context())
	m := p.mover()
	m.Objects.Backends = storage.Backends{storage.S3: &crashingStore{Store: m.Objects.Backends[storage.S3], left: 2, die: cancel}}
	_, err := m.Step(ctx, storage.S3)
	require.Error(t, err)
	require.NoError(t, p.mover().Stop(t.Context()))
	p.do(p.key, http.MethodDelete, at(c, ""), nil)
	left, err := p.finder.Remove(t.Context(), c.User)
	require.NoError(t, err)
	require.Zero(t, left)
	require.NoError(t, p.sweeper().Delete(t.Context()))
	require.Zero(t, p.objects(storage.S3))
	_, err = os.Stat(filepath.Join(p.workspace, "services", c.Service))
	require.ErrorIs(t, err, os.ErrNotExist)
}
