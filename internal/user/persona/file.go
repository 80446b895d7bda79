package persona

import (
	"encoding/json"
	"regexp"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// fileName is the form of the names of soul files: one name without folders.
var fileName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} _.-]{0,95}\.(md|json)$`)

// jsonEnd is the ending of names of files that hold JSON.
const jsonEnd = ".json"

// CheckFile reports whether a soul file can be kept. It returns Invalid if its name is none, or a .json file holds no JSON. It returns TooLarge if it is
// longer than chat.MaxSoulFile.
func CheckFile(name, content string) error {
	switch {
	case !fileName.MatchString(name):
		return fault.Errorf(fault.Invalid, "%.60q is no name of a soul file: write one such as tone.md or habits.json, of letters, digits, spaces, - and _", name)
	case len(content) > chat.MaxSoulFile:
		return fault.Errorf(fault.TooLarge, "%s has %d bytes, at most %d are kept: shorten it, or split it", name, len(content), chat.MaxSoulFile)
	case strings.HasSuffix(name, jsonEnd) && content != "" && !json.Valid([]byte(content)):
		return fault.Errorf(fault.Invalid, "%s holds no valid JSON", name)
	}
	return nil
}
