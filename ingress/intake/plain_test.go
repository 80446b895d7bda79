package intake_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/policy"
	"xbot/slash/conversation"
)

func TestPlain_IsAMessageWhateverItSays(t *testing.T) {
	b := setup(t)
	b.Dispatch.Commands = ingresstest.Commands(b.Store, conversation.Reset{}, conversation.Approve{Questions: b.Dispatch})
	b.Dispatch.Policies = &document{policy.Policy{}}
	asks := &ingresstest.Platform{T: t, Store: b.Store}
	_, err := b.Dispatch.Plain(t.Context(), b.Inbound(ingresstest.Key, "first", "ask me"))
	require.NoError(t, err)
	call := asks.Ask(ingresstest.Key, "t1", ingresstest.Question(t, chat.Inquiry{Text: "Which color?", Options: []chat.InquiryOption{{Label: "Red"}, {Label: "Blue"}}}))

	texts := []string{"/stop", "/new", "/reset now", "!ls", "stop", "Red", "1", "/approve", "  spaced  "}
	for i, text := range texts {
		in := b.Inbound(ingresstest.Key, fmt.Sprint("m", i), text)
		in.To, in.Queue.Mode = &chat.Address{}, chat.QueueInterrupt
		got, err := b.Dispatch.Plain(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, chat.QueueFollowup, got.Mode)
		require.False(t, got.Answer)
	}
	queued := b.Transcript(ingresstest.Key).Queued
	require.Len(t, queued, len(texts))
	for i, text := range texts {
		require.Equal(t, text, queued[i].Text)
	}
	require.Equal(t, chat.ApprovalOpen, asks.Call(call).Approval.State, "nothing was answered")
	require.Equal(t, chat.TurnRunning, b.LastTurn(ingresstest.Key).State, "nothing was stopped")
	b.Woken.Wait()
	require.Empty(t, b.Starts.Bangs)
}

func TestPlain_TheSameIDIsTheSameMessage(t *testing.T) {
	b := setup(t)
	first, err := b.Dispatch.Plain(t.Context(), b.Inbound(ingresstest.Key, "m1", "/stop"))
	require.NoError(t, err)
	again, err := b.Dispatch.Plain(t.Context(), b.Inbound(ingresstest.Key, "m1", "/stop"))
	require.NoError(t, err)
	require.True(t, again.Duplicate)
	require.Equal(t, first.ID, again.ID)
	_, err = b.Dispatch.Plain(t.Context(), b.Inbound(ingresstest.Key, "m1", "/new"))
	require.True(t, fault.Is(err, fault.Conflict))
	_, err = b.Dispatch.Plain(t.Context(), b.Inbound(ingresstest.Key, "", "x"))
	require.True(t, fault.Is(err, fault.Invalid))
	require.Len(t, b.Transcript(ingresstest.Key).Queued, 1)
}

func TestPlain_APictureThatIsKeptIsShownAtOnceWithoutARunner(t *testing.T) {
	b := setup(t)
	shown := chat.PictureRef{Hash: "abc", MediaType: "image/png", Width: 2, Height: 1, Name: "picture.png"}
	require.NoError(t, b.Attachments.AddPicture(t.Context(), ingresstest.Key, chat.Picture{PictureRef: shown, Data: []byte("png")}))
	in := b.Inbound(ingresstest.Key, "m1", "what is this?")
	in.Files = []chat.Attachment{{Kind: "image", Name: "picture.png", Size: 3, Shown: &shown}}
	got, err := b.Dispatch.Plain(t.Context(), in)
	require.NoError(t, err)
	require.False(t, got.Fetch)
	b.ClaimTurn(ingresstest.Key, "t1")
	m := b.Transcript(ingresstest.Key).Messages[0]
	require.Equal(t, []chat.PictureRef{shown}, m.Pictures)
	require.Equal(t, "what is this?\n[image: picture.png · 3 bytes]", m.Content)

	require.NoError(t, b.Attachments.CheckSpace(t.Context(), b.User.ID, 0))
	_, err = b.Turns.FinishTurn(t.Context(), ingresstest.Key, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	require.NoError(t, b.Agents.DeleteSession(t.Context(), ingresstest.Key))
	orphans, err := b.Attachments.OrphanFiles(t.Context())
	require.NoError(t, err)
	require.Empty(t, orphans, "nothing lies on a runner")
}
