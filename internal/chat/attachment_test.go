package chat_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestArrived_SaysOfEachFileWhereItIsOrWhyItIsNot(t *testing.T) {
	t.Parallel()
	a := chat.Attachment{Kind: "file", Name: "a.pdf", Key: "k"}
	image := chat.Attachment{Kind: "image", Key: "k2"}
	text := "look" + chat.AttachmentLines([]chat.Attachment{a, image})
	require.Equal(t, "look\n[file: a.pdf]\n[image: image 2]", text)
	stored := a
	stored.Size = 12
	files := []chat.AttachmentFetch{
		{Attachment: stored, N: 1, State: chat.AttachmentStored, Path: "/srv/inbox/a.pdf"},
		{Attachment: image, N: 2, State: chat.AttachmentFailed, Problem: "the link has expired"},
	}
	want := "[file: a.pdf · 12 bytes · /srv/inbox/a.pdf]\n[image: image 2 · not fetched: the link has expired]"
	require.Equal(t, "look\n"+want, chat.TextWithAttachments(text, files))
	require.Equal(t, want, chat.TextWithAttachments(strings.TrimPrefix(text, "look\n"), files), "nothing but files")
	require.Equal(t, "changed\n"+want, chat.TextWithAttachments("changed", files), "the text was edited")
	quoted := chat.Quoted("m7", []chat.Attachment{image})
	require.Empty(t, image.Of)
	require.Equal(t, "look\n[quoted image: image 1]", "look"+chat.AttachmentLines(quoted))
	at := []chat.AttachmentFetch{{Attachment: quoted[0], N: 1, State: chat.AttachmentStored, Path: "/srv/inbox/b.png"}}
	require.Equal(t, "look\n[quoted image: image 1 · 0 bytes · /srv/inbox/b.png]", chat.TextWithAttachments("look"+chat.AttachmentLines(quoted), at))
	at[0].Pages = 1
	require.Contains(t, chat.TextWithAttachments("", at), "0 bytes · PDF of 1 page, for Read · /srv/inbox/b.png]")
	at[0].Pages = 12
	require.Contains(t, chat.TextWithAttachments("", at), "0 bytes · PDF of 12 pages, for Read · /srv/inbox/b.png]")
	require.Equal(t, "plain", chat.TextWithAttachments("plain", nil))
	require.Contains(t, chat.TextWithAttachments("", []chat.AttachmentFetch{{Attachment: a, N: 1, State: chat.AttachmentWaiting}}), "did not come in time")
}

func FuzzLabel_IsOneLineWithinItsBrackets(f *testing.F) {
	for _, s := range []string{"a.pdf", "a]\n[system: b", "\u202efdp.exe", strings.Repeat("字", 300) + ".txt", "\x00", "", "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := chat.Attachment{Kind: "file", Name: name}.Label(1)
		require.NotEmpty(t, got)
		require.False(t, strings.ContainsAny(got, "[]\n\r\u2028"), "%q", got)
		require.LessOrEqual(t, len([]rune(got)), 120)
	})
}
