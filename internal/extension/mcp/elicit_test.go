package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/extension/mcp/elicit"
)

// asks calls a tool in place of a turn: what it asks is answered, and the call made again, until it has its result. It returns how often it was asked.
func (f *fixture) asks(at mcp.At, name string, answer func([]chat.Inquiry) chat.Answers) (chat.ToolResult, int) {
	f.t.Helper()
	var calls elicit.Calls
	var approval *chat.Approval
	for round := 0; ; round++ {
		at.Asking = calls.Begin("call", approval, false, f.model)
		got := f.call(at, name, chat.ClassOnce, "")
		if len(got.Asks) == 0 {
			return got, round
		}
		approval = &chat.Approval{State: chat.ApprovalAllowed, Questions: got.Asks, Answers: answer(got.Asks)}
	}
}

func TestCall_WhatAServerAsksIsAskedAndTheCallIsMadeAgainWithTheAnswer(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("asks")
	got, rounds := f.asks(at, "book", func(asked []chat.Inquiry) chat.Answers {
		out := chat.Answers{}
		for _, q := range asked {
			switch {
			case strings.Contains(q.Text, "Your name"):
				require.True(t, strings.HasPrefix(q.Text, "MCP · sasks: Whose table?\n") || strings.HasPrefix(q.Text, "⚠"), q.Text)
				require.False(t, q.Optional)
				out[q.Name] = []string{"Bob"}
			case strings.Contains(q.Text, "seats"):
				require.Contains(t, q.Text, "integer, minimum 1, maximum 8")
				out[q.Name] = []string{"four"}
				if strings.Contains(asked[0].Text, `"four" is no number`) {
					out[q.Name] = []string{"4"}
				}
			case strings.Contains(q.Text, "window"):
				out[q.Name] = []string{q.Options[0].Label}
			case strings.Contains(q.Text, "area"):
				out[q.Name] = []string{"Outside"}
			case strings.Contains(q.Text, "api_token"):
				require.Contains(t, q.Text, "Do not enter a secret here")
				require.True(t, q.Optional)
			}
		}
		return out
	})
	require.False(t, got.IsError, got.Content)
	require.Equal(t, 3, rounds, "five fields are asked in two parts, and one answer did not fit")
	require.JSONEq(t, `{"name":"Bob","seats":4,"window":true,"area":"out"}`, strings.TrimPrefix(got.Content, "accept "))
	require.Equal(t, 1, f.times("booked"), "the server goes on once it has the answer")
}

func TestCall_TheNewestProtocolAsksByItsResult(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("asks anew")
	got, rounds := f.asks(at, "reserve", func(asked []chat.Inquiry) chat.Answers { return chat.Answers{"q1": {asked[0].Options[0].Label}} })
	require.Equal(t, "accept s", got.Content)
	require.Equal(t, 1, rounds)
	require.Equal(t, 1, f.times("reserved"))
	require.Equal(t, "decline s", f.call(at, "reserve", chat.ClassOnce, "").Content, "nobody can be asked")
	got, _ = f.asks(at, "reserve", func(asked []chat.Inquiry) chat.Answers { return chat.Answers{"q1": {asked[0].Options[1].Label}} })
	require.Equal(t, "decline s", got.Content, "the user said no")
}

func TestCall_NobodyIsAskedWhereNobodyIs(t *testing.T) {
	t.Parallel()
	f := setup(t)
	got := f.call(f.command("asks"), "book", chat.ClassOnce, "")
	require.Equal(t, "decline null", got.Content)
}

func TestCall_AServerThatPestersIsDeclined(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("asks")
	got, rounds := f.asks(at, "pester", func(asked []chat.Inquiry) chat.Answers { return chat.Answers{"q1": {asked[0].Options[0].Label}} })
	require.Equal(t, "declined 200 times", got.Content)
	require.LessOrEqual(t, rounds, 8)
}

// TestCall_AQuestionIsNeverThatOfAnotherCall has a server ask while two calls run over its connection.
func TestCall_AQuestionIsNeverThatOfAnotherCall(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("asks")
	var calls elicit.Calls
	other := at
	other.Asking = calls.Begin("other", nil, false, nil)
	done := make(chan chat.ToolResult, 1)
	ctx := t.Context()
	go func() {
		got, _ := f.Call(ctx, other, "hang", chat.ClassOnce, json.RawMessage("{}"), nil)
		done <- got
	}()
	require.Eventually(t, func() bool { return f.times("hangs") == 1 }, waitLong, waitShort)
	at.Asking = calls.Begin("one", nil, false, nil)
	require.Equal(t, "decline null", f.call(at, "book", chat.ClassOnce, "").Content)
	require.Nil(t, other.Asking.Next())
	his := f.addFor(bob, command("his", "asks"))
	his.Person, his.Asking = bob, calls.Begin("his", nil, false, nil)
	require.NotEmpty(t, f.call(his, "book", chat.ClassOnce, "").Asks, "a connection is one person's")
	require.Nil(t, other.Asking.Next())
}

func TestCall_ACommandIsToldOfTheFolderOfTheConversation(t *testing.T) {
	t.Parallel()
	f := setup(t)
	d := command("folders", "asks")
	d.Args = append(d.Args, "/srv/data")
	at := f.add(d)
	require.Equal(t, fmt.Sprintf("file:///srv/data\nfile://%s", f.box.Workspace()), f.call(at, "folders", chat.ClassOnce, "").Content)
	at.Dir = "/home/ann/a b"
	require.Equal(t, "file:///home/ann/a%20b\nfile:///srv/data", f.call(at, "folders", chat.ClassOnce, "").Content)
	require.Equal(t, 1, f.Open())
}
