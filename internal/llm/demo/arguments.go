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

// Limits of a request.
const (
	maxSeconds     = 570 // the Shell tool allows 600
	spareSeconds   = 30
	defaultSeconds = 120 // the Shell tool's default
	maxTodos       = 50
	maxNoteName    = 40 // characters
)

func shell(g groups) *arguments { return &arguments{Command: new(unquote(g["command"]))} }

// count prints a number each second.
func count(g groups) *arguments {
	return timed(g["n"], "i=1; while [ $i -le %[1]d ]; do echo $i; sleep 1; i=$((i+1)); done")
}

func sleep(g groups) *arguments { return timed(g["n"], "sleep %[1]d && echo slept %[1]d seconds") }

// timed returns a command that takes so many seconds. Long commands get more time than the tool's default.
func timed(digits, format string) *arguments {
	n, err := strconv.Atoi(digits)
	if err != nil {
		n = maxSeconds // digits only, so the number is too large
	}
	if n = min(n, maxSeconds); n <= 0 {
		return nil
	}
	args := &arguments{Command: new(fmt.Sprintf(format, n))}
	if n+spareSeconds > defaultSeconds {
		args.Timeout = n + spareSeconds
	}
	return args
}

func noArguments(groups) *arguments { return &arguments{} }

func todoWrite(g groups) *arguments {
	items := strings.FieldsFunc(g["items"], func(r rune) bool { return strings.ContainsRune(",;，；、\n", r) })
	args := &arguments{}
	for _, item := range items[:min(len(items), maxTodos)] {
		if item = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(item), "-*• ")); item != "" {
			args.Todos = append(args.Todos, todo{ID: strconv.Itoa(len(args.Todos) + 1), Text: item})
		}
	}
	if args.Todos == nil {
		return nil
	}
	return args
}

// memoryWrite names a note by its words.
func memoryWrite(g groups) *arguments {
	name := []rune(strings.Join(strings.FieldsFunc(strings.ToLower(g["content"]), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-"))
	if len(name) == 0 {
		return nil
	}
	return &arguments{Path: strings.TrimRight(string(name[:min(len(name), maxNoteName)]), "-") + ".md", Content: new(g["content"])}
}

func create(g groups) *arguments {
	verb := strings.ToLower(g["verb"])
	rewrite := verb == "overwrite" || verb == "rewrite" || verb == "覆盖"
	return inFile(arguments{Path: unquote(g["path"]), Content: new(unquote(g["content"])), Rewrite: rewrite})
}

func replace(g groups) *arguments {
	return inFile(arguments{Path: word(g["path"]), Old: new(unquote(g["old"])), New: new(unquote(g["new"]))})
}

// inFile returns nil unless the path looks like one.
func inFile(args arguments) *arguments {
	if !isPath(args.Path) {
		return nil
	}
	return &args
}

func grep(g groups) *arguments {
	pattern := word(g["pattern"])
	if pattern == "" {
		return nil
	}
	if _, err := regexp.Compile(pattern); err != nil {
		pattern = regexp.QuoteMeta(pattern)
	}
	return &arguments{Pattern: pattern, Path: folder(g["path"])}
}

// glob finds files. It looks for a name without a wildcard in all folders.
func glob(g groups) *arguments {
	pattern := word(g["pattern"])
	switch {
	case g["pattern"] == "":
		pattern = "*"
	case strings.ContainsAny(pattern, "*?[{"):
	case isPath(pattern) && !strings.HasSuffix(pattern, "/") && !strings.EqualFold(g["verb"], "show"):
		pattern = "**/" + strings.TrimPrefix(pattern, "./")
	default:
		return nil
	}
	return &arguments{Pattern: pattern, Path: folder(g["path"])}
}

// download saves a file under the last name of its address unless the request has another.
func download(g groups) *arguments {
	to := unquote(g["path"])
	if to == "" {
		u, err := url.Parse(g["url"])
		if err != nil {
			return nil
		}
		to = path.Base(path.Join("download", u.Path))
	}
	return &arguments{URL: g["url"], OutputPath: to}
}

// readFile needs a path after verbs that people also use for other things.
func readFile(g groups) *arguments {
	path, verb := word(g["path"]), strings.ToLower(g["verb"])
	if path == "" || strings.ContainsAny(path, " \n*?") || verb != "read" && verb != "cat" && !isPath(path) {
		return nil
	}
	return &arguments{Path: path}
}

func cd(g groups) *arguments {
	if path := folder(g["path"]); path != "" {
		return &arguments{Path: path}
	}
	return nil
}

func cdPath(g groups) *arguments { return inFile(arguments{Path: folder(g["path"])}) }

// word returns a text without courtesies at its end and without quotes.
func word(text string) string { return unquote(trailing.ReplaceAllString(text, "")) }

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

// isPath reports whether a word looks like a file or folder rather than a word.
func isPath(word string) bool { return fileName.MatchString(word) }
