package feishu_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/feishu/feishutest"
)

func TestStream_WhatIsWrittenAfterThePlatformHasEndedItIsShown(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	stream, err := w.account.(channel.Streamer).Stream(t.Context(), w.inGroup(), channel.Message{Key: "k", Text: "**Working**\n5 s"})
	require.NoError(t, err)
	require.NoError(t, stream.Put(t.Context(), "one", 1))
	w.EndStreams(feishutest.Refusing)
	require.NoError(t, stream.Put(t.Context(), "one two", 2))
	require.Equal(t, "one two", w.Shown(w.group, "")[0].Text)
	require.NoError(t, stream.Put(t.Context(), "one two three", 3))
	require.NoError(t, stream.End(t.Context(), text("k", "All of it."), 4))
	require.Len(t, w.Shown(w.group, ""), 1)
	require.Equal(t, "All of it.", w.Shown(w.group, "")[0].Text)
}

func TestStream_TheAnswerIsShownThoughThePlatformDropsWhatIsStreamed(t *testing.T) {
	for _, process := range []string{"the same process", "another process"} {
		t.Run(process, func(t *testing.T) {
			w := newWorld(t, feishutest.Config{})
			streamer := w.account.(channel.Streamer)
			stream, err := streamer.Stream(t.Context(), w.inGroup(), channel.Message{Key: "k", Text: "**Working**\n5 s"})
			require.NoError(t, err)
			require.NoError(t, stream.Put(t.Context(), "one", 1))
			w.EndStreams(feishutest.Dropping)
			if process == "another process" {
				stream, err = streamer.Resume(t.Context(), w.inGroup(), stream.Sent().ID)
				require.NoError(t, err)
			}
			require.NoError(t, stream.End(t.Context(), text("k", "All of it."), 2))
			require.Equal(t, "All of it.", w.Shown(w.group, "")[0].Text)
		})
	}
}

func TestStream_ACardThatIsNotReplacedWhileItStreamsStopsStreamingFirst(t *testing.T) {
	w := newWorld(t, feishutest.Config{KeepStreams: true})
	stream, err := w.account.(channel.Streamer).Stream(t.Context(), w.inGroup(), channel.Message{Key: "k", Text: "**Working**\n5 s"})
	require.NoError(t, err)
	require.NoError(t, stream.Put(t.Context(), "one", 1))
	require.NoError(t, stream.End(t.Context(), text("k", "All of it."), 1), "in the same instant as the last change")
	require.NoError(t, stream.End(t.Context(), text("k", "All of it again."), 2), "a second time")
	require.Equal(t, "All of it again.", w.Shown(w.group, "")[0].Text)
}

func TestStream_ListsOfChatsShowTheStateAndThenTheAnswer(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	stream, err := w.account.(channel.Streamer).Stream(t.Context(), w.inGroup(), channel.Message{Key: "k", Text: "**Working**\n5 s"})
	require.NoError(t, err)
	preview := func() string { return w.Shown(w.group, "")[0].Preview }
	require.Equal(t, "Working", preview(), "not the platform's own words")
	require.NoError(t, stream.Put(t.Context(), "**Working**\n10 s", 1))
	require.Equal(t, "Working", preview())
	require.NoError(t, stream.Put(t.Context(), "**Waiting for an answer**\n1 tool call", 2))
	require.Equal(t, "Waiting for an answer", preview())
	require.NoError(t, stream.End(t.Context(), text("k", "# The answer\n\nis **yes**."), 3))
	require.Equal(t, "The answer is yes.", preview())
}

func TestStream_ACardIsFoldedIntoALineThatOpens(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	stream, err := w.account.(channel.Streamer).Stream(t.Context(), w.inGroup(), channel.Message{Key: "k", Text: "**Working**"})
	require.NoError(t, err)
	require.NoError(t, stream.End(t.Context(), channel.Message{Key: "k", Text: "Done · 2 min 10 s", Folded: "- make"}, 3))
	shown := w.Shown(w.group, "")
	require.Len(t, shown, 1)
	require.Equal(t, "Done · 2 min 10 s\n- make", shown[0].Text)
	require.Equal(t, "Done · 2 min 10 s", shown[0].Preview)
	require.False(t, shown[0].Streaming)
}

func TestSend_WhatGoesOnWithAnAnswerQuotesNothingAndQuestionsAreSummarized(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	_, err := w.account.Send(t.Context(), w.inGroup(), channel.Message{Key: "k", Text: "more", Follows: true})
	require.NoError(t, err)
	require.Empty(t, w.Shown(w.group, "")[0].Parent)
	_, err = w.account.Send(t.Context(), w.inGroup(), channel.Message{Key: "q", Card: &channel.Question{ID: "1", Title: "May it run?", Buttons: []channel.Button{{Name: "a", Label: "A"}}}})
	require.NoError(t, err)
	require.Equal(t, "May it run?", w.Shown(w.group, "")[1].Preview)
}
