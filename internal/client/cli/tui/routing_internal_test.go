package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/story"
	"xbot/internal/client/cli/text"
	"xbot/internal/i18n"
)

// drawnOf returns what a terminal of 80 columns shows of messages.
func drawnOf(messages ...chat.Message) string {
	c := newColumn(newTheme(true, true), 80)
	s := story.New(chat.Session{}, apiclient.Transcript{Messages: messages})
	return ansi.Strip(strings.Join(c.entries(s, time.Now()), "\n"))
}

func TestStatus_SaysWhenTheProviderIsAskedAgain(t *testing.T) {
	at := time.Date(2026, time.March, 1, 14, 5, 0, 0, time.Local)
	elsewhere := at.In(time.FixedZone("elsewhere", 5*3600))
	require.Equal(t, "waiting for the model provider, next try at 14:05", providerActivity(&chat.Wait{Next: &elsewhere}))
	require.Equal(t, "waiting for the model provider", providerActivity(&chat.Wait{}))
}

func TestColumn_AGroupShowsSendersWhatWasFoldedAndSilence(t *testing.T) {
	t.Parallel()
	overheard := "[Chat messages since your last reply, for context]\nLin: again\n  and again\n- see the board"
	drawn := drawnOf(
		chat.Message{ID: 1, Turn: "t", Role: chat.RoleUser, Origin: chat.OriginOverheard, Content: overheard},
		chat.Message{ID: 2, Turn: "t", Role: chat.RoleUser, Origin: chat.OriginSuperseded, Sender: "Mara", Content: "one disk"},
		chat.Message{ID: 3, Turn: "t", Role: chat.RoleUser, Sender: "Mara", Content: "all disks"},
		chat.Message{ID: 4, Turn: "t", Role: chat.RoleAssistant, Content: "NO_REPLY", Silent: true},
		chat.Message{ID: 5, Turn: "u", Role: chat.RoleAssistant, Content: "Two are full.", Undelivered: true},
	)
	require.Contains(t, drawn, "◆ 2 messages said before")
	require.Contains(t, drawn, "▌ Mara\n▌ one disk\n  superseded by the next message")
	require.Contains(t, drawn, "▌ Mara\n▌ all disks")
	require.Contains(t, drawn, "(chose not to answer)")
	require.NotContains(t, drawn, "NO_REPLY")
	require.NotContains(t, drawn, "[Chat messages")
	require.Contains(t, drawn, "not delivered: the send policy")
}

func TestColumn_AResetIsALineAcrossAndASkippedCallSaysWhy(t *testing.T) {
	t.Parallel()
	skipped := i18n.Say(i18n.English, i18n.CallSkipped)
	drawn := drawnOf(
		chat.Message{ID: 1, Role: chat.RoleNotice, Origin: chat.OriginReset, Content: "New conversation: nobody had written here since 18:20."},
		chat.Message{ID: 2, Turn: "t", Role: chat.RoleUser, Content: "go"},
		chat.Message{ID: 3, Turn: "t", Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{
			{ID: "t.0.0", Name: "Shell", State: chat.CallDone, IsError: true, Result: skipped},
		}},
		chat.Message{ID: 4, Turn: "t", Role: chat.RoleUser, Content: "no, stop there"},
	)
	require.Regexp(t, `── New conversation: nobody had written here since 18:20 ─{5,}`, drawn)
	require.Contains(t, drawn, "– Shell")
	require.Contains(t, drawn, "skipped for your message")
	require.NotContains(t, drawn, "Not run")
	require.Contains(t, drawn, "▌ no, stop there\n  taken in while it worked")
}

func TestColumn_WhatBecameOfAMessageStandsBelowIt(t *testing.T) {
	t.Parallel()
	c := newColumn(newTheme(true, true), 80)
	s := story.New(chat.Session{}, apiclient.Transcript{Queued: []chat.Queued{{Inbox: 1, Text: "later"}}})
	require.NoError(t, s.Apply(chat.Event{Seq: 1, Kind: chat.EventDropped, Data: []byte(`{"inbox_id":1,"outcome":"recalled","text":"Taken back."}`)}))
	require.Equal(t, "▌ later\n  Taken back.", ansi.Strip(strings.Join(c.entries(s, time.Now()), "\n")))
	require.Equal(t, "reaches the running turn at its next step", text.Waits(chat.QueueSteer, 2))
	require.Equal(t, "queued, number 2", text.Waits(chat.QueueFollowup, 2))
}
