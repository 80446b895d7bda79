package consumer_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/consumer"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/guestfs"
	"xbot/internal/service"
	"xbot/internal/storage"
	"xbot/internal/storage/s3"
	"xbot/internal/storage/storagetest"
	"xbot/internal/storage/sweeper"
)

// inBucket gives the installation a bucket for files.
func (b *bundle) inBucket() (*storagetest.Server, guestfs.Finder) {
	b.T.Helper()
	server := storagetest.NewServer(b.T)
	bucket, err := s3.New(server.Config())
	require.NoError(b.T, err)
	finder := guestfs.Finder{
		Store: b.Store.Services, Sandboxes: only{sandbox.None{Why: fault.Errorf(fault.Denied, "there is no runner")}, b.User.ID},
		Objects: guestfs.Objects{Backends: storage.Backends{storage.S3: bucket}, New: storage.S3, Edits: b.Store.Storage},
	}
	b.api.Files = finder
	return server, finder
}

// agent is the file system of the tools of a conversation.
func (b *bundle) agent(f guestfs.Finder, c service.Conversation) sandbox.Sandbox {
	b.T.Helper()
	box, ok, err := f.FileSystem(b.T.Context(), c.Session, c.User)
	require.NoError(b.T, err)
	require.True(b.T, ok)
	return box
}

// location asks for a file, and returns where the response sends the client.
func (b *bundle) location(path string, headers ...string) *http.Response {
	b.T.Helper()
	r, err := http.NewRequestWithContext(b.T.Context(), http.MethodGet, b.url+path, nil)
	require.NoError(b.T, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := client.Do(r)
	require.NoError(b.T, err)
	require.NoError(b.T, got.Body.Close())
	return got
}

const gif = "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

func TestStorage_FilesOfTheBucketAreOpenedByARedirect(t *testing.T) {
	b := setup(t)
	server, finder := b.inBucket()
	c := b.conversation()
	var sent []consumer.AttachmentBody
	b.upload(b.key, c, [2]string{"notes & ü.txt", "one"}).is(http.StatusOK, &sent)
	box := b.agent(finder, c)
	require.NoError(t, box.WriteFile(t.Context(), "/generated/dot.gif", []byte(gif), sandbox.WriteCreate))
	require.NoError(t, box.WriteFile(t.Context(), "/generated/page.html", []byte("<script>alert(1)</script>"), sandbox.WriteCreate))
	require.NoError(t, box.WriteFile(t.Context(), "/generated/x.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), sandbox.WriteCreate))
	var files []consumer.File
	b.do(b.key, http.MethodGet, at(c, "/files"), nil).is(http.StatusOK, &files)
	require.Len(t, files, 3)
	var token consumer.MediaToken
	b.do(b.key, http.MethodGet, at(c, "/media-token"), nil).is(http.StatusOK, &token)
	for path, want := range map[string][3]string{
		"/attachments/" + url.PathEscape(strings.Split(sent[0].Path, "/")[0]) + "/" + url.PathEscape(sent[0].Name): {"one", "text/plain; charset=utf-8", "attachment"},
		"/files/dot.gif":             {gif, "image/gif", "inline"},
		"/files/dot.gif?download=1&": {gif, "application/octet-stream", "attachment"},
		"/files/page.html":           {"<script>alert(1)</script>", "application/octet-stream", "attachment"},
	} {
		question := "?"
		if strings.HasSuffix(path, "&") {
			question = ""
		}
		got := b.location(at(c, path) + question + "token=" + token.Token)
		require.Equal(t, http.StatusFound, got.StatusCode, path)
		require.Equal(t, "no-store", got.Header.Get("Cache-Control"))
		require.Equal(t, "no-referrer", got.Header.Get("Referrer-Policy"))
		require.True(t, strings.HasPrefix(got.Header.Get("Location"), server.URL()+"/"))
		body, err := http.Get(got.Header.Get("Location"))
		require.NoError(t, err)
		text, err := io.ReadAll(body.Body)
		require.NoError(t, err)
		require.NoError(t, body.Body.Close())
		require.Equal(t, want[0], string(text), path)
		require.Contains(t, body.Header.Get("Content-Disposition"), want[2], path)
		if want[2] == "attachment" {
			want[1] = "application/octet-stream"
		}
		require.Equal(t, want[1], body.Header.Get("Content-Type"), path)
	}
	got := b.do(b.key, http.MethodGet, at(c, "/files/x.svg"), nil).is(http.StatusOK, nil)
	require.Contains(t, got.header.Get("Content-Security-Policy"), "sandbox", "a bucket cannot forbid its scripts, so the server sends it")
	got = b.do(b.key, http.MethodHead, at(c, "/files/dot.gif"), nil).is(http.StatusOK, nil)
	require.Equal(t, "image/gif", got.header.Get("Content-Type"))
}

func TestStorage_NoAddressOpensAFileOfAnotherConversation(t *testing.T) {
	b := setup(t)
	_, finder := b.inBucket()
	c, other := b.conversation(), b.conversation()
	require.NoError(t, b.agent(finder, other).WriteFile(t.Context(), "/generated/theirs.txt", []byte("theirs"), sandbox.WriteCreate))
	require.NoError(t, b.agent(finder, c).WriteFile(t.Context(), "/generated/mine.txt", []byte("mine"), sandbox.WriteCreate))
	for _, path := range []string{
		"../../" + other.ID + "/gen/theirs.txt", "%2e%2e/%2e%2e/" + other.ID + "/gen/theirs.txt", "..%2f..%2f" + other.ID + "%2fgen%2ftheirs.txt", "%252e%252e/" + other.ID + "/gen/theirs.txt",
		"..%5c..%5c" + other.ID + "%5cgen%5ctheirs.txt", "theirs.txt", "../gen/theirs.txt", "%00", "%ff", "mine.txt/..", "/mine.txt%0a",
	} {
		for _, folder := range []string{"/files/", "/attachments/"} {
			got := b.location(at(c, folder+path), "Authorization", "Bearer "+b.key)
			require.NotEqual(t, http.StatusOK, got.StatusCode, path)
			require.NotContains(t, got.Header.Get("Location"), "X-Amz-Signature", path)
		}
	}
}

func TestStorage_ABucketThatIsAwayRefusesAndLosesNothing(t *testing.T) {
	b := setup(t)
	server, finder := b.inBucket()
	c := b.conversation()
	require.NoError(t, b.agent(finder, c).WriteFile(t.Context(), "/generated/f.txt", []byte("kept"), sandbox.WriteCreate))
	server.Kill()
	require.Equal(t, "unavailable", b.do(b.key, http.MethodGet, at(c, "/files/f.txt"), nil).problem(http.StatusServiceUnavailable))
	require.Equal(t, "unavailable", b.do(b.key, http.MethodGet, at(c, "/files"), nil).problem(http.StatusServiceUnavailable))
	require.Equal(t, "unavailable", b.upload(b.key, c, [2]string{"a", "b"}).problem(http.StatusServiceUnavailable))
	server.Start()
	got, err := b.agent(finder, c).ReadFile(t.Context(), "/generated/f.txt", 0, 0)
	require.NoError(t, err)
	require.Equal(t, "kept", string(got.Data))
	b.upload(b.key, c, [2]string{"a", "b"}).is(http.StatusOK, nil)
}

func TestStorage_FilesAreDeletedWithTheirConversationAlsoWhenTheBucketIsAway(t *testing.T) {
	b := setup(t)
	server, finder := b.inBucket()
	c, other := b.conversation(), b.conversation()
	for _, one := range []service.Conversation{c, other} {
		require.NoError(t, b.agent(finder, one).WriteFile(t.Context(), "/generated/f.txt", []byte("x"), sandbox.WriteCreate))
		b.upload(b.key, one, [2]string{"a", "b"}).is(http.StatusOK, nil)
	}
	bucket := finder.Objects.Backends[storage.S3]
	all, err := storage.All(t.Context(), bucket, "", 10)
	require.NoError(t, err)
	require.Len(t, all, 4)
	server.Kill()
	b.do(b.key, http.MethodDelete, at(c, ""), nil)
	left, err := finder.Remove(t.Context(), c.User)
	require.NoError(t, err)
	require.Zero(t, left)
	sweep := &sweeper.Sweeper{Rows: b.Store.Storage, Storages: finder.Objects.Backends, Log: slog.New(slog.DiscardHandler)}
	require.Equal(t, fault.Unavailable, fault.KindOf(sweep.Delete(t.Context())))
	server.Start()
	_, err = b.Pool.Exec(t.Context(), "UPDATE storage_deletions SET due_at = now()")
	require.NoError(t, err)
	require.NoError(t, sweep.Delete(t.Context()))
	all, err = storage.All(t.Context(), bucket, "", 10)
	require.NoError(t, err)
	require.Len(t, all, 2, "those of the other conversation")

	_, err = bucket.Put(t.Context(), strings.Replace(all[0].Key, other.ID, c.ID, 1), storage.Bytes([]byte("late")), storage.Condition{})
	require.NoError(t, err, "a write that was under way")
	require.NoError(t, sweep.Delete(t.Context()))
	_, waiting, err := b.Store.Storage.Usage(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, waiting, "it is not due yet")
	_, err = b.Pool.Exec(t.Context(), "UPDATE storage_deletions SET due_at = now()")
	require.NoError(t, err)
	require.NoError(t, sweep.Delete(t.Context()))
	all, err = storage.All(t.Context(), bucket, "", 10)
	require.NoError(t, err)
	require.Len(t, all, 2)
	usage, waiting, err := b.Store.Storage.Usage(t.Context())
	require.NoError(t, err)
	require.Zero(t, waiting)
	require.Len(t, usage, 1)
	require.EqualValues(t, 1, usage[0].Conversations)
}

func TestStorage_AnEditOfAToolHappensOnceThroughPostgres(t *testing.T) {
	b := setup(t)
	_, finder := b.inBucket()
	c := b.conversation()
	box := b.agent(finder, c)
	edit := func(content string) error {
		_, err := box.Edit(t.Context(), sandbox.Edit{ID: "turn.1.0", Path: "/generated/f", From: strings.NewReader(content), Mode: sandbox.WriteReplace})
		return err
	}
	require.NoError(t, edit("one"))
	require.NoError(t, box.WriteFile(t.Context(), "/generated/f", []byte("two"), sandbox.WriteReplace))
	require.NoError(t, edit("one"))
	got, err := box.ReadFile(t.Context(), "/generated/f", 0, 0)
	require.NoError(t, err)
	require.Equal(t, "two", string(got.Data), "a later change stays")
	other := b.agent(finder, b.conversation())
	done, err := other.Edited(t.Context(), "turn.1.0")
	require.NoError(t, err)
	require.False(t, done, "it is another conversation's")
}
