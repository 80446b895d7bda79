package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestPictures_AreReadInTheirConversationOnly(t *testing.T) {
	b := setup(t)
	mine, other := b.alice.session("agent:main:web:thread:mine"), b.alice.session("agent:main:web:thread:other")
	hash := strings.Repeat("ab", 32)
	shown := chat.Picture{PictureRef: chat.PictureRef{Hash: hash, MediaType: "image/png", Width: 3, Height: 2}, Data: []byte("\x89PNG")}
	require.NoError(t, b.store.Attachments.AddPicture(t.Context(), mine.Key, shown))

	got := b.alice.get(path(mine.Key, "/pictures/"+hash))
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, "\x89PNG", string(got.body))
	require.Equal(t, "image/png", got.header.Get("Content-Type"))
	require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
	require.Contains(t, got.header.Get("Cache-Control"), "private")
	b.alice.get(path(other.Key, "/pictures/"+hash)).problem(http.StatusNotFound)
	b.alice.get(path(mine.Key, "/pictures/"+strings.Repeat("cd", 32))).problem(http.StatusNotFound)
	b.bob.get(path(mine.Key, "/pictures/"+hash)).problem(http.StatusNotFound)
	b.alice.get(path(mine.Key, "/pictures/..%2F..%2Fetc")).problem(http.StatusUnprocessableEntity)
}

func TestMessages_NameFilesOfTheRunner(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	send := func(id, text string, files ...string) answer {
		return b.alice.post(path(s.Key, "/messages"), map[string]any{"client_message_id": id, "text": text, "files": files})
	}
	var sent struct{ ID chat.InboxID }
	send("m1", "what is this?", "/home/alice/a [1].png", "/home/alice/../bob/b.txt").is(http.StatusAccepted, &sent)
	set, err := b.store.Attachments.AttachmentSet(t.Context(), sent.ID)
	require.NoError(t, err)
	require.True(t, set.Waits, "the message waits until its files were looked at")
	require.Equal(t, []string{"/home/alice/a [1].png", "/home/bob/b.txt"}, []string{set.Files[0].At, set.Files[1].At})
	require.Equal(t, []string{"a [1].png", "b.txt"}, []string{set.Files[0].Name, set.Files[1].Name})

	for n, f := range set.Files {
		f.State, f.Path, f.Size = chat.AttachmentStored, f.At, 7
		require.NoError(t, b.store.Attachments.FileStored(t.Context(), sent.ID, f), n)
	}
	require.NoError(t, b.store.Attachments.EndFetch(t.Context(), sent.ID))
	b.claim(s.Key, "t1")
	var got struct{ Messages []chat.Message }
	b.alice.get(path(s.Key, "/messages")).is(http.StatusOK, &got)
	require.Equal(t, "what is this?\n[file: a (1).png · 7 bytes · /home/alice/a [1].png]\n[file: b.txt · 7 bytes · /home/bob/b.txt]", got.Messages[0].Content)

	send("m2", "", "/home/alice/a.png").is(http.StatusAccepted, &sent)
	send("m3", "").problem(http.StatusBadRequest)
	for _, bad := range []string{"a.png", "", "/a\nb", "/" + strings.Repeat("a", 5000)} {
		require.Contains(t, send("bad", "look", bad).problem(http.StatusBadRequest), "absolute path")
	}
}
