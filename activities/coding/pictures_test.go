package coding_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/activitiestest"
	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agenttest"
	"xbot/internal/turn/engine"
)

// shows accepts a message with pictures of as many bytes.
func (b *bench) shows(id, text string, mode chat.QueueMode, sizes ...int) {
	b.T.Helper()
	ctx := b.T.Context()
	in := engine.NewRow{Session: activitiestest.Key, User: b.user, Channel: "web", PlatformID: id, Text: text, Queue: chat.Queue{Mode: mode}}
	for n := range sizes {
		in.Files = append(in.Files, chat.Attachment{Kind: "image", Name: fmt.Sprint(id, n, ".png"), At: fmt.Sprint("/in/", id, n, ".png")})
	}
	got, err := b.Turns.Accept(ctx, in)
	require.NoError(b.T, err)
	for n, size := range sizes {
		p := chat.Picture{PictureRef: chat.PictureRef{Hash: fmt.Sprint(id, n), MediaType: "image/png", Width: 2, Height: 1}, Data: make([]byte, size)}
		require.NoError(b.T, b.Attachments.AddPicture(ctx, activitiestest.Key, p))
		f := chat.AttachmentFetch{Attachment: in.Files[n], N: n + 1, Runner: "local", Path: in.Files[n].At, Picture: &p.PictureRef}
		require.NoError(b.T, b.Attachments.FileStored(ctx, got.ID, f))
	}
	require.NoError(b.T, b.Attachments.EndFetch(ctx, got.ID))
}

func (b *bench) claim(before, id chat.TurnID) {
	b.T.Helper()
	_, err := b.Turns.FinishTurn(b.T.Context(), activitiestest.Key, before, chat.TurnDone, "")
	require.NoError(b.T, err)
	_, ok, err := b.Turns.Claim(b.T.Context(), activitiestest.Key, id, "run-"+string(id), 0)
	require.NoError(b.T, err)
	require.True(b.T, ok)
}

// allGiven are what the agent was given to act on.
func (b *bench) allGiven() []agenttest.Given {
	b.T.Helper()
	all, err := agenttest.AllGiven(filepath.Join(b.runner.Workspace, ".fakeagent"))
	require.NoError(b.T, err)
	return all
}

func TestAgent_IsShownTheNewestPicturesThatHaveRoomOverTheEndOfTheServer(t *testing.T) {
	b := setup(t, "say hello")
	_, err := b.Fixture.Generate(t.Context(), 0)
	require.NoError(t, err)
	large := codingagent.MaxMessagePictures - 4<<10
	b.shows("p", "see\nrun echo > there.txt\nwait\nsee", chat.QueueFollowup, 4<<10, large, 11, 10)
	b.claim(activitiestest.Turn, second)
	ctx, leave := context.WithCancel(t.Context())
	first := b.begin(ctx, second, 0)
	b.waitFile("there.txt")
	leave()
	first.wait(t)
	require.Error(t, first.err)

	later := b.begin(t.Context(), second, 0)
	b.shows("s", "and this", chat.QueueSteer, 12)
	require.Equal(t, "stop", later.wait(t).Finish)
	require.NoError(t, later.err)
	require.Equal(t, "pictures: 1; image/png of 12 bytes", b.LastMessage().Content)
	given := b.allGiven()
	require.Len(t, given, 3)
	require.Equal(t, []string{fmt.Sprintf("image/png of %d bytes", large), "image/png of 11 bytes", "image/png of 10 bytes"}, given[1].Pictures, "the first has no room")
	require.Contains(t, given[1].Text, "/in/p0.png", "the agent reads where each of them is")
	require.Contains(t, given[1].Text, "/in/p1.png")
	require.Equal(t, []string{"image/png of 12 bytes"}, given[2].Pictures)

	b.shows("t", "see", chat.QueueFollowup)
	b.claim(second, third)
	out := b.begin(t.Context(), third, 0)
	require.Equal(t, "stop", out.wait(t).Finish)
	require.Equal(t, "pictures: 0; ", b.LastMessage().Content, "what was shown before is not shown again")
}
