package demo

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Limits of what a request may ask for.
const (
	maxSeconds     = 570 // the Shell tool allows 600
	spareSeconds   = 30
	maxTodos       = 50
	defaultSeconds = 120 // the Shell tool's own limit
)

// rule recognises one way of asking for a tool. build may still say no, where a word only looks like a path.
type rule struct {
	pattern *regexp.Regexp
	build   func(group map[string]string) (call, bool)
}

// rules are tried in order; the first that fits counts.
var rules = []rule{
	{re(`(?:slowly )?count (?:slowly )?(?:up )?(?:from (?:1|one) )?to (?P<n>\d+).{0,40}`), count},
	{re(`(?:慢慢地?)?(?:从\s*[1一]\s*)?数到\s*(?P<n>\d+).{0,20}`), count},
	{re(`(?:sleep|wait|pause)(?: for)? (?P<n>\d+) ?(?:s|sec|seconds?)?`), sleep},
	{re(`(?:睡|休眠|等待?)\s*(?P<n>\d+)\s*秒钟?`), sleep},

	{re("(?:run|execute|exec|shell)(?: the)?(?: command)?:?\\s+(?:```\\w*\\n)?(?P<command>.+?)(?:\\n```)?"), shell},
	{re("(?:运行|执行|跑)(?:一下)?(?:命令)?\\s*[:：]?\\s*(?:```\\w*\\n)?(?P<command>[!-~].*?)(?:\\n```)?"), shell},
	{re(`[$!]\s*(?P<command>\S.*)`), shell},
	{re(`(?P<command>(?:pwd|date|whoami|uname|df|uptime)(?: -\S+)*|ls(?: \S+)*|git (?:status|log|diff|branch)(?: \S+)*)`), shell},

	{re(`(?:show |list |see )?(?:me )?(?:my |the )?to-?dos?(?: list)?|what is left(?: to do)?`), todoList},
	{re(`(?:查看|看看|列出|显示)?(?:我的)?待办(?:事项|列表|清单)?|有哪些待办`), todoList},
	{re(`(?:add |set |write )?(?:my )?to-?dos?(?: list)?\s*[:：]\s*(?P<items>.+)`), todoWrite},
	{re(`(?:添加|设置|记下)?待办(?:事项|列表|清单)?\s*[:：]\s*(?P<items>.+)`), todoWrite},

	{re(`(?:remember|note|keep in mind)(?: that)?\s*[:：]?\s+(?P<content>.+)`), memoryWrite},
	{re(`记住\s*[:：，,]?\s*(?P<content>.+)`), memoryWrite},
	{re(`what do you (?:remember|know about me)\??|(?:show |list )(?:me )?(?:my |your |the )?notes`), memoryList},
	{re(`你(?:还)?记得(?:什么|些什么|哪些)[?？]?|(?:查看|列出)(?:我的)?(?:笔记|记忆)`), memoryList},

	{re(`(?P<verb>create|make|write|save|overwrite|rewrite)(?: a| the)?(?: new)?(?: file)?(?: called| named)? (?P<path>\S+?)[,:]? (?:with|containing|saying)(?: the)?(?: text| content)?:?\s+(?P<content>.+)`), create},
	{re(`(?P<verb>write|save|put) (?P<content>.+) (?:to|into) (?:the )?(?:file )?(?P<path>\S+)`), create},
	{re(`(?P<verb>创建|新建|覆盖)(?:一个)?(?:文件)?\s*(?P<path>[^\s，,]+?)\s*[，,]?\s*(?:并)?(?:写入|写上|内容(?:为|是)?)\s*[:：]?\s*(?P<content>.+)`), create},
	{re(`(?P<verb>把|将)\s*(?P<content>.+?)\s*(?:写入|写到|保存到|存到)\s*(?:文件)?\s*(?P<path>\S+)`), create},

	{re(`replace (?P<old>.+) (?:with|by) (?P<new>.+) in (?:the )?(?:file )?(?P<path>\S+)`), replace},
	{re(`(?:把|将)\s*(?P<path>[^\s中里]+)\s*(?:中|里)的?\s*(?P<old>.+?)\s*(?:替换|改)(?:为|成)\s*(?P<new>.+)`), replace},

	{re(`(?:(?:search|grep)(?: the)?(?: files)?(?: for)?|look for) (?P<pattern>.+?)(?: (?:in|under|inside)(?: the)?(?: folder| directory)? (?P<path>\S+))?`), grep},
	{re(`在\s*(?P<path>\S+?)\s*(?:里|中|下|目录下|文件夹里)?(?:面)?(?:搜索|查找|搜)\s*(?P<pattern>.+)`), grep},
	{re(`(?:搜索|检索|搜一下|搜)\s*(?P<pattern>.+)`), grep},

	{re(`(?P<verb>find|glob|list|show)(?: me)?(?: all)?(?: the)?(?: files)?(?: matching| named| called)? (?P<pattern>\S+)(?: files)?(?: (?:in|under|inside) (?P<path>\S+))?`), glob},
	{re(`(?:list|show)(?: me)?(?: all)?(?: the)? files(?: (?:in|under|inside) (?P<path>\S+))?`), glob},
	{re(`(?:查找|找一下|找到|找|列出)\s*(?:所有)?(?:文件)?\s*(?P<pattern>[!-~]+)\s*(?:文件)?`), glob},
	{re(`列出(?:所有)?文件`), glob},

	{re(`(?:download|fetch) (?P<url>https?://\S+)(?: (?:to|into|as) (?P<path>\S+))?`), download},
	{re(`下载\s*(?P<url>https?://\S+)(?:\s*(?:到|为)\s*(?P<path>\S+))?`), download},

	{re(`(?P<verb>read|cat)(?: me)?(?: the)?(?: file)? (?P<path>.+)`), read},
	{re(`(?P<verb>show|open|display|print|view)(?: me)?(?: the)?(?: file)? (?P<path>.+)`), read},
	{re(`(?P<verb>读取?一?下?|查看|打开|看看?|显示)\s*(?:文件)?\s*(?P<path>.+)`), read},

	{re(`cd (?P<path>\S+)`), cd},
	{re(`(?:go to|change(?: the)?(?: directory| folder)? to|enter)(?: the)?(?: folder| directory)? (?P<path>\S+)`), cdPath},
	{re(`(?:进入|切换到|转到)\s*(?:目录|文件夹)?\s*(?P<path>[!-~]+)\s*(?:目录|文件夹)?`), cd},
}

// re makes a pattern that must match a whole request, in any case of letters and over several lines.
func re(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?is)^(?:` + pattern + `)$`) }

func shell(g map[string]string) (call, bool) {
	return call{"Shell", shellArgs{Command: unquote(g["command"])}}, true
}

// count prints a number each second: something to pull the plug on.
func count(g map[string]string) (call, bool) {
	n := seconds(g["n"])
	loop := fmt.Sprintf("i=1; while [ $i -le %d ]; do echo $i; sleep 1; i=$((i+1)); done", n)
	return call{"Shell", shellArgs{Command: loop, Timeout: limit(n)}}, n > 0
}

func sleep(g map[string]string) (call, bool) {
	n := seconds(g["n"])
	return call{"Shell", shellArgs{Command: fmt.Sprintf("sleep %d && echo slept %d seconds", n, n), Timeout: limit(n)}}, n > 0
}

func seconds(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return maxSeconds // digits only, so the number is too large
	}
	return min(n, maxSeconds)
}

// limit gives long commands more time than the tool's default.
func limit(n int) int {
	if n+spareSeconds <= defaultSeconds {
		return 0
	}
	return n + spareSeconds
}

func todoList(map[string]string) (call, bool) { return call{"todo_list", noArgs{}}, true }

func todoWrite(g map[string]string) (call, bool) {
	items := strings.FieldsFunc(g["items"], func(r rune) bool { return strings.ContainsRune(",;，；、\n", r) })
	args := todoArgs{Todos: []todo{}}
	for _, item := range items[:min(len(items), maxTodos)] {
		if item = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(item), "-*• ")); item != "" {
			args.Todos = append(args.Todos, todo{ID: strconv.Itoa(len(args.Todos) + 1), Text: item})
		}
	}
	return call{"todo_write", args}, len(args.Todos) > 0
}

func memoryList(map[string]string) (call, bool) { return call{"memory_list", noArgs{}}, true }

// maxNoteName bounds the name of a note, in characters.
const maxNoteName = 40

// memoryWrite names a note by its words, so that the list of names tells what is remembered.
func memoryWrite(g map[string]string) (call, bool) {
	name := []rune(strings.Join(strings.FieldsFunc(strings.ToLower(g["content"]), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-"))
	if len(name) == 0 {
		return call{}, false
	}
	path := strings.TrimRight(string(name[:min(len(name), maxNoteName)]), "-") + ".md"
	return call{"memory_write", memoryArgs{Path: path, Content: g["content"]}}, true
}

func create(g map[string]string) (call, bool) {
	path := unquote(g["path"])
	verb := strings.ToLower(g["verb"])
	args := createArgs{Path: path, Content: unquote(g["content"])}
	args.Rewrite = verb == "overwrite" || verb == "rewrite" || verb == "覆盖"
	return call{"FileCreate", args}, isPath(path)
}

func replace(g map[string]string) (call, bool) {
	path := unquote(trailing.ReplaceAllString(g["path"], ""))
	return call{"FileReplace", replaceArgs{Path: path, Old: unquote(g["old"]), New: unquote(g["new"])}}, isPath(path)
}

func grep(g map[string]string) (call, bool) {
	pattern := unquote(trailing.ReplaceAllString(g["pattern"], ""))
	if _, err := regexp.Compile(pattern); err != nil {
		pattern = regexp.QuoteMeta(pattern)
	}
	return call{"Grep", grepArgs{Pattern: pattern, Path: folder(g["path"])}}, pattern != ""
}

// glob finds files; a name without a wildcard is looked for in all folders.
func glob(g map[string]string) (call, bool) {
	pattern := unquote(trailing.ReplaceAllString(g["pattern"], ""))
	switch {
	case pattern == "" && g["pattern"] == "":
		pattern = "*"
	case strings.ContainsAny(pattern, "*?[{"):
	case isPath(pattern) && !strings.HasSuffix(pattern, "/") && !strings.EqualFold(g["verb"], "show"):
		pattern = "**/" + strings.TrimPrefix(pattern, "./")
	default:
		return call{}, false
	}
	return call{"Glob", globArgs{Pattern: pattern, Path: folder(g["path"])}}, true
}

// download saves what an address gives, under its own last name unless another was given.
func download(g map[string]string) (call, bool) {
	address, to := g["url"], unquote(g["path"])
	if to == "" {
		u, err := url.Parse(address)
		if err != nil {
			return call{}, false
		}
		to = path.Base(path.Join("download", u.Path))
	}
	return call{"DownloadFile", downloadArgs{URL: address, Path: to}}, true
}

// read needs something that looks like a path after verbs that people also use for other things.
func read(g map[string]string) (call, bool) {
	path := unquote(trailing.ReplaceAllString(g["path"], ""))
	if strings.ContainsAny(path, " \n*?") {
		return call{}, false
	}
	verb := strings.ToLower(g["verb"])
	return call{"Read", pathArgs{path}}, path != "" && (verb == "read" || verb == "cat" || isPath(path))
}

func cd(g map[string]string) (call, bool) {
	return call{"Cd", pathArgs{folder(g["path"])}}, folder(g["path"]) != ""
}

func cdPath(g map[string]string) (call, bool) {
	path := folder(g["path"])
	return call{"Cd", pathArgs{path}}, isPath(path)
}

func folder(text string) string { return unquote(strings.TrimRight(text, "?!。！？")) }

// unquote removes one pair of quotes or backticks around a text.
func unquote(text string) string {
	text = strings.TrimSpace(text)
	for _, pair := range []string{"``", `""`, "''", "“”", "「」", "‘’"} {
		open, end := string([]rune(pair)[0]), string([]rune(pair)[1])
		if len(text) >= len(open)+len(end) && strings.HasPrefix(text, open) && strings.HasSuffix(text, end) {
			return text[len(open) : len(text)-len(end)]
		}
	}
	return text
}

var fileName = regexp.MustCompile(`^[^\s]*(?:[/\\]|\.[A-Za-z0-9_]+$|^\.{1,2}$|^~)[^\s]*$|^(?:README|LICENSE|Makefile|Dockerfile|AGENTS|go\.mod)$`)

// isPath reports whether a word looks like a file or folder rather than like a word.
func isPath(word string) bool { return fileName.MatchString(word) }
