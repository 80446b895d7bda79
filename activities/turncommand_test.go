package activities_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// claimed is a store with one command in it. It notes what was asked of it.
type claimed struct {
	order chat.TurnCommand
	err   error
	done  []string
}

func (c *claimed) TurnCommand(context.Context, chat.TurnID) (chat.TurnCommand, error) {
	return c.order, c.err
}

func (c *claimed) AnswerTurnCommand(_ context.Context, turn chat.TurnID, text string) error {
	c.done = append(c.done, fmt.Sprint("answer ", turn, " ", text))
	return nil
}

// tidy is a command that a turn carries out.
type tidy struct {
	*claimed

	fail error
}

func (tidy) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "tidy", Aliases: []string{"neat"}, When: slashcommand.InTurn}
}

func (c tidy) RunInTurn(_ context.Context, o chat.TurnCommand, args string) error {
	if c.fail == nil {
		c.done = append(c.done, fmt.Sprint("tidy ", o.Turn, " ", args))
	}
	return c.fail
}

func (c *claimed) run(t *testing.T, fail error) error {
	t.Helper()
	commands := &activities.TurnCommands{Store: c, Registry: slashcommand.NewRegistry(nil, tidy{c, fail})}
	return commands.Run(t.Context(), activities.TurnCommandInput{Turn: "t1"})
}

func TestTurnCommands_CarryOutWhatThePersonWroteUnderAnyName(t *testing.T) {
	for text, want := range map[string]string{
		"/tidy":     "tidy t1 ",
		" /NEAT 3 ": "tidy t1 3",
		"/grow":     "answer t1 " + i18n.Say(i18n.English, i18n.OrderUnknown, "grow"),
		"/help":     "answer t1 " + i18n.Say(i18n.English, i18n.OrderUnknown, "help"),
		"/长 x":      "answer t1 " + i18n.Say(i18n.Chinese, i18n.OrderUnknown, ""),
	} {
		store := &claimed{order: chat.TurnCommand{Turn: "t1", Text: text, Lang: string(i18n.Of(text))}}
		require.NoError(t, store.run(t, nil), text)
		require.Equal(t, []string{want}, store.done, text)
	}
}

func TestTurnCommands_LeaveAloneWhatWasAnsweredOrIsGone(t *testing.T) {
	for _, store := range []*claimed{
		{order: chat.TurnCommand{Turn: "t1", Text: "/tidy", Answered: true}},
		{err: fault.Errorf(fault.NotFound, "the session was deleted")},
	} {
		require.NoError(t, store.run(t, nil))
		require.Empty(t, store.done)
	}
}

func TestTurnCommands_ARefusalIsTheAnswerAndAFaultIsTriedAgain(t *testing.T) {
	store := &claimed{order: chat.TurnCommand{Turn: "t1", Text: "/neat up"}}
	require.Error(t, store.run(t, fault.Errorf(fault.Unavailable, "away")))
	require.Empty(t, store.done)
	require.NoError(t, store.run(t, fault.Errorf(fault.NotFound, "there is no such folder")))
	require.Equal(t, []string{"answer t1 there is no such folder"}, store.done)
}

func TestTurnCommands_WhatAConsumerWritesIsNeverOne(t *testing.T) {
	store := &claimed{order: chat.TurnCommand{Session: "agent:svc_0a1b2c3d:svc:thread:0123456789", Turn: "t1", Text: "/tidy"}}
	require.NoError(t, store.run(t, nil))
	require.Equal(t, []string{"answer t1 " + i18n.Say(i18n.English, i18n.OrderUnknown, "tidy")}, store.done)
}
