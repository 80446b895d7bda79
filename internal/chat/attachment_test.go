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
	text := "look" + chat.Named([]chat.Attachment{a, image})
	require.Equal(t, "look\n[file: a.pdf]\n[image: image 2]", text)
	stored := a
	stored.Size = 12
	files := []chat.Arrival{
		{Attachment: stored, N: 1, State: chat.ArrivalStored, Path: "/srv/inbox/a.pdf"},
		{Attachment: image, N: 2, State: chat.ArrivalFailed, Problem: "the link has expired"},
	}
	want := "[file: a.pdf · 12 bytes · /srv/inbox/a.pdf]\n[image: image 2 · not fetched: the link has expired]"
	require.Equal(t, "look\n"+want, chat.Arrived(text, files))
	require.Equal(t, want, chat.Arrived(strings.TrimPrefix(text, "look\n"), files), "nothing but files")
	require.Equal(t, "changed\n"+want, chat.Arrived("changed", files), "the text was edited")
	quoted := chat.Quoted("m7", []chat.Attachment{image})
	require.Empty(t, image.Of)
	require.Equal(t, "look\n[quoted image: image 1]", "look"+chat.Named(quoted))
	at := []chat.Arrival{{Attachment: quoted[0], N: 1, State: chat.ArrivalStored, Path: "/srv/inbox/b.png"}}
	require.Equal(t, "look\n[quoted image: image 1 · 0 bytes · /srv/inbox/b.png]", chat.Arrived("look"+chat.Named(quoted), at))
	require.Equal(t, "plain", chat.Arrived("plain", nil))
	require.Contains(t, chat.Arrived("", []chat.Arrival{{Attachment: a, N: 1, State: chat.ArrivalWaiting}}), "did not come in time")
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
