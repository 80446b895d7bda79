package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Limits of what an answer repeats.
const (
	maxEchoRunes   = 120
	maxReportRunes = 2000
	maxReportLines = 40
)

// phrases are the demo's words in one language.
type phrases struct {
	intro, help, hint, nothing, greeting, welcome string

	runs                  map[string]string // what a call of a tool does, with its argument
	gave, gaveFor         string            // a result, without and with the call's argument
	failed, failedFor     string
	missingTool, youWrote string
	reasonOne, reasonMany string
	firstSaid, lastSaid   string
	saidNothing, more     string
	taskEnded             string
}

var english = phrases{
	intro: "I am xbot's built-in demo model, not a language model: I follow a short list of rules, so that you can see how " +
		"everything works without a key. To talk to a real model, an administrator connects one: in the settings (Models and keys), or with `xbot setup`. It answers your next message.",
	help: "Try one of these:\n\n" +
		"- `run ls -la` (any command)\n" +
		"- `count to 30 in the background` (you are told when it has ended)\n" +
		"- `count to 10 slowly` (then kill the server in the middle, start it again and watch it go on)\n" +
		"- `read README.md`, `find *.go`, `search for TODO in src`\n" +
		"- `create notes.txt with hello`, `replace hello with goodbye in notes.txt`\n" +
		"- `cd src`\n" +
		"- `todo: buy milk, write code`, `show my todos`\n" +
		"- `remember that I like tea`, in the next conversation `what do you remember?`\n" +
		"- `what did I say first?`",
	hint:     "I only understand plain requests; say `help` for the list.",
	nothing:  "There is nothing for me to answer.",
	greeting: "Hello!",
	welcome:  "You are welcome.",
	runs: map[string]string{
		"Shell": "Running %s.", "Read": "Reading %s.", "Glob": "Looking for %s.", "Grep": "Searching for %s.",
		"FileCreate": "Writing %s.", "FileReplace": "Changing %s.", "Cd": "Moving to %s.", "DownloadFile": "Downloading %s.",
		"todo_write": "Writing your to-do list.", "todo_list": "Looking at your to-do list.",
		"memory_write": "Noting it as %s.", "memory_list": "Looking at my notes.",
	},
	gave:        "%s gave:",
	gaveFor:     "%s (%s) gave:",
	failed:      "%s failed:",
	failedFor:   "%s (%s) failed:",
	missingTool: "That needs the tool %s, which is not offered in this conversation.",
	youWrote:    "You wrote: “%s”.",
	reasonOne:   "The message is a plain request that the tool %s can do.",
	reasonMany:  "The message holds %d plain requests; tools can do them: %s.",
	firstSaid:   "The first thing you said here was: “%s”.",
	lastSaid:    "Before that you said: “%s”.",
	saidNothing: "You have not said anything before this.",
	more:        "… %d more lines; the step above has all of it.",
	taskEnded:   "Background task %s has ended: %s.",
}

var chinese = phrases{
	intro: "我是 xbot 内置的演示模型，不是语言模型：我只按一份简短的规则回答，让你在没有密钥时也能看到完整流程。" +
		"要使用真正的模型，请管理员在设置的“模型与密钥”中连接一个，或运行 `xbot setup`；它会回答你的下一条消息。",
	help: "可以试试：\n\n" +
		"- `运行 ls -la`（任意命令）\n" +
		"- `后台数到 30`（结束时会告诉你）\n" +
		"- `慢慢数到 10`（中途杀掉服务器再启动，看它继续）\n" +
		"- `读取 README.md`、`查找 *.go`、`在 src 中搜索 TODO`\n" +
		"- `创建 notes.txt 内容为 你好`、`把 notes.txt 中的 你好 替换为 再见`\n" +
		"- `进入 src`\n" +
		"- `待办：买牛奶，写代码`、`查看待办`\n" +
		"- `记住我喜欢喝茶`，在下一次对话里问`你记得什么？`\n" +
		"- `我第一句话说了什么？`",
	hint:     "我只听得懂简单的请求；说“帮助”可以看到列表。",
	nothing:  "没有需要我回答的内容。",
	greeting: "你好！",
	welcome:  "不客气。",
	runs: map[string]string{
		"Shell": "正在运行 %s。", "Read": "正在读取 %s。", "Glob": "正在查找 %s。", "Grep": "正在搜索 %s。",
		"FileCreate": "正在写入 %s。", "FileReplace": "正在修改 %s。", "Cd": "正在进入 %s。", "DownloadFile": "正在下载 %s。",
		"todo_write": "正在写待办列表。", "todo_list": "正在查看待办列表。",
		"memory_write": "正在记为 %s。", "memory_list": "正在查看笔记。",
	},
	gave:        "%s 的结果：",
	gaveFor:     "%s（%s）的结果：",
	failed:      "%s 失败了：",
	failedFor:   "%s（%s）失败了：",
	missingTool: "这需要工具 %s，但本次对话没有提供它。",
	youWrote:    "你写的是：“%s”。",
	reasonOne:   "这条消息是一个简单的请求，工具 %s 可以完成。",
	reasonMany:  "这条消息包含 %d 个简单的请求，可以用工具完成：%s。",
	firstSaid:   "你在这里说的第一句话是：“%s”。",
	lastSaid:    "在这之前你说的是：“%s”。",
	saidNothing: "在这之前你还没有说过话。",
	more:        "…… 还有 %d 行，完整内容见上面的步骤。",
	taskEnded:   "后台任务 %s 已结束：%s。",
}

func words(inChinese bool) phrases {
	if inChinese {
		return chinese
	}
	return english
}

// topics are what the demo can talk about without a tool. The first that is heard counts.
var topics = []struct {
	heard  *regexp.Regexp
	answer func(*turn, phrases) string
}{
	{heard(`(?:help|what can you do|帮助|你能做什么|你会什么|怎么用)`), func(_ *turn, w phrases) string { return w.help }},
	{heard(`(?:what (?:did i say|was my) first|my first message|(?:我)?(?:说的)?第一句|第一条消息)`), firstSaid},
	{heard(`(?:what did i (?:just )?say|my (?:last|previous) message|(?:我)?(?:刚才|上一句|上一条)说?)`), lastSaid},
	{heard(`(?:who|what) are you|你是谁|你是什么`), func(t *turn, w phrases) string {
		if t.first {
			return w.help
		}
		return w.intro
	}},
	{heard(`^(?:thanks|thank you|谢谢|多谢)`), func(_ *turn, w phrases) string { return w.welcome }},
	{heard(`^(?:hi|hello|hey|good (?:morning|evening|afternoon)|你好|您好|嗨)\b|^(?:你好|您好|嗨)`), func(_ *turn, w phrases) string {
		return w.greeting + " " + w.help
	}},
}

func heard(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + pattern) }

func firstSaid(t *turn, w phrases) string {
	if said := t.said(); len(said) > 0 {
		return fmt.Sprintf(w.firstSaid, short(said[0]))
	}
	return w.saidNothing
}

func lastSaid(t *turn, w phrases) string {
	if said := t.said(); len(said) > 0 {
		return fmt.Sprintf(w.lastSaid, short(said[len(said)-1]))
	}
	return w.saidNothing
}

// ended takes apart what a model is told when a background task has ended.
var ended = regexp.MustCompile(`^\[background task (\S+) ended: ([^\]\n]*)\]`)

func (w phrases) echo(message string) string { return fmt.Sprintf(w.youWrote, short(message)) }

func (w phrases) missing(tool string) string { return fmt.Sprintf(w.missingTool, "`"+tool+"`") }

// calling says what the calls are about to do.
func (w phrases) calling(calls []call) string {
	var lines []string
	for _, c := range calls {
		line := w.runs[c.tool]
		if strings.Contains(line, "%s") {
			line = fmt.Sprintf(line, code(subject(c.tool, c.arguments())))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (w phrases) reasoning(calls []call) string {
	if len(calls) == 1 {
		return fmt.Sprintf(w.reasonOne, calls[0].tool)
	}
	var names []string
	for _, c := range calls {
		names = append(names, c.tool)
	}
	return fmt.Sprintf(w.reasonMany, len(calls), strings.Join(names, ", "))
}

// report shows what a call gave, in a fence and bounded.
func (w phrases) report(d done) string {
	plain, about := w.gave, w.gaveFor
	if d.result.IsError {
		plain, about = w.failed, w.failedFor
	}
	sentence := fmt.Sprintf(plain, d.Name)
	if what := subject(d.Name, d.Arguments); what != "" {
		sentence = fmt.Sprintf(about, d.Name, code(what))
	}
	return sentence + "\n\n" + w.fence(d.result.Content)
}

// hints are what tools add for a model to act on (spec/001 §7.3); a person needs them not.
var hints = regexp.MustCompile(`\n(?:Please fix the issue and try again\.|Do NOT retry the same command\. Analyze the error, fix the root cause\.)\s*$`)

func (w phrases) fence(content string) string {
	content = strings.TrimRight(hints.ReplaceAllString(content, ""), "\n")
	all := strings.Split(content, "\n")
	shown := all[:min(len(all), maxReportLines)]
	text := head(strings.Join(shown, "\n"), maxReportRunes)
	left := len(all) - strings.Count(text, "\n") - 1
	if left == 0 && len(text) < len(content) {
		text += "…"
	}
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	block := marks + "\n" + text + "\n" + marks
	if left > 0 {
		block += "\n\n" + fmt.Sprintf(w.more, left)
	}
	return block
}

// subject is the argument of a call that a person wants to see.
func subject(tool, arguments string) string {
	var args struct {
		Command string `json:"command"`
		Path    string `json:"path"`
		Pattern string `json:"pattern"`
		URL     string `json:"url"`
	}
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return ""
	}
	text := args.Path
	switch tool {
	case "Shell":
		text = args.Command
	case "Glob", "Grep":
		text = args.Pattern
	case "DownloadFile":
		text = args.URL
	}
	return short(text)
}

// code marks text as code, whatever backticks it holds.
func code(text string) string {
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if cut := head(text, maxEchoRunes); len(cut) < len(text) {
		return cut + "…"
	}
	return text
}
