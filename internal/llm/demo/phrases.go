package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Limits of quoted text in an answer.
const (
	maxEchoRunes   = 120
	maxReportRunes = 2000
	maxReportLines = 40
)

// phrase is a sentence in English and Chinese, with the verbs of fmt.
type phrase struct{ english, chinese string }

var (
	introduction = phrase{
		"I am xbot's built-in demo model, not a language model: I follow a short list of rules, so that you can see how " +
			"everything works without a key. To talk to a real model, an administrator connects one: in the settings (Models and keys), or with `xbot setup`. It answers your next message.",
		"我是 xbot 内置的演示模型，不是语言模型：我只按一份简短的规则回答，让你在没有密钥时也能看到完整流程。" +
			"要使用真正的模型，请管理员在设置的“模型与密钥”中连接一个，或运行 `xbot setup`；它会回答你的下一条消息。",
	}
	examples = phrase{
		`Try one of these:

- 'run ls -la' (any command)
- 'count to 30 in the background' (you are told when it has ended)
- 'count to 10 slowly' (then kill the server in the middle, start it again and watch it go on)
- 'read README.md', 'find *.go', 'search for TODO in src'
- 'create notes.txt with hello', 'replace hello with goodbye in notes.txt'
- 'cd src'
- 'todo: buy milk, write code', 'show my todos'
- 'remember that I like tea', in the next conversation 'what do you remember?'
- 'what did I say first?'`,
		`可以试试：

- '运行 ls -la'（任意命令）
- '后台数到 30'（结束时会告诉你）
- '慢慢数到 10'（中途杀掉服务器再启动，看它继续）
- '读取 README.md'、'查找 *.go'、'在 src 中搜索 TODO'
- '创建 notes.txt 内容为 你好'、'把 notes.txt 中的 你好 替换为 再见'
- '进入 src'
- '待办：买牛奶，写代码'、'查看待办'
- '记住我喜欢喝茶'，在下一次对话里问'你记得什么？'
- '我第一句话说了什么？'`,
	}
	// Consumers of services have no folder of a machine, and connect no models.
	consumerIntroduction = phrase{
		"I am a built-in demo model, not a language model: I follow a short list of rules, until whoever offers this connects a real model.",
		"我是内置的演示模型，不是语言模型：在提供者接入真正的模型之前，我只按一份简短的规则回答。",
	}
	consumerExamples = phrase{
		"Try one of these:\n\n- 'todo: buy milk, write code'\n- 'what did I say first?'",
		"可以试试：\n\n- '待办：买牛奶，写代码'\n- '我第一句话说了什么？'",
	}
	consumerFiles = phrase{
		"\n- 'create generated/notes.txt with hello', 'read generated/notes.txt', 'find generated/*.txt'",
		"\n- '创建 generated/notes.txt 内容为 你好'、'读取 generated/notes.txt'、'查找 generated/*.txt'",
	}

	hint        = phrase{"I only understand plain requests; say `help` for the list.", "我只听得懂简单的请求；说“帮助”可以看到列表。"}
	nothing     = phrase{"There is nothing for me to answer.", "没有需要我回答的内容。"}
	greeting    = phrase{"Hello!", "你好！"}
	welcome     = phrase{"You are welcome.", "不客气。"}
	gave        = phrase{"%s gave:", "%s 的结果："}
	gaveFor     = phrase{"%s (%s) gave:", "%s（%s）的结果："}
	failed      = phrase{"%s failed:", "%s 失败了："}
	failedFor   = phrase{"%s (%s) failed:", "%s（%s）失败了："}
	missingTool = phrase{"That needs the tool `%s`, which is not offered in this conversation.", "这需要工具 `%s`，但本次对话没有提供它。"}
	youWrote    = phrase{"You wrote: “%s”.", "你写的是：“%s”。"}
	reasonOne   = phrase{"The message is a plain request that the tool %s can do.", "这条消息是一个简单的请求，工具 %s 可以完成。"}
	reasonMany  = phrase{"The message holds %d plain requests; tools can do them: %s.", "这条消息包含 %d 个简单的请求，可以用工具完成：%s。"}
	firstSaid   = phrase{"The first thing you said here was: “%s”.", "你在这里说的第一句话是：“%s”。"}
	lastSaid    = phrase{"Before that you said: “%s”.", "在这之前你说的是：“%s”。"}
	saidNothing = phrase{"You have not said anything before this.", "在这之前你还没有说过话。"}
	more        = phrase{"… %d more lines; the step above has all of it.", "…… 还有 %d 行，完整内容见上面的步骤。"}
	taskEnded   = phrase{"Background task %s has ended: %s.", "后台任务 %s 已结束：%s。"}
)

// announcements say what the call of a tool does, with its argument.
var announcements = map[string]phrase{
	"Shell":        {"Running %s.", "正在运行 %s。"},
	"Read":         {"Reading %s.", "正在读取 %s。"},
	"Glob":         {"Looking for %s.", "正在查找 %s。"},
	"Grep":         {"Searching for %s.", "正在搜索 %s。"},
	"FileCreate":   {"Writing %s.", "正在写入 %s。"},
	"FileReplace":  {"Changing %s.", "正在修改 %s。"},
	"Cd":           {"Moving to %s.", "正在进入 %s。"},
	"DownloadFile": {"Downloading %s.", "正在下载 %s。"},
	"todo_write":   {"Writing your to-do list.", "正在写待办列表。"},
	"todo_list":    {"Looking at your to-do list.", "正在查看待办列表。"},
	"memory_write": {"Noting it as %s.", "正在记为 %s。"},
	"memory_list":  {"Looking at my notes.", "正在查看笔记。"},
}

// topics are what the demo talks about without a tool. The first that matches counts.
var topics = []struct {
	pattern *regexp.Regexp
	answer  func(*turn) string
}{
	{regexp.MustCompile(`(?i)(?:help|what can you do|帮助|你能做什么|你会什么|怎么用)`), (*turn).help},
	{regexp.MustCompile(`(?i)(?:what (?:did i say|was my) first|my first message|(?:我)?(?:说的)?第一句|第一条消息)`), func(t *turn) string { return t.quote(true) }},
	{regexp.MustCompile(`(?i)(?:what did i (?:just )?say|my (?:last|previous) message|(?:我)?(?:刚才|上一句|上一条)说?)`), func(t *turn) string { return t.quote(false) }},
	{regexp.MustCompile(`(?i)(?:who|what) are you|你是谁|你是什么`), (*turn).self},
	{regexp.MustCompile(`(?i)^(?:thanks|thank you|谢谢|多谢)`), func(t *turn) string { return t.say(welcome) }},
	{regexp.MustCompile(`(?i)^(?:hi|hello|hey|good (?:morning|evening|afternoon)|你好|您好|嗨)\b|^(?:你好|您好|嗨)`), func(t *turn) string {
		return t.say(greeting) + " " + t.help()
	}},
}

// say returns a phrase in the language of the newest message.
func (t *turn) say(p phrase, args ...any) string {
	text := p.english
	if t.chinese {
		text = p.chinese
	}
	return fmt.Sprintf(text, args...)
}

func (t *turn) intro() string {
	if t.consumer() {
		return t.say(consumerIntroduction)
	}
	return t.say(introduction)
}

func (t *turn) help() string {
	text := t.say(examples)
	if t.consumer() {
		text = t.say(consumerExamples)
		if t.offered("FileCreate") {
			text += t.say(consumerFiles)
		}
	}
	return strings.ReplaceAll(text, "'", "`")
}

// self returns what the demo is, or what it can do if the answer already contains that.
func (t *turn) self() string {
	if t.first {
		return t.help()
	}
	return t.intro()
}

// quote repeats the user's first message, or the last one before the newest.
func (t *turn) quote(first bool) string {
	var earlier []string
	for _, m := range t.messages {
		if m.Role == "user" {
			earlier = append(earlier, short(m.Content))
		}
	}
	switch n := len(earlier) - 1; {
	case n < 1:
		return t.say(saidNothing)
	case first:
		return t.say(firstSaid, earlier[0])
	default:
		return t.say(lastSaid, earlier[n-1])
	}
}

// reply answers a message that asks for no tool, or for one that is missing.
func (t *turn) reply(message string) string {
	if task := ended.FindStringSubmatch(message); task != nil {
		return t.say(taskEnded, task[1], task[2])
	}
	if calls := understand(message); len(calls) > 0 {
		return t.say(missingTool, calls[0].tool)
	}
	for _, topic := range topics {
		if topic.pattern.MatchString(strings.TrimSpace(message)) {
			return topic.answer(t)
		}
	}
	echo := t.say(youWrote, short(message))
	if t.first {
		return echo + "\n\n" + t.help()
	}
	return echo + " " + t.say(hint)
}

// announce describes the calls.
func (t *turn) announce() string {
	var lines []string
	for _, c := range t.calls {
		p := announcements[c.tool]
		if strings.Contains(p.english, "%s") {
			lines = append(lines, t.say(p, code(subject(c.args.encode()))))
		} else {
			lines = append(lines, t.say(p))
		}
	}
	return strings.Join(lines, "\n")
}

func (t *turn) reasoning() string {
	if len(t.calls) == 1 {
		return t.say(reasonOne, t.calls[0].tool)
	}
	var names []string
	for _, c := range t.calls {
		names = append(names, c.tool)
	}
	return t.say(reasonMany, len(names), strings.Join(names, ", "))
}

// report shows the result of a call, in a fence and bounded.
func (t *turn) report(r result) string {
	plain, about := gave, gaveFor
	if r.output.IsError {
		plain, about = failed, failedFor
	}
	sentence := t.say(plain, r.Name)
	if what := subject(r.Arguments); what != "" {
		sentence = t.say(about, r.Name, code(what))
	}
	return sentence + "\n\n" + t.fence(r.output.Content)
}

// advice matches the parts of results that tools add for models alone.
var advice = regexp.MustCompile(`\n(?:Please fix the issue and try again\.|Do NOT retry the same command\. Analyze the error, fix the root cause\.)\s*$`)

func (t *turn) fence(content string) string {
	content = strings.TrimRight(advice.ReplaceAllString(content, ""), "\n")
	lines := strings.Split(content, "\n")
	text := head(strings.Join(lines[:min(len(lines), maxReportLines)], "\n"), maxReportRunes)
	left := len(lines) - strings.Count(text, "\n") - 1
	if left == 0 && len(text) < len(content) {
		text += "…"
	}
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	block := marks + "\n" + text + "\n" + marks
	if left > 0 {
		block += "\n\n" + t.say(more, left)
	}
	return block
}

// subject returns the argument of a call that identifies it, empty if there is none.
func subject(arguments string) string {
	var args struct {
		Command string `json:"command"`
		URL     string `json:"url"`
		Pattern string `json:"pattern"`
		Path    string `json:"path"`
	}
	// A parameter of another type, of a tool that another model called, costs that parameter alone.
	_ = json.Unmarshal([]byte(arguments), &args)
	return short(cmp.Or(args.Command, args.URL, args.Pattern, args.Path))
}

// code marks text as code, also text that holds backticks.
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

// head returns the first n runes of a text.
func head(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
