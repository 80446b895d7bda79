package window

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"xbot/internal/chat"
)

// maxWords is how many words of a command are searched.
const maxWords = 100

// fileSet is a set of paths as calls wrote them, cleaned.
type fileSet []string

// activeFiles returns the files that the newest groups name: the ones being worked on. These are the remaining groups, at least three, and
// not whole turns: a turn of hundreds of steps would protect all files that it ever touched.
func activeFiles(lines []chat.Line, groups int) fileSet {
	var out fileSet
	for _, l := range slices.Backward(lines) {
		if len(l.Message.ToolCalls) == 0 {
			continue
		}
		if groups == 0 {
			break
		}
		groups--
		for _, c := range l.Message.ToolCalls {
			out = append(out, files(c)...)
		}
	}
	return out
}

// touch reports whether one of the calls names a file of the set.
func (s fileSet) touch(calls []chat.ToolCall) bool {
	for _, c := range calls {
		for _, a := range files(c) {
			for _, b := range s {
				if sameFile(a, b) {
					return true
				}
			}
		}
	}
	return false
}

// sameFile compares paths of which one may be relative.
func sameFile(a, b string) bool {
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

// fileArguments are the names under which tools take the path of a file.
var fileArguments = []string{"path", "file", "file_path", "output_path"}

// files returns the paths that a call names: in its arguments, and as plain words of a command.
func files(c chat.ToolCall) []string {
	var arguments map[string]any
	if json.Unmarshal([]byte(c.Arguments), &arguments) != nil {
		return nil // it was refused, and touched nothing
	}
	var out []string
	for _, name := range fileArguments {
		if p, ok := arguments[name].(string); ok {
			out = appendPath(out, p)
		}
	}
	if command, ok := arguments["command"].(string); ok {
		out = append(out, commandFiles(command)...)
	}
	return out
}

func appendPath(paths []string, p string) []string {
	if p = path.Clean(strings.TrimSpace(p)); p == "." || p == "/" || p == ".." {
		return paths // a folder that holds everything is no information
	}
	return append(paths, p)
}

var (
	plainPath = regexp.MustCompile(`^[\pL\pN_./+@%-]+$`)
	extension = regexp.MustCompile(`[\pL\pN_]\.[A-Za-z0-9]{1,8}$`)
)

// commandFiles finds paths among the words of a command. The first word of each simple command is the program.
func commandFiles(command string) []string {
	var out []string
	program := true
	words := strings.Fields(command)
	for _, word := range words[:min(len(words), maxWords)] {
		switch word {
		case "|", "||", "&&", ";", "&":
			program = true
			continue
		}
		ends := strings.HasSuffix(word, ";")
		word = strings.Trim(word, `'";()<>`)
		isFile := plainPath.MatchString(word) && !strings.HasPrefix(word, "-") && !strings.Contains(word, "...") &&
			(strings.Contains(word, "/") || extension.MatchString(word))
		if isFile && !program {
			out = appendPath(out, word)
		}
		program = ends
	}
	return out
}
