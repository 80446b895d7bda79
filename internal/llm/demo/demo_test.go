package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm"
	"xbot/internal/llm/demo"
)

// talk is a conversation with the demo model, with all tools offered.
type talk struct {
	t   *testing.T
	req llm.Request
}

func setup(t *testing.T) *talk {
	c := &talk{t: t}
	for _, name := range []string{"Shell", "Read", "FileCreate", "FileReplace", "Glob", "Grep", "Cd", "todo_write", "todo_list", "DownloadFile", "memory_write", "memory_list"} {
		c.req.Tools = append(c.req.Tools, llm.Tool{Name: name})
	}
	return c
}

// say adds a user message.
func (c *talk) say(text string) *talk {
	c.req.Messages = append(c.req.Messages, llm.Message{Role: "user", Content: text})
	return c
}

// answer asks for the next answer and adds it, in a bubble whose clock does not wait.
func (c *talk) answer() llm.Answer {
	c.t.Helper()
	var answer llm.Answer
	synctest.Test(c.t, func(t *testing.T) {
		var err error
		answer, err = demo.Client{}.Generate(t.Context(), c.req, nil)
		require.NoError(t, err)
	})
	c.req.Messages = append(c.req.Messages, llm.Message{Role: "assistant", Content: answer.Text, ToolCalls: answer.ToolCalls})
	return answer
}

// result adds the result of the n-th call of the last answer.
func (c *talk) result(n int, content string, failed bool) *talk {
	for i := len(c.req.Messages) - 1; ; i-- {
		if calls := c.req.Messages[i].ToolCalls; len(calls) > 0 {
			c.req.Messages = append(c.req.Messages, llm.Message{Role: "tool", ToolCallID: calls[n].ID, Content: content, IsError: failed})
			return c
		}
	}
}

func TestGenerate_SaysWhatItIsInItsFirstSentenceOnly(t *testing.T) {
	for text, want := range map[string]string{
		"hello":       "I am xbot's built-in demo model, not a language model",
		"run ls":      "I am xbot's built-in demo model, not a language model",
		"你好":          "我是 xbot 内置的演示模型，不是语言模型",
		"what is 1+1": "I am xbot's built-in demo model",
	} {
		c := setup(t).say(text)
		first := c.answer()
		require.True(t, strings.HasPrefix(first.Text, want), first.Text)
		require.Contains(t, first.Text, "xbot setup")
		if len(first.ToolCalls) > 0 {
			c.result(0, "x", false)
		} else {
			c.say(text)
		}
		require.NotContains(t, c.answer().Text, want)
	}
}

func TestGenerate_SaysThatABackgroundTaskHasEndedInThePersonsLanguage(t *testing.T) {
	const end = "[2026-11-21 Sat 04:12 UTC]\n[background task bg1 ended: exit code 0 after 3 s]\ncommand: ls\nrun pwd"
	for text, want := range map[string]string{"run ls": "Background task bg1 has ended: exit code 0 after 3 s.", "运行 ls": "后台任务 bg1 已结束：exit code 0 after 3 s。"} {
		c := setup(t).say(text)
		c.answer()
		c.result(0, "a", false).answer()
		answer := c.say(end).answer()
		require.Equal(t, want, answer.Text)
		require.Empty(t, answer.ToolCalls)
	}
}

func TestGenerate_CallsToolsFromPlainRequests(t *testing.T) {
	const loop = `{"command":"i=1; while [ $i -le 10 ]; do echo $i; sleep 1; i=$((i+1)); done"}`
	cases := map[string]struct{ tool, arguments string }{
		"run ls -la":                             {"Shell", `{"command":"ls -la"}`},
		"Please run `go test ./... && echo ok`":  {"Shell", `{"command":"go test ./... && echo ok"}`},
		"run:\n```sh\necho a\necho b\n```":       {"Shell", `{"command":"echo a\necho b"}`},
		"$ uname -a":                             {"Shell", `{"command":"uname -a"}`},
		"ls":                                     {"Shell", `{"command":"ls"}`},
		"run make test in the background":        {"Shell", `{"command":"make test","background":true}`},
		"sleep 200 in background":                {"Shell", `{"command":"sleep 200 && echo slept 200 seconds","background":true}`},
		"后台运行 make":                              {"Shell", `{"command":"make","background":true}`},
		"download https://example.com/a/b.txt":   {"DownloadFile", `{"url":"https://example.com/a/b.txt","output_path":"b.txt"}`},
		"下载 https://example.com 到 x.html":        {"DownloadFile", `{"url":"https://example.com","output_path":"x.html"}`},
		"git status":                             {"Shell", `{"command":"git status"}`},
		"运行 ls":                                  {"Shell", `{"command":"ls"}`},
		"请帮我执行一下 make test":                      {"Shell", `{"command":"make test"}`},
		"count to 10 slowly":                     {"Shell", loop},
		"Count from 1 to 10, one per second":     {"Shell", loop},
		"慢慢数到 10":                                {"Shell", loop},
		"sleep 200":                              {"Shell", `{"command":"sleep 200 && echo slept 200 seconds","timeout":230}`},
		"等待 5 秒":                                 {"Shell", `{"command":"sleep 5 && echo slept 5 seconds"}`},
		"read README.md":                         {"Read", `{"path":"README.md"}`},
		"could you show me the file src/main.go": {"Read", `{"path":"src/main.go"}`},
		"读取 README.md":                           {"Read", `{"path":"README.md"}`},
		"看看 go.mod。":                             {"Read", `{"path":"go.mod"}`},
		"find *.go":                              {"Glob", `{"pattern":"*.go"}`},
		"find all files matching *.go in src":    {"Glob", `{"pattern":"*.go","path":"src"}`},
		"find config.json":                       {"Glob", `{"pattern":"**/config.json"}`},
		"list files in docs":                     {"Glob", `{"pattern":"*","path":"docs"}`},
		"查找 *.md":                                {"Glob", `{"pattern":"*.md"}`},
		"search for foo in src":                  {"Grep", `{"pattern":"foo","path":"src"}`},
		"grep \"a (b\"":                          {"Grep", `{"pattern":"a \\(b"}`},
		"在 src 中搜索 TODO":                         {"Grep", `{"pattern":"TODO","path":"src"}`},
		"搜索 func main":                           {"Grep", `{"pattern":"func main"}`},
		"create notes.txt with hello":            {"FileCreate", `{"path":"notes.txt","content":"hello"}`},
		"create a file called notes.txt containing:\nline one\nline two": {"FileCreate", `{"path":"notes.txt","content":"line one\nline two"}`},
		"write \"hi there\" to notes/a.txt":                              {"FileCreate", `{"path":"notes/a.txt","content":"hi there"}`},
		"overwrite notes.txt with bye":                                   {"FileCreate", `{"path":"notes.txt","content":"bye","rewrite":true}`},
		"创建 notes.txt 内容为 你好":                                            {"FileCreate", `{"path":"notes.txt","content":"你好"}`},
		"把 你好 写入 notes.txt":                                              {"FileCreate", `{"path":"notes.txt","content":"你好"}`},
		"replace hello with goodbye in notes.txt":                        {"FileReplace", `{"path":"notes.txt","old_string":"hello","new_string":"goodbye"}`},
		"把 notes.txt 中的 你好 替换为 再见":                                       {"FileReplace", `{"path":"notes.txt","old_string":"你好","new_string":"再见"}`},
		"cd src":                     {"Cd", `{"path":"src"}`},
		"cd ..":                      {"Cd", `{"path":".."}`},
		"进入 src":                     {"Cd", `{"path":"src"}`},
		"todo: buy milk, write code": {"todo_write", `{"todos":[{"id":"1","text":"buy milk","done":false},{"id":"2","text":"write code","done":false}]}`},
		"待办：买牛奶，写代码":                 {"todo_write", `{"todos":[{"id":"1","text":"买牛奶","done":false},{"id":"2","text":"写代码","done":false}]}`},
		"remember that I like tea":   {"memory_write", `{"path":"i-like-tea.md","content":"I like tea"}`},
		"记住我喜欢喝茶":                    {"memory_write", `{"path":"我喜欢喝茶.md","content":"我喜欢喝茶"}`},
		"what do you remember?":      {"memory_list", `{}`},
		"你记得什么？":                     {"memory_list", `{}`},
		"show my todos":              {"todo_list", `{}`},
		"查看待办":                       {"todo_list", `{}`},
		"count to 99999999999999999999999999999999": {"Shell", `{"command":"i=1; while [ $i -le 570 ]; do echo $i; sleep 1; i=$((i+1)); done","timeout":600}`},
	}
	for text, want := range cases {
		answer := setup(t).say(text).answer()
		require.Len(t, answer.ToolCalls, 1, text)
		require.Equal(t, want.tool, answer.ToolCalls[0].Name, text)
		require.Equal(t, want.arguments, answer.ToolCalls[0].Arguments, text)
		require.Equal(t, llm.FinishToolCalls, answer.Finish)
		require.NotEmpty(t, answer.Reasoning)
	}
}

func TestGenerate_TalksWhenNothingIsAskedOfATool(t *testing.T) {
	for _, text := range []string{
		"what do you think about readability?", "open question: why?", "show me your best side", "create a plan with many steps",
		"go to sleep", "date is wrong", "git is great", "look at this", "读书有什么好处", "", "find happiness", "write a poem to my mother", "make it so",
	} {
		answer := setup(t).say(text).answer()
		require.Empty(t, answer.ToolCalls, text)
		require.Equal(t, llm.FinishStop, answer.Finish)
		require.Contains(t, answer.Text, "`")
	}
}

func TestGenerate_SumsUpTheResult(t *testing.T) {
	c := setup(t).say("run ls")
	c.answer()
	answer := c.result(0, "a.txt\nb.txt\n", false).answer()
	require.Equal(t, "Shell (`ls`) gave:\n\n```\na.txt\nb.txt\n```", answer.Text)
	require.Equal(t, llm.FinishStop, answer.Finish)

	failed := setup(t).say("运行 false")
	failed.answer()
	text := failed.result(0, "exit code 1\nDo NOT retry the same command. Analyze the error, fix the root cause.", true).answer().Text
	require.Equal(t, "Shell（`false`）失败了：\n\n```\nexit code 1\n```", text)
}

func TestGenerate_BoundsWhatItRepeats(t *testing.T) {
	c := setup(t).say("run seq 1000")
	c.answer()
	text := c.result(0, strings.Repeat("line\n", 1000), false).answer().Text
	require.Contains(t, text, "… 960 more lines")

	long := setup(t).say("read a.txt")
	long.answer()
	text = long.result(0, strings.Repeat("字", 10_000)+"```", false).answer().Text
	require.Less(t, utf8.RuneCountInString(text), 2100)

	fenced := setup(t).say("read a.md")
	fenced.answer()
	require.Contains(t, fenced.result(0, "```go\nx\n```", false).answer().Text, "````\n```go\nx\n```\n````")
}

func TestGenerate_AnswersEveryMessageThatWaits(t *testing.T) {
	c := setup(t).say("hello").say("run pwd").say("what did I say first?").say("read a.txt\nread b.txt")
	first := c.answer()
	require.Len(t, first.ToolCalls, 3)
	c.result(0, "/home", false).result(1, "A", false).say("run date").result(2, "B", false)
	second := c.answer()
	require.Len(t, second.ToolCalls, 1)
	require.JSONEq(t, `{"command":"date"}`, second.ToolCalls[0].Arguments)
	// The demo numbers its calls anew in each answer; the product gives them ids of its own.
	c.req.Messages[len(c.req.Messages)-1].ToolCalls[0].ID = "own"
	last := c.result(0, "Monday", false).answer().Text
	for _, part := range []string{"Hello!", "/home", "\nA\n", "\nB\n", "Monday", "The first thing you said here was: “hello”."} {
		require.Contains(t, last, part)
	}
}

func TestGenerate_SaysThatAToolIsMissing(t *testing.T) {
	c := setup(t)
	c.req.Tools = nil
	require.Contains(t, c.say("run ls").answer().Text, "needs the tool `Shell`, which is not offered")
}

func TestGenerate_RemembersWhatWasSaid(t *testing.T) {
	c := setup(t).say("my name is Ada")
	c.answer()
	c.say("the sky is blue")
	c.answer()
	require.Contains(t, c.say("What did I say first?").answer().Text, "“my name is Ada”")
	summarized := setup(t).say("[Compacted context] What was said and done before, in short.\n\n## Task\nNothing.").say("my name is Ada")
	got := summarized.answer().Text
	require.NotContains(t, got, "Compacted", "nobody said the summary")
	require.NotContains(t, got, "xbot setup", "the introduction was made before it")
	require.Contains(t, c.say("我刚才说了什么？").answer().Text, "“What did I say first?”")
	require.Contains(t, setup(t).say("what did I say first?").answer().Text, "You have not said anything before this.")
	require.Contains(t, c.say("谢谢").answer().Text, "不客气")
	require.Contains(t, c.say("help").answer().Text, "count to 10 slowly")
}

// pieces records when pieces came.
type pieces struct {
	llm.Sink
	all      []string
	tools    []string
	written  []string // arguments
	progress int
}

func (p *pieces) Text(piece string) { p.all = append(p.all, piece) }
func (p *pieces) ToolCall(_ int, name string) {
	p.tools, p.written = append(p.tools, name), append(p.written, "")
}
func (p *pieces) Arguments(call int, piece string) { p.written[call] += piece }
func (p *pieces) Progress()                        { p.progress++ }

func TestGenerate_StreamsInLittleTime(t *testing.T) {
	c := setup(t).say("read a.txt")
	c.answer()
	c.result(0, strings.Repeat("word ", 400), false)
	synctest.Test(t, func(t *testing.T) {
		sink, start := &pieces{Sink: llm.Discard}, time.Now()
		answer, err := demo.Client{}.Generate(t.Context(), c.req, sink)
		require.NoError(t, err)
		require.Equal(t, answer.Text, strings.Join(sink.all, ""))
		require.Greater(t, len(sink.all), 40)
		require.Equal(t, len(sink.all), sink.progress)
		require.Less(t, time.Since(start), 1500*time.Millisecond)
		require.Greater(t, time.Since(start), 500*time.Millisecond)
		require.Positive(t, answer.Usage.PromptTokens)
	})
}

func TestGenerate_StopsAtOnceWithWhatItSaid(t *testing.T) {
	c := setup(t).say("hello")
	synctest.Test(t, func(t *testing.T) {
		stopped := errors.New("stopped by a person")
		ctx, stop := context.WithCancelCause(t.Context())
		time.AfterFunc(300*time.Millisecond, func() { stop(stopped) })
		sink, start := &pieces{Sink: llm.Discard}, time.Now()
		answer, err := demo.Client{}.Generate(ctx, c.req, sink)
		require.Equal(t, stopped, err)
		require.Equal(t, 300*time.Millisecond, time.Since(start))
		require.Equal(t, strings.Join(sink.all, ""), answer.Text)
		require.NotEmpty(t, answer.Text)
	})
}

func TestGenerate_GivesTheSameAnswerTwice(t *testing.T) {
	first, second := setup(t).say("search for x").answer(), setup(t).say("search for x").answer()
	require.Equal(t, first, second)
	require.Equal(t, "demo/demo", demo.Client{}.Model())
}

func FuzzGenerate_AnswersAnything(f *testing.F) {
	f.Add("run ls", "out", true)
	f.Add("todo: ,,;、", "```", false)
	f.Add("把 写入 a.txt", "", true)
	f.Add("count to 0", "\xff", true)
	f.Fuzz(func(t *testing.T, text, result string, failed bool) {
		ctx, stop := context.WithCancel(context.Background())
		stop() // what is decided does not depend on how much of it is streamed
		req := llm.Request{Tools: []llm.Tool{{Name: "Shell"}, {Name: "Read"}, {Name: "Glob"}, {Name: "Grep"}, {Name: "todo_write"}}}
		req.Messages = []llm.Message{{Role: "user", Content: text}}
		_, err := demo.Client{}.Generate(ctx, req, nil)
		require.ErrorIs(t, err, context.Canceled)
		answer := demo.Think(req)
		for _, call := range answer.ToolCalls {
			require.True(t, json.Valid([]byte(call.Arguments)), call.Arguments)
		}
		require.NotEmpty(t, answer.Text)
		req.Messages = append(req.Messages, llm.Message{Role: "assistant", ToolCalls: answer.ToolCalls})
		for _, call := range answer.ToolCalls {
			req.Messages = append(req.Messages, llm.Message{Role: "tool", ToolCallID: call.ID, Content: result, IsError: failed})
		}
		last := demo.Think(req)
		require.Empty(t, last.ToolCalls)
		require.NotEmpty(t, last.Text)
	})
}

func TestGenerate_DoesNotTakeTheLineBeforeAMessageForThePersonsWords(t *testing.T) {
	c := setup(t)
	answer := c.say("[2026-11-21 Sat 04:12 UTC · folder /work]\nrun ls -la").answer()
	require.Len(t, answer.ToolCalls, 1)
	require.JSONEq(t, `{"command":"ls -la"}`, answer.ToolCalls[0].Arguments)
	answer = setup(t).say("[2026-11-21 Sat 04:12 UTC]\ngood evening").answer()
	require.NotContains(t, answer.Text, "UTC")
}

func TestGenerate_TellsAConsumerOfAServiceOnlyWhatTheyCanDoThere(t *testing.T) {
	c := &talk{t: t, req: llm.Request{Tools: []llm.Tool{{Name: "Read"}, {Name: "FileCreate"}, {Name: "Glob"}, {Name: "todo_write"}, {Name: "todo_list"}}}}
	for text, want := range map[string]string{"hello": "create generated/notes.txt with hello", "你好": "创建 generated/notes.txt 内容为 你好"} {
		c.req.Messages = nil
		first := c.say(text).answer().Text
		require.Contains(t, first, want)
		for _, of := range []string{"xbot", "ls -la", "src", "README", "Models and keys", "模型与密钥", "run ", "运行"} {
			require.NotContains(t, first, of)
		}
		require.NotEmpty(t, c.say(want).answer().ToolCalls, "what it names it does")
	}
	c.req.Messages, c.req.Tools = nil, c.req.Tools[3:]
	require.NotContains(t, c.say("hello").answer().Text, "notes.txt", "where there are no files")
}
