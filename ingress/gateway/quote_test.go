package gateway_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
)

// answering is a message that quotes another one and comes with a file.
func answering(id, text string) chat.Envelope {
	e := ingresstest.DM(id, "ou_1", text)
	e.Quote = &chat.Quote{Text: "look at\nthis"}
	e.Attachments = []chat.Attachment{{Kind: "file", Key: "k", Name: "photo.txt"}}
	return e
}

// waiting are the texts that wait for a turn.
func (b *platform) waiting(key chat.SessionKey) (texts []string) {
	b.T.Helper()
	rows, err := b.Pool.Query(b.T.Context(), "SELECT body FROM inbox WHERE session_key = $1 AND outcome IS NULL AND kind <> 'command' ORDER BY id", key)
	require.NoError(b.T, err)
	texts, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(b.T, err)
	return texts
}

// ran is the newest shell command.
func (b *platform) ran() (command string) {
	b.T.Helper()
	require.NoError(b.T, b.Pool.QueryRow(b.T.Context(), "SELECT command FROM commands ORDER BY inbox_id DESC LIMIT 1").Scan(&command))
	return command
}

const called = `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open", triggerMode: "prefix", triggerPrefix: "bot,"}}}`

func TestReceive_WhatStandsAroundAMessageIsNoPartOfACommand(t *testing.T) {
	b := bridged(t, called)
	require.Equal(t, gateway.ResultAccepted, b.Receive(answering("m1", "!cat photo.txt")).Result)
	require.Equal(t, "cat photo.txt", b.ran())

	out := b.Receive(answering("m2", "/stop"))
	require.Equal(t, gateway.ResultAnswered, out.Result)
	require.Empty(t, b.waiting(out.Session))
	require.Equal(t, gateway.ResultAnswered, b.Receive(answering("m3", "/link 0000")).Result)
	require.Empty(t, b.waiting(out.Session))
}

func TestReceive_TheModelReadsWhatStandsAroundAMessage(t *testing.T) {
	b := bridged(t, called)
	out := b.Receive(answering("m1", "what is it?"))
	want := "> look at\n> this\n\nwhat is it?\n[file: photo.txt]"
	require.Equal(t, []string{want}, b.waiting(out.Session))
	changed, err := b.Gateways[1].Edit(t.Context(), answering("m1", "and now?"))
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, []string{"> look at\n> this\n\nand now?\n[file: photo.txt]"}, b.waiting(out.Session))

	b.Receive(answering("m2", ""))
	require.Equal(t, "> look at\n> this\n\n\n[file: photo.txt]", b.waiting(out.Session)[1], "also where nothing is written")
}

func TestReceive_APrefixCallsTheBotWhateverIsQuoted(t *testing.T) {
	b := bridged(t, called)
	e := answering("m1", "bot, what is it?")
	e.ChatType, e.Chat = chat.ChatGroup, "oc_1"
	out := b.Receive(e)
	require.Equal(t, gateway.ResultAccepted, out.Result)
	require.Equal(t, []string{"> look at\n> this\n\nwhat is it?\n[file: photo.txt]"}, b.waiting(out.Session))
	e.ID, e.Text = "m2", "what is it?"
	require.Equal(t, gateway.ResultOverheard, b.Receive(e).Result)
	var text string
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT body FROM overheard").Scan(&text))
	require.Equal(t, "> look at\n> this\n\nwhat is it?\n[file: photo.txt]", text)
}

func TestReceive_AnAnswerIsOneAlsoWhereItQuotesItsQuestion(t *testing.T) {
	b := bridged(t, ingresstest.EverybodyPolicy)
	at := b.Receive(ingresstest.DM("m1", "ou_1", "choose for me")).Session
	id := b.Ask(at, "t1", ingresstest.Question(t, chat.Inquiry{Text: "Which?", Options: []chat.InquiryOption{{Label: "red"}, {Label: "blue"}}}))
	e := answering("m2", "2")
	require.Equal(t, gateway.ResultAccepted, b.Receive(e).Result, "what comes with a file is for the model: only a message brings the file")
	require.Equal(t, chat.ApprovalOpen, b.Call(id).Approval.State)
	e.ID, e.Attachments = "m3", nil
	require.Equal(t, "Answered: blue", b.Receive(e).Reply)
	require.Equal(t, chat.Answers{"q1": {"blue"}}, b.Call(id).Approval.Answers)
}
