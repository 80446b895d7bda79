package coding

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
)

// album has a picture of a size under each hash.
type album struct {
	size  int
	reads int
}

func (a *album) Pictures(_ context.Context, _ chat.SessionKey, hashes []string) (map[string]chat.Picture, error) {
	out := map[string]chat.Picture{}
	for _, h := range hashes {
		a.reads++
		out[h] = chat.Picture{Data: make([]byte, a.size)}
	}
	return out, nil
}

func TestFollower_GivesAProcess12MBOfPicturesAtMostAndReadsEachOnce(t *testing.T) {
	store := &album{size: codingagent.MaxMessagePictures - 4<<10}
	f := newFollower(Store{Attachments: store}, &turn{}, codingagent.Run{Request: codingagent.RunRequest{Turn: codingagent.Turn{
		Pictures: []codingagent.Picture{{Hash: "first", Data: make([]byte, store.size)}},
	}}}, nil)
	for range 3 { // it is tried again until the agent takes it
		shown := 1
		for n := range 5 {
			got, err := f.message(t.Context(), message{id: chat.MessageID(n), text: "look", pictures: []chat.PictureRef{{Hash: fmt.Sprint(n)}}})
			require.NoError(t, err)
			require.Equal(t, "look", got.Text)
			shown += len(got.Pictures)
		}
		require.Equal(t, 4, shown)
	}
	require.Equal(t, 5, store.reads)
}

func TestPictures_TheNewestThatHaveRoomBesideTheTextAndTwentyAtMost(t *testing.T) {
	store := &album{size: 1}
	var m message
	for n := range chat.MaxPictures + 3 {
		m.pictures = append(m.pictures, chat.PictureRef{Hash: fmt.Sprint(n), MediaType: "image/png"})
	}
	got, err := (&turn{}).pictures(t.Context(), Store{Attachments: store}, 100, m)
	require.NoError(t, err)
	require.Len(t, got, chat.MaxPictures)
	require.Equal(t, "3", got[0].Hash)
	got, err = (&turn{}).pictures(t.Context(), Store{Attachments: store}, 2, m)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, fmt.Sprint(chat.MaxPictures+2), got[1].Hash)
	require.Equal(t, codingagent.MaxMessagePictures-3, beside("abc"))
	require.Zero(t, beside(string(make([]byte, codingagent.MaxMessagePictures+1))))
}
