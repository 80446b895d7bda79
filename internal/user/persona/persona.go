// Package persona reads SOUL.md: the persona of a bot in a chat, and which parts of its answers are not shown. The front matter is a
// contract about the output, the body becomes a part of the prompt of new chats. It also shows answers as the contract wants
// it, whole and while they are written.
package persona

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"xbot/internal/fault"
)

// MaxBytes bounds a SOUL.md.
const MaxBytes = 128 << 10

// Soul is a SOUL.md.
type Soul struct {
	Body string
	Contract
	// ImageRefs are pictures that the body refers to; they are kept for image generation.
	ImageRefs []string
}

const fence = "---"

// Parse reads a SOUL.md. Nothing in it is fatal: what is not understood is named in the notes, and a front matter that is
// broken or has no end is a part of the body.
func Parse(text string) (s Soul, notes []string) {
	if len(text) > MaxBytes {
		notes = append(notes, fmt.Sprintf("only the first %d bytes are read", MaxBytes))
		text = text[:MaxBytes]
	}
	text = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n"), "\x00", ""))
	head, body, found := split(text)
	if !found {
		return Soul{Body: text}, notes
	}
	f, unknown, err := readFront(head)
	notes = append(notes, unknown...)
	if err != nil {
		return Soul{Body: text}, append(notes, "the front matter is "+err.Error()+", so it is taken for a part of the text")
	}
	s = Soul{Body: body, ImageRefs: f.ImageRefs}
	s.Tokens = tokensOf(f.Output.SuppressToken)
	for _, tag := range append(slices.Clone(f.Output.HiddenTags), f.Output.ReplyWillTag, f.Output.MotionTag) {
		tag = strings.ToLower(strings.Trim(strings.TrimSpace(tag), "<>/"))
		switch {
		case tag == "" || slices.Contains(s.Tags, tag):
		case !tagName.MatchString(tag):
			notes = append(notes, fmt.Sprintf("%.40q is no name of a tag and hides nothing", tag))
		default:
			s.Tags = append(s.Tags, tag)
		}
	}
	return s, notes
}

var tagName = regexp.MustCompile(`^[a-z][a-z0-9_.:-]{0,63}$`)

// split takes the front matter off a text.
func split(text string) (head, body string, found bool) {
	first, rest, more := strings.Cut(text, "\n")
	if !more || strings.TrimRight(first, " \t") != fence {
		return "", "", false
	}
	lines := strings.Split(rest, "\n")
	end := slices.IndexFunc(lines, func(line string) bool { return strings.TrimRight(line, " \t") == fence })
	if end < 0 {
		return "", "", false
	}
	return strings.Join(lines[:end], "\n"), strings.TrimSpace(strings.Join(lines[end+1:], "\n")), true
}

func tokensOf(token string) []string {
	if token = strings.TrimSpace(token); token != "" {
		return []string{token}
	}
	return nil
}

// Load reads what a setting names: the path of a file in the data folder, or the text itself, which has several lines. No
// setting is no persona. An error is of kind Invalid or NotFound and describes what to do.
func Load(home, setting string) (Soul, []string, error) {
	setting = strings.TrimSpace(setting)
	if setting == "" {
		return Soul{}, nil, nil
	}
	if strings.Contains(setting, "\n") {
		s, notes := Parse(setting)
		return s, notes, nil
	}
	text, err := read(home, setting)
	if err != nil {
		return Soul{}, nil, err
	}
	s, notes := Parse(text)
	return s, notes, nil
}

// read reads a file inside the data folder, and nothing outside of it, even through links.
func read(home, path string) (string, error) {
	if rel, err := filepath.Rel(home, path); filepath.IsAbs(path) && err == nil {
		path = rel
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return "", fault.Errorf(fault.NotFound, "the data folder cannot be opened: %w", err)
	}
	defer root.Close()
	file, err := root.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fault.Errorf(fault.NotFound, "there is no %s in the data folder; write it, or take soul out of the policy", path)
	}
	if err != nil {
		return "", fault.Errorf(fault.Invalid, "the soul %q cannot be read: it must be a file in the data folder: %w", path, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return "", fault.Errorf(fault.Invalid, "read %s: %w", path, err)
	}
	return string(text), nil
}
