package media_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/media"
	"xbot/internal/media/mediatest"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	toolmedia "xbot/internal/tool/media"
	"xbot/internal/tool/toolset"
	"xbot/internal/tool/tooltest"
)

// generator returns one generation, or an error.
type generator struct {
	now     media.Generation
	data    []byte
	err     error
	calls   []media.Call
	resumed int
	stored  []chat.CallID
}

func (g *generator) Generate(_ context.Context, c media.Call) (media.Generation, error) {
	g.calls = append(g.calls, c)
	g.now.Call = c.ID
	if c.Progress != nil && c.Kind == media.Video {
		for _, n := range []int{0, 40, 40, 90} {
			c.Progress(n)
		}
	}
	return g.now, g.err
}

func (g *generator) Resume(ctx context.Context, c media.Call) (media.Generation, error) {
	g.resumed++
	return g.Generate(ctx, c)
}

func (g *generator) Open(context.Context, media.Generation, int) io.ReadSeeker {
	return bytes.NewReader(g.data)
}

func (g *generator) Store(_ context.Context, call chat.CallID) error {
	g.stored = append(g.stored, call)
	return nil
}

func received(kind string, n int, data []byte) *generator {
	g := &generator{data: data, now: media.Generation{State: media.Received, Model: "m"}}
	for range n {
		g.now.Files = append(g.now.Files, media.StagedFile{MediaType: kind, Size: int64(len(data))})
	}
	return g
}

func run(t *testing.T, g *generator, name string, call tool.Call) chat.ToolResult {
	t.Helper()
	r, err := tool.New(toolmedia.New(g, g)...).Run(t.Context(), name, call)
	require.NoError(t, err)
	return r
}

func TestImage_WritesThePicturesOnceAndShowsHowToDisplayThem(t *testing.T) {
	box, g := tooltest.New(t), received("image/png", 2, mediatest.PNG(1))
	first := run(t, g, toolmedia.ImageTool, box.Call("t.0.0", `{"prompt":"a cat","count":2,"size":"Landscape","background":"transparent","quality":"low"}`))
	require.False(t, first.IsError, first.Content)
	require.Regexp(t, `^Generated 2 pictures with m\. Display it to the user with <<FILE:`+box.Workspace()+`/generated/images/img_[0-9a-f]{8}\.png>> <<FILE:.*/img_[0-9a-f]{8}\.png>>$`, first.Content)
	require.Equal(t, first, run(t, g, toolmedia.ImageTool, box.Call("t.0.0", `{"prompt":"a cat","count":2}`)), "another attempt has the same files")
	files, err := box.ReadDir(t.Context(), "generated/images")
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.Equal(t, string(mediatest.PNG(1)), box.Get(t, files[0].Path))
	require.Equal(t, media.Request{Kind: media.Image, Prompt: "a cat", Count: 2, Shape: "landscape", Background: "transparent", Quality: "low"}, g.calls[0].Request)
	require.Equal(t, []chat.CallID{"t.0.0", "t.0.0"}, g.stored)
}

func TestImage_EditsPicturesOfTheConversation(t *testing.T) {
	box, g := tooltest.New(t), received("image/webp", 1, []byte("RIFF"))
	box.Put(t, "inbox/a.png", string(mediatest.PNG(2)))
	r := run(t, g, toolmedia.ImageTool, box.Call("t.0.0", `{"prompt":"a hat on it","images":["inbox/a.png"]}`))
	require.Contains(t, r.Content, ".webp>>")
	require.Equal(t, []media.File{{Name: "a.png", MediaType: "image/png", Data: mediatest.PNG(2)}}, g.calls[0].Sources)
}

func TestTools_RefuseWhatCannotBeMadeBeforeAnythingIsPaid(t *testing.T) {
	box := tooltest.New(t)
	box.Put(t, "notes.txt", "no picture")
	for name, c := range map[string][3]string{
		"no prompt":     {toolmedia.ImageTool, `{"prompt":" "}`, "prompt is empty"},
		"a size":        {toolmedia.ImageTool, `{"prompt":"a","size":"huge"}`, "WIDTHxHEIGHT"},
		"a background":  {toolmedia.ImageTool, `{"prompt":"a","background":"blue"}`, "transparent, opaque"},
		"a count":       {toolmedia.ImageTool, `{"prompt":"a","count":9}`, "between 1 and 4"},
		"no picture":    {toolmedia.ImageTool, `{"prompt":"a","images":["notes.txt"]}`, "no picture"},
		"a lost file":   {toolmedia.ImageTool, `{"prompt":"a","images":["gone.png"]}`, "gone.png"},
		"many pictures": {toolmedia.ImageTool, `{"prompt":"a","images":["1","2","3","4","5","6","7","8","9"]}`, "at most 8"},
		"a long prompt": {toolmedia.ImageTool, `{"prompt":"` + strings.Repeat("a", 32_001) + `"}`, "32000 characters"},
		"no text":       {toolmedia.SpeechTool, `{"text":""}`, "text is empty"},
		"a format":      {toolmedia.SpeechTool, `{"text":"a","format":"midi"}`, "mp3, opus"},
		"a speed":       {toolmedia.SpeechTool, `{"text":"a","speed":9}`, "between 0.25 and 4"},
		"a long video":  {toolmedia.VideoTool, `{"prompt":"a","seconds":600}`, "between 1 and 20"},
	} {
		t.Run(name, func(t *testing.T) {
			g := received("image/png", 1, nil)
			r := run(t, g, c[0], box.Call("t.0.0", c[1]))
			require.True(t, r.IsError)
			require.Contains(t, r.Content, c[2])
			require.Empty(t, g.calls)
		})
	}
}

func TestSpeechAndVideo_WriteTheirFilesAndShowTheProgress(t *testing.T) {
	box, g := tooltest.New(t), received("audio/mpeg", 1, mediatest.MP3())
	r := run(t, g, toolmedia.SpeechTool, box.Call("t.0.0", `{"text":"hello","voice":"nova","speed":1.2}`))
	require.Regexp(t, `/generated/audio/tts_[0-9a-f]{8}\.mp3>>$`, r.Content)
	var printed strings.Builder
	var shown []string
	call := box.Call("t.0.1", `{"prompt":"waves","seconds":8}`)
	call.Output, call.Progress = func(_ int64, p []byte) { printed.Write(p) }, func(text string) { shown = append(shown, text) }
	g = received("video/mp4", 1, mediatest.MP4(10))
	r = run(t, g, toolmedia.VideoTool, call)
	require.Regexp(t, `/generated/videos/video_[0-9a-f]{8}\.mp4>>$`, r.Content)
	require.Equal(t, "generating\ngenerating: 40 %\ngenerating: 90 %\n", printed.String())
	require.Equal(t, []string{"generating", "generating: 40 %", "generating: 90 %"}, shown)
	require.Equal(t, 8, g.calls[0].Seconds)
}

// away is a box whose runner goes offline before a file is written.
type away struct{ sandbox.Sandbox }

func (away) Edit(context.Context, sandbox.Edit) (int64, error) {
	return 0, fault.Errorf(fault.Unavailable, "%w", &sandbox.OfflineError{Runner: "laptop"})
}

func TestTools_WhatWasPaidForIsFetchedLaterWhereTheRunnerIsAway(t *testing.T) {
	box, g := tooltest.New(t), received("image/png", 1, mediatest.PNG(1))
	call := box.Call("t.0.0", `{"prompt":"a cat"}`)
	call.Box = away{box}
	r := run(t, g, toolmedia.ImageTool, call)
	require.True(t, r.IsError)
	require.Contains(t, r.Content, `generation "t.0.0"`)
	require.Empty(t, g.stored, "it stays staged")
	r = run(t, g, toolmedia.ImageTool, box.Call("t.5.0", `{"prompt":"","generation":"t.0.0"}`))
	require.False(t, r.IsError, r.Content)
	require.Equal(t, 1, g.resumed)
	require.Equal(t, []chat.CallID{"t.0.0"}, g.stored)
}

func TestTools_SayHowAGenerationEnded(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		says string
		not  string
	}{
		"nothing was paid": {&media.Error{State: media.Failed, Text: "change the prompt"}, "Please fix the issue", ""},
		"unknown":          {&media.Error{State: media.Unknown, Text: "The outcome is unknown."}, "only if they want that", "fix the issue"},
		"still running":    {&media.Error{State: media.Started, Text: "It goes on."}, `generation "t.0.0"`, "fix the issue"},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, &generator{err: c.err}, toolmedia.VideoTool, tooltest.New(t).Call("t.0.0", `{"prompt":"waves"}`))
			require.True(t, r.IsError)
			require.Contains(t, r.Content, c.says)
			if c.not != "" {
				require.NotContains(t, r.Content, c.not)
			}
		})
	}
	_, err := tool.New(toolmedia.New(&generator{err: errors.New("no database")}, nil)...).Run(t.Context(), toolmedia.VideoTool, tooltest.New(t).Call("t.0.0", `{"prompt":"waves"}`))
	require.ErrorContains(t, err, "no database")
}

// keys are the sources of the keys of users.
type keys map[chat.UserID]map[string]string

func (k keys) Sources(_ context.Context, user chat.UserID) (map[string]string, error) {
	return k[user], nil
}

func TestSource_OffersToolsWithAKeyAlone(t *testing.T) {
	s := toolmedia.NewSource(keys{1: {"image": "own", "video": "environment", "speech": ""}}, nil, nil)
	for user, want := range map[chat.UserID][]string{1: {toolmedia.ImageTool, toolmedia.VideoTool}, 2: nil} {
		tools, err := s.Tools(t.Context(), toolset.Place{User: user})
		require.NoError(t, err)
		var names []string
		for _, one := range tools {
			names = append(names, one.Spec().Name)
			require.True(t, one.Spec().OnRunner)
			require.True(t, one.Spec().Acts(), "it may need an approval")
			require.Equal(t, chat.ClassIdempotent, one.Spec().Class)
		}
		require.Equal(t, want, names)
	}
}
