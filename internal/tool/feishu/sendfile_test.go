package feishu_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/format"
	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/feishu"
	"xbot/internal/tool/toolset"
	"xbot/internal/tool/tooltest"
)

func TestSendFile_NamesTheMarkByWhichAnAnswerSendsTheFile(t *testing.T) {
	t.Parallel()
	tools, box := tool.New(feishu.NewSendFile()), tooltest.New(t)
	send := func(path string) chat.ToolResult {
		r, err := tools.Run(t.Context(), "feishu_send_file", box.Call("c1", `{"path":"`+path+`"}`))
		require.NoError(t, err)
		return r
	}
	file := box.Put(t, "out/my plan (1).txt", "the plan")
	r := send("out/my plan (1).txt")
	require.False(t, r.IsError, r.Content)
	require.Contains(t, r.Content, "Nothing was sent yet")
	links := format.FileLinks(r.Content)
	require.Len(t, links, 1, "an answer that repeats the mark sends the file")
	require.Equal(t, file, links[0].Path)

	box.Put(t, "empty", "")
	require.NoError(t, os.Truncate(box.Put(t, "large", "x"), 30<<20+1))
	for path, says := range map[string]string{
		"missing": "missing", "empty": "empty", "out": "folder", "large": "at most", "/etc/passwd": "outside of the workspace", "a<b>": "cannot be marked", "~/x": "~ is not expanded",
	} {
		r := send(path)
		require.True(t, r.IsError, path)
		require.Contains(t, r.Content, says)
	}
}

func TestSendFile_IsThereInConversationsOnFeishuAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.provider.Enabled = false
	s := feishu.NewSource(feishu.New(w, http.DefaultTransport))
	for channel, has := range map[string]int{"feishu": 1, "web": 0, "qq": 0} {
		got, err := s.Tools(t.Context(), toolset.Place{User: 1, Session: session, Channel: channel})
		require.NoError(t, err)
		require.Len(t, got, has, channel)
		for _, one := range got {
			require.Equal(t, "feishu_send_file", one.Spec().Name)
			require.True(t, one.Spec().Optional)
		}
	}
}
