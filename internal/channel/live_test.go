package channel_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// source answers each question as one function says.
type source func(ctx context.Context) ([]channel.Configured, error)

func (s source) ChannelAccounts(ctx context.Context) ([]channel.Configured, error) { return s(ctx) }

// slow is a source whose first question is answered only when it is let go, with what was configured when it was put.
func slow() (s source, asked, let chan struct{}) {
	asked, let = make(chan struct{}), make(chan struct{})
	questions := int64(0)
	first := make(chan struct{}, 1)
	first <- struct{}{}
	return func(context.Context) ([]channel.Configured, error) {
		select {
		case <-first:
			close(asked)
			<-let
			return []channel.Configured{{Channel: "test", Revision: 1}}, nil
		default:
			questions++
			return []channel.Configured{{Channel: "test", Revision: 1 + questions}}, nil
		}
	}, asked, let
}

func TestLive_NobodyWaitsForTheQuestionOfAnother(t *testing.T) {
	s, asked, let := slow()
	live := &channel.Live{Source: s}
	late := make(chan []channel.Configured)
	go func() {
		known, _ := live.Accounts(context.Background())
		late <- known
	}()
	<-asked
	known, err := live.Accounts(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, known[0].Revision)
	close(let)
	require.EqualValues(t, 2, (<-late)[0].Revision, "an older answer does not replace a newer one")
}

func TestLive_WhatWasAskedBeforeARefreshIsAskedAgain(t *testing.T) {
	s, asked, let := slow()
	live := &channel.Live{Source: s}
	first := make(chan struct{})
	go func() {
		defer close(first)
		_, _ = live.Accounts(context.Background())
	}()
	<-asked
	live.Refresh()
	close(let)
	<-first
	known, err := live.Accounts(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, known[0].Revision)
	again, err := live.Accounts(t.Context())
	require.NoError(t, err)
	require.Equal(t, known, again, "within a second nobody is asked")
}

// bare gives accounts nothing.
type bare struct{}

func (bare) Resources(string, string) channel.Resources { return channel.Resources{} }

func TestLive_ACopyOpensNoAccountAndMissesOneThatThereIsNot(t *testing.T) {
	opened := 0
	live := &channel.Live{
		Source: source(func(context.Context) ([]channel.Configured, error) {
			return []channel.Configured{{Channel: "test", Enabled: true, Revision: 1}}, nil
		}),
		Drivers: []channel.Driver{{Name: "test", Open: func(string, map[string]string, channel.Resources) (channel.Account, error) {
			opened++
			return nil, nil
		}}},
		Resources: bare{},
		Copy:      true,
	}
	for _, open := range []func(context.Context, string, string) (channel.Account, error){live.Account, live.Aside} {
		_, err := open(t.Context(), "test", "")
		require.True(t, fault.Is(err, fault.Unavailable), "a delivery waits: %v", err)
		require.ErrorContains(t, err, "XBOT_COPY=on")
		_, err = open(t.Context(), "other", "")
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	}
	require.Zero(t, opened)
}
