package e2e

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// on are the keys of the conversations on a shelf.
func (s *server) on(shelf chat.ListState) (keys []chat.SessionKey) {
	s.t.Helper()
	sessions, err := s.client.ListSessions(s.t.Context(), apiclient.ListSessionsParams{Shelf: string(shelf)})
	require.NoError(s.t, err)
	for _, one := range sessions {
		keys = append(keys, one.Key)
	}
	return keys
}

func TestArchive_KeepsAConversationAwayOverAKillUntilSomebodyWritesThere(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k, other := s.newTalk(), s.newTalk()
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say hello")).State)
	k.send("/archive") // as the page and the terminal send it
	require.Eventually(t, func() bool { return slices.Contains(s.on(chat.Archived), k.key) }, time.Minute, 20*time.Millisecond)
	shelf := string(chat.Archived)
	_, err := s.client.UpdateSession(t.Context(), other.key, apiclient.Change{Shelf: &shelf})
	require.NoError(t, err)

	s.crash()
	s.boot()
	require.ElementsMatch(t, []chat.SessionKey{k.key, other.key}, s.on(chat.Archived))
	require.NotContains(t, s.on(chat.Listed), k.key)
	require.NotContains(t, s.on(chat.Listed), other.key)

	k.send("/status") // a command is no message
	require.Contains(t, s.on(chat.Archived), k.key)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say back again")).State)
	require.Contains(t, s.on(chat.Listed), k.key)
	require.Equal(t, []chat.SessionKey{other.key}, s.on(chat.Archived))
	require.Contains(t, k.transcript().Messages[0].Content, "say hello", "nothing of it was lost")
	other.send("/archive off")
	require.Eventually(t, func() bool { return slices.Contains(s.on(chat.Listed), other.key) }, time.Minute, 20*time.Millisecond)
	require.Empty(t, s.on(chat.Archived))
}

func TestArchive_OnAPlatformTheNextMessageBringsTheConversationBack(t *testing.T) {
	t.Parallel()
	s, p := onNapCat(t)
	s.mine("napcat:20007")
	carol := onebottest.Person("20007")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	p.Say(carol, "20007", onebottest.Text("say hello"))
	saw(t, p, carol, "hello")
	listed := s.on(chat.Listed)
	require.Len(t, listed, 1)
	archived := func() bool { return slices.Equal(s.on(chat.Archived), listed) }
	p.Say(carol, "20007", onebottest.Text("/archive"))
	require.Eventually(t, archived, time.Minute, 20*time.Millisecond)

	s.crash()
	s.boot()
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	require.True(t, archived())
	p.Say(carol, "20007", onebottest.Text("say back again"))
	saw(t, p, carol, "back again")
	require.False(t, archived())
	s.reads("say hello") // the conversation goes on where it was
}

func TestExport_NamesThePicturesOfMessagesAndResults(t *testing.T) {
	t.Parallel()
	s := newServer(t, "LLM_VISION=on")
	k := s.newTalk()
	f, err := s.client.Upload(t.Context(), k.key, "", "holiday.png", bytes.NewReader(photo(t, 31, 20)))
	require.NoError(t, err)
	sent, err := s.client.SendMessage(t.Context(), k.key, apiclient.NewMessage{ClientMessageID: "m1", Text: "say I see it", Files: []string{f.Path}})
	require.NoError(t, err)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, sent.ID).State)
	k.untilEnded(time.Minute, k.send(`call Read {"path":"`+f.Path+`"}`, "say read again"))
	asked := k.transcript().Messages[0]
	require.Len(t, asked.Pictures, 1)

	var lines, page bytes.Buffer
	_, err = s.client.ExportSession(t.Context(), k.key, apiclient.ExportSessionParams{Format: "jsonl"}, &lines)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(lines.String(), `"hash":"`+asked.Pictures[0].Hash+`"`), "of the message and of the result")
	_, err = s.client.ExportSession(t.Context(), k.key, apiclient.ExportSessionParams{Format: "md"}, &page)
	require.NoError(t, err)
	require.Contains(t, page.String(), "[file: holiday.png · ")
	made, err := s.client.ImportSession(t.Context(), apiclient.ImportSessionParams{}, &lines)
	require.NoError(t, err)
	require.Equal(t, []string{"pictures were left out: an export names them and does not hold them"}, made.Notes)
}
