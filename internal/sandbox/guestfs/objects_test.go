package guestfs_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/guestfs"
	"xbot/internal/sandbox/objectfs"
	"xbot/internal/service"
	"xbot/internal/storage"
	"xbot/internal/storage/disk"
	"xbot/internal/storage/s3"
	"xbot/internal/storage/storagestore"
	"xbot/internal/storage/storagetest"
)

// noEdits records no edits: these tests make none under the id of a call.
type noEdits struct{}

func (noEdits) Edit(context.Context, chat.UserID, chat.CallID) (storagestore.Edit, bool, error) {
	return storagestore.Edit{}, false, nil
}
func (noEdits) BeginEdit(context.Context, storagestore.Edit) error      { return nil }
func (noEdits) EndEdit(context.Context, chat.UserID, chat.CallID) error { return nil }

// newBucket is newHouse with object storage for new conversations.
func newBucket(t *testing.T) (*house, guestfs.Finder, storage.Store) {
	h, f := newHouse(t)
	store, err := disk.Open(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	f.Objects = guestfs.Objects{Backends: storage.Backends{storage.Disk: store}, New: storage.Disk, Edits: noEdits{}}
	return h, f, store
}

var conversation = service.Conversation{Service: svc, ID: conv, User: consumer}

func TestObjects_HaveWhatANewConversationMakesAndSends(t *testing.T) {
	h, f, store := newBucket(t)
	ctx := t.Context()
	theirs, err := f.OfConversation(ctx, conversation)
	require.NoError(t, err)
	require.NoError(t, theirs.WriteFile(ctx, "/attachments/in.txt", []byte("sent"), sandbox.WriteCreate))
	require.Equal(t, fault.Denied, fault.KindOf(theirs.WriteFile(ctx, "/generated/x", nil, sandbox.WriteCreate)))
	agent, ok, err := f.FileSystem(ctx, service.SessionKey(svc, conv), consumer)
	require.NoError(t, err)
	require.True(t, ok)
	got, err := agent.ReadFile(ctx, "/attachments/in.txt", 0, 0)
	require.NoError(t, err)
	require.Equal(t, "sent", string(got.Data))
	require.NoError(t, agent.WriteFile(ctx, "/generated/a/out.txt", []byte("made here"), sandbox.WriteCreate))
	require.Equal(t, fault.Denied, fault.KindOf(agent.WriteFile(ctx, "/attachments/x", nil, sandbox.WriteCreate)))
	docs, err := agent.ReadFile(ctx, "/docs/open.md", 0, 0)
	require.NoError(t, err, "documents stay on the runner")
	require.Equal(t, "hello", string(docs.Data))
	found, err := agent.Glob(ctx, sandbox.GlobQuery{Pattern: "**"})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"/generated/a/out.txt", "/attachments/in.txt", "/docs/open.md", "/docs/faq/a.md", "/docs/faq/deep/b.md", "/scripts/run.py"}, found.Paths)
	lines, err := agent.Grep(ctx, sandbox.GrepQuery{Pattern: "made|hello"})
	require.NoError(t, err)
	require.Len(t, lines.Matches, 2)
	root, err := agent.ReadDir(ctx, "/")
	require.NoError(t, err)
	require.Equal(t, []string{"/generated", "/attachments", "/docs", "/scripts"}, names(root))
	all, err := storage.All(ctx, store, "1/svc/"+svc+"/"+conv+"/", 10)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "disk", h.storage)
	require.Empty(t, h.kept, "no runner has them")
	require.EqualValues(t, 4, h.sizes[true])
	require.EqualValues(t, 9, h.sizes[false])
}

func TestObjects_DoNotNeedARunner(t *testing.T) {
	h, f, _ := newBucket(t)
	h.active = ""
	ctx := t.Context()
	agent, ok, err := f.FileSystem(ctx, service.SessionKey(svc, conv), consumer)
	require.NoError(t, err)
	require.True(t, ok)
	require.NoError(t, agent.WriteFile(ctx, "/generated/f", []byte("x"), sandbox.WriteCreate))
	found, err := agent.Glob(ctx, sandbox.GlobQuery{Pattern: "**"})
	require.NoError(t, err)
	require.Equal(t, []string{"/generated/f"}, found.Paths)
	_, err = agent.ReadFile(ctx, "/docs/open.md", 0, 0)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestObjects_AConversationStaysWhereItsFilesAre(t *testing.T) {
	h, f, _ := newBucket(t)
	h.kept = "laptop"
	box, err := f.OfConversation(t.Context(), conversation)
	require.NoError(t, err)
	got, err := box.ReadFile(t.Context(), "/generated/mine.txt", 0, 0)
	require.NoError(t, err)
	require.Equal(t, "mine", string(got.Data), "from the runner, though new conversations use storage")

	h, f, _ = newBucket(t)
	box, err = f.OfConversation(t.Context(), conversation)
	require.NoError(t, err)
	require.NoError(t, box.WriteFile(t.Context(), "/attachments/f", []byte("x"), sandbox.WriteCreate))
	f.Objects.New = ""
	box, err = f.OfConversation(t.Context(), conversation)
	require.NoError(t, err)
	_, err = box.ReadFile(t.Context(), "/attachments/f", 0, 0)
	require.NoError(t, err, "from storage, though new conversations use runners")
	f.Objects.Backends = nil
	_, err = f.OfConversation(t.Context(), conversation)
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "the files are not lost: %v", err)
	require.Equal(t, "disk", h.storage)
}

func TestObjects_NoNameLeadsToAnotherConversation(t *testing.T) {
	_, f, store := newBucket(t)
	ctx := t.Context()
	for _, key := range []string{"1/svc/" + svc + "/ffffffffff/gen/other.txt", "2/svc/" + svc + "/" + conv + "/gen/other.txt", "1/svc/" + svc + "/" + conv + "x/gen/other.txt", "1/svc/" + svc + "/" + conv + "/other.txt"} {
		_, err := store.Put(ctx, key, storage.Bytes([]byte(canary)), storage.Condition{})
		require.NoError(t, err)
	}
	agent, _, err := f.FileSystem(ctx, service.SessionKey(svc, conv), consumer)
	require.NoError(t, err)
	theirs, err := f.OfConversation(ctx, conversation)
	require.NoError(t, err)
	for _, box := range []sandbox.Sandbox{agent, theirs} {
		for _, name := range []string{
			"/generated/../../ffffffffff/gen/other.txt", "/generated/%2e%2e/%2e%2e/ffffffffff/gen/other.txt", "/generated/..%2f..%2fffffffffff/gen/other.txt", "/../other.txt", "/generated/../other.txt",
			"/gen/other.txt", "/att/x", "/1/svc/" + svc + "/ffffffffff/gen/other.txt", "/generated/\x00/../other.txt", `/generated/..\..\ffffffffff\gen\other.txt`, "/generated/..／other.txt", "/other.txt", "other.txt",
		} {
			saw, errs := reads(ctx, box, name)
			require.NotContains(t, saw, canary, name)
			for what, err := range errs {
				require.Error(t, err, "%s %s", what, name)
			}
		}
		for _, pattern := range []string{"**", "../**", "/**", "**/other.txt", "generated/../../**"} {
			found, _ := box.Glob(ctx, sandbox.GlobQuery{Pattern: pattern}) // refused or empty
			for _, p := range found.Paths {
				require.NotContains(t, p, "other")
			}
		}
		lines, err := box.Grep(ctx, sandbox.GrepQuery{Pattern: canary})
		require.NoError(t, err)
		require.Empty(t, lines.Matches)
	}
	for what, err := range changes(ctx, agent, "/generated/../../ffffffffff/gen/other.txt") {
		require.Error(t, err, what)
	}
}

func TestObjects_AreRemovedWithTheRowThatNamesThem(t *testing.T) {
	h, f, _ := newBucket(t)
	h.storage, h.kept = "disk", ""
	left, err := f.Remove(t.Context(), consumer)
	require.NoError(t, err)
	require.Zero(t, left, "a deletion does not wait for the storage")
	require.Empty(t, h.storage)
}

func TestObjects_AFileHasAPresignedAddressWhileItIsTheirs(t *testing.T) {
	h, f, _ := newBucket(t)
	server := storagetest.NewServer(t)
	bucket, err := s3.New(server.Config())
	require.NoError(t, err)
	f.Objects.Backends, f.Objects.New = storage.Backends{storage.S3: bucket}, storage.S3
	ctx := t.Context()
	box, err := f.OfConversation(ctx, conversation)
	require.NoError(t, err)
	require.NoError(t, box.WriteFile(ctx, "/attachments/f.txt", []byte("content"), sandbox.WriteCreate))
	link := box.(interface {
		URL(ctx context.Context, path string, l storage.Link) (string, error)
	})
	address, err := link.URL(ctx, "/attachments/f.txt", storage.Link{For: time.Minute})
	require.NoError(t, err)
	require.Contains(t, address, "/xbot/1/svc/"+svc+"/"+conv+"/att/f.txt?")
	response, err := http.Get(address)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
	for _, name := range []string{"/attachments/none", "/attachments/../../x", "/docs/open.md", "/attachments"} {
		_, err := link.URL(ctx, name, storage.Link{For: time.Minute})
		require.Error(t, err, name)
	}
	path := filepath.Join(server.Folder, storagetest.Bucket, "xbot/1/svc", svc, conv, objectfs.Attachments, "f.txt")
	require.NoError(t, os.WriteFile(path, []byte("changed"), 0o600))
	_, err = box.ReadFile(ctx, "/attachments/f.txt", 0, 0)
	require.Error(t, err, "its digest is another one")
	server.Kill()
	_, err = box.ReadFile(ctx, "/attachments/f.txt", 0, 0)
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	require.NotContains(t, err.Error(), server.Address)
	require.True(t, strings.HasPrefix(err.Error(), "/attachments/f.txt"), "%v", err)
	require.Equal(t, "s3", h.storage)
}
