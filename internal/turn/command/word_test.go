package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/command"
)

func TestWord_OnlyAWholeMessageMeansACommand(t *testing.T) {
	for text, want := range map[string]string{
		"停": "stop", " 停止！ ": "stop", "停下。": "stop", "STOP!": "stop", "帮助": "help", "help": "help", "继续": "continue", "Continue.": "continue",
		"新对话": "new", "新会话~": "new", "停一下": "", "请继续": "", "stop the server": "", "helpful": "", "": "", "！": "", "new": "", "帮助我": "",
	} {
		require.Equal(t, want, command.Word(text), text)
	}
}

func TestTranslate_AChineseNameBehindASlashIsItsCommand(t *testing.T) {
	for text, want := range map[string]string{
		"/停止": "/stop", "／停止": "/stop", " /模型 kimi": "/model kimi", "/帮助：停止": "/help：停止", "/停止@bot": "/stop@bot", "/新对话\n你好": "/new\n你好",
		"/停止一下": "/停止一下", "/stop": "/stop", "停止": "停止", "/": "/", "/什么": "/什么", "/停止 x": "/stop x",
	} {
		require.Equal(t, want, command.Translate(text), text)
	}
}

func FuzzTranslate(f *testing.F) {
	f.Add("/停止")
	f.Add("／新对话：\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := command.Translate(text)
		if got != text {
			c, ok := command.Parse(got)
			require.True(t, ok && strings.HasPrefix(got, "/"), "%q became %q", text, got)
			require.Equal(t, got, command.Translate(got), "once is enough")
			require.NotEmpty(t, c.Name)
		}
	})
}
