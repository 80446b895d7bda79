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
