package demo

// guest is what the demo says to consumers of services otherwise: they have no folder of a machine, and connect no models.
type guest struct{ intro, help, files string }

// guests are its words, in Chinese and not.
var guests = map[bool]guest{
	false: {
		intro: "I am a built-in demo model, not a language model: I follow a short list of rules, until whoever offers this connects a real model.",
		help:  "Try one of these:\n\n- `todo: buy milk, write code`\n- `what did I say first?`",
		files: "\n- `create generated/notes.txt with hello`, `read generated/notes.txt`, `find generated/*.txt`",
	},
	true: {
		intro: "我是内置的演示模型，不是语言模型：在提供者接入真正的模型之前，我只按一份简短的规则回答。",
		help:  "可以试试：\n\n- `待办：买牛奶，写代码`\n- `我第一句话说了什么？`",
		files: "\n- `创建 generated/notes.txt 内容为 你好`、`读取 generated/notes.txt`、`查找 generated/*.txt`",
	},
}

// words are those for whoever reads the answer. Where tools are offered and no commands among them, it is a consumer of a service.
func (t *turn) words() phrases {
	w := words(t.chinese)
	if len(t.req.Tools) == 0 || t.offered("Shell") {
		return w
	}
	g := guests[t.chinese]
	w.intro, w.help = g.intro, g.help
	if t.offered("FileCreate") {
		w.help += g.files
	}
	return w
}
