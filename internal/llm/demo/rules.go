package demo

import (
	"encoding/json"
	"regexp"
	"strings"
)

// call is a tool call that a request asks for.
type call struct {
	tool string
	args *arguments
}

// arguments has the parameters of all tools that the demo calls. Pointers mark those that a call sends even if empty.
type arguments struct {
	Command    *string `json:"command,omitempty"`
	Timeout    int     `json:"timeout,omitempty"` // seconds
	Background bool    `json:"background,omitempty"`
	URL        string  `json:"url,omitempty"`
	OutputPath string  `json:"output_path,omitempty"`
	Pattern    string  `json:"pattern,omitempty"`
	Path       string  `json:"path,omitempty"`
	Content    *string `json:"content,omitempty"`
	Rewrite    bool    `json:"rewrite,omitempty"`
	Old        *string `json:"old_string,omitempty"`
	New        *string `json:"new_string,omitempty"`
	Todos      []todo  `json:"todos,omitempty"`
}

type todo struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Done bool   `json:"done"`
}

func (a *arguments) encode() string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // people read "a && b" in the page
	if err := encoder.Encode(a); err != nil {
		panic(err) // strings, numbers and booleans always encode
	}
	return strings.TrimSpace(text.String())
}

// rule recognises one way of asking for a tool. build returns nil where a text only looks like a request.
type rule struct {
	tool    string
	build   func(groups) *arguments
	pattern *regexp.Regexp
}

// groups are the named parts of a request.
type groups map[string]string

// rules are tried in order; the first that fits counts.
var rules = []rule{
	{"Shell", count, re(`(?:slowly )?count (?:slowly )?(?:up )?(?:from (?:1|one) )?to (?P<n>\d+).{0,40}`)},
	{"Shell", count, re(`(?:慢慢地?)?(?:从\s*[1一]\s*)?数到\s*(?P<n>\d+).{0,20}`)},
	{"Shell", sleep, re(`(?:sleep|wait|pause)(?: for)? (?P<n>\d+) ?(?:s|sec|seconds?)?`)},
	{"Shell", sleep, re(`(?:睡|休眠|等待?)\s*(?P<n>\d+)\s*秒钟?`)},

	{"Shell", shell, re("(?:run|execute|exec|shell)(?: the)?(?: command)?:?\\s+(?:```\\w*\\n)?(?P<command>.+?)(?:\\n```)?")},
	{"Shell", shell, re("(?:运行|执行|跑)(?:一下)?(?:命令)?\\s*[:：]?\\s*(?:```\\w*\\n)?(?P<command>[!-~].*?)(?:\\n```)?")},
	{"Shell", shell, re(`[$!]\s*(?P<command>\S.*)`)},
	{"Shell", shell, re(`(?P<command>(?:pwd|date|whoami|uname|df|uptime)(?: -\S+)*|ls(?: \S+)*|git (?:status|log|diff|branch)(?: \S+)*)`)},

	{"todo_list", noArguments, re(`(?:show |list |see )?(?:me )?(?:my |the )?to-?dos?(?: list)?|what is left(?: to do)?`)},
	{"todo_list", noArguments, re(`(?:查看|看看|列出|显示)?(?:我的)?待办(?:事项|列表|清单)?|有哪些待办`)},
	{"todo_write", todoWrite, re(`(?:add |set |write )?(?:my )?to-?dos?(?: list)?\s*[:：]\s*(?P<items>.+)`)},
	{"todo_write", todoWrite, re(`(?:添加|设置|记下)?待办(?:事项|列表|清单)?\s*[:：]\s*(?P<items>.+)`)},

	{"memory_write", memoryWrite, re(`(?:remember|note|keep in mind)(?: that)?\s*[:：]?\s+(?P<content>.+)`)},
	{"memory_write", memoryWrite, re(`记住\s*[:：，,]?\s*(?P<content>.+)`)},
	{"memory_list", noArguments, re(`what do you (?:remember|know about me)\??|(?:show |list )(?:me )?(?:my |your |the )?notes`)},
	{"memory_list", noArguments, re(`你(?:还)?记得(?:什么|些什么|哪些)[?？]?|(?:查看|列出)(?:我的)?(?:笔记|记忆)`)},

	{"FileCreate", create, re(`(?P<verb>create|make|write|save|overwrite|rewrite)(?: a| the)?(?: new)?(?: file)?(?: called| named)? (?P<path>\S+?)[,:]? (?:with|containing|saying)(?: the)?(?: text| content)?:?\s+(?P<content>.+)`)},
	{"FileCreate", create, re(`(?P<verb>write|save|put) (?P<content>.+) (?:to|into) (?:the )?(?:file )?(?P<path>\S+)`)},
	{"FileCreate", create, re(`(?P<verb>创建|新建|覆盖)(?:一个)?(?:文件)?\s*(?P<path>[^\s，,]+?)\s*[，,]?\s*(?:并)?(?:写入|写上|内容(?:为|是)?)\s*[:：]?\s*(?P<content>.+)`)},
	{"FileCreate", create, re(`(?P<verb>把|将)\s*(?P<content>.+?)\s*(?:写入|写到|保存到|存到)\s*(?:文件)?\s*(?P<path>\S+)`)},

	{"FileReplace", replace, re(`replace (?P<old>.+) (?:with|by) (?P<new>.+) in (?:the )?(?:file )?(?P<path>\S+)`)},
	{"FileReplace", replace, re(`(?:把|将)\s*(?P<path>[^\s中里]+)\s*(?:中|里)的?\s*(?P<old>.+?)\s*(?:替换|改)(?:为|成)\s*(?P<new>.+)`)},

	{"Grep", grep, re(`(?:(?:search|grep)(?: the)?(?: files)?(?: for)?|look for) (?P<pattern>.+?)(?: (?:in|under|inside)(?: the)?(?: folder| directory)? (?P<path>\S+))?`)},
	{"Grep", grep, re(`在\s*(?P<path>\S+?)\s*(?:里|中|下|目录下|文件夹里)?(?:面)?(?:搜索|查找|搜)\s*(?P<pattern>.+)`)},
	{"Grep", grep, re(`(?:搜索|检索|搜一下|搜)\s*(?P<pattern>.+)`)},

	{"Glob", glob, re(`(?P<verb>find|glob|list|show)(?: me)?(?: all)?(?: the)?(?: files)?(?: matching| named| called)? (?P<pattern>\S+)(?: files)?(?: (?:in|under|inside) (?P<path>\S+))?`)},
	{"Glob", glob, re(`(?:list|show)(?: me)?(?: all)?(?: the)? files(?: (?:in|under|inside) (?P<path>\S+))?`)},
	{"Glob", glob, re(`(?:查找|找一下|找到|找|列出)\s*(?:所有)?(?:文件)?\s*(?P<pattern>[!-~]+)\s*(?:文件)?`)},
	{"Glob", glob, re(`列出(?:所有)?文件`)},

	{"DownloadFile", download, re(`(?:download|fetch) (?P<url>https?://\S+)(?: (?:to|into|as) (?P<path>\S+))?`)},
	{"DownloadFile", download, re(`下载\s*(?P<url>https?://\S+)(?:\s*(?:到|为)\s*(?P<path>\S+))?`)},

	{"Read", readFile, re(`(?P<verb>read|cat)(?: me)?(?: the)?(?: file)? (?P<path>.+)`)},
	{"Read", readFile, re(`(?P<verb>show|open|display|print|view)(?: me)?(?: the)?(?: file)? (?P<path>.+)`)},
	{"Read", readFile, re(`(?P<verb>读取?一?下?|查看|打开|看看?|显示)\s*(?:文件)?\s*(?P<path>.+)`)},

	{"Cd", cd, re(`cd (?P<path>\S+)`)},
	{"Cd", cdPath, re(`(?:go to|change(?: the)?(?: directory| folder)? to|enter)(?: the)?(?: folder| directory)? (?P<path>\S+)`)},
	{"Cd", cd, re(`(?:进入|切换到|转到)\s*(?:目录|文件夹)?\s*(?P<path>[!-~]+)\s*(?:目录|文件夹)?`)},
}

// re makes a pattern that must match a whole request, in any case of letters and over several lines.
func re(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?is)^(?:` + pattern + `)$`) }

// maxRequestBytes bounds a request. No rule is tried on longer texts.
const maxRequestBytes = 16 << 10

// understand returns the calls that a message asks for: one for each line when every line is a request, otherwise one
// for the whole message, or none.
func understand(message string) []call {
	if len(message) > maxRequestBytes {
		return nil
	}
	var calls []call
	for line := range strings.Lines(message) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		c, ok := request(line)
		if !ok {
			calls = nil
			break
		}
		calls = append(calls, c)
	}
	if len(calls) > 0 {
		return calls
	}
	if c, ok := request(strings.TrimSpace(message)); ok {
		return []call{c}
	}
	return nil
}

var (
	courtesy = regexp.MustCompile(`(?i)^(?:(?:please|pls|can you|could you|would you|now|then|请你?|麻烦你?|帮我|帮忙|给我|现在|然后)[,，]?\s*)+`)
	behind   = regexp.MustCompile(`(?i)(?:[,，]?\s+in (?:the )?background|^在?后台\s*)`)
	trailing = regexp.MustCompile(`(?i)[,，]?\s*(?:please|thanks|thank you|谢谢)?[.!?。！？]*$`)
)

// request finds the rule that a text follows.
func request(text string) (call, bool) {
	text = courtesy.ReplaceAllString(text, "")
	if at := behind.FindStringIndex(text); at != nil && (at[0] == 0 || at[1] == len(text)) {
		c, ok := request(text[:at[0]] + text[at[1]:])
		if ok && c.tool == "Shell" {
			c.args.Background, c.args.Timeout = true, 0
		}
		return c, ok
	}
	for _, r := range rules {
		found := r.pattern.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		parts := groups{}
		for n, name := range r.pattern.SubexpNames() {
			parts[name] = found[n]
		}
		if args := r.build(parts); args != nil {
			return call{r.tool, args}, true
		}
	}
	return call{}, false
}
