package project

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"xbot/internal/automation/hook"
	"xbot/internal/extension/mcp"
	"xbot/internal/extension/skill"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

const (
	maxProgram = 1 << 20 // bytes of a program that a hook names
	maxPaths   = 200     // paths that the words in the commands of all hooks may mean
	maxName    = 255     // bytes of the name of a file
	maxNamed   = 100     // skills and instruction files that are listed
	maxLevels  = 12      // folders that are searched, from the one of the conversation upwards
)

// skillFolders are the folders with skills in a folder.
var skillFolders = []string{".agents/skills", ".xbot/skills"}

// Bundle has the hooks, servers and skills of a folder. Its digest covers everything that xbot would run or call; skills and instructions are text
// for the model, and only listed.
type Bundle struct {
	Servers  []byte     `json:"servers,omitempty"` // the content of .mcp.json
	Hooks    []hook.Doc `json:"hooks,omitempty"`   // the hooks files
	Programs []Program  `json:"programs,omitempty"`
	Skills   []string   `json:"skills,omitempty"` // their folders
	Notes    []string   `json:"notes,omitempty"`  // instruction files
}

// Program is a file of the folder that a command of a hook names.
type Program struct {
	Path   string `json:"path"`
	Digest string `json:"digest"`
}

// empty reports whether there is nothing to agree to.
func (b Bundle) empty() bool { return b.Servers == nil && len(b.Hooks) == 0 && len(b.Skills) == 0 }

// textsDigest is the digest of a folder that has only skills.
var textsDigest = digest([]byte(mark))

// mark is the prefix of stored bundles and of the input of their digests. No .mcp.json starts with it, since that is JSON.
const mark = "xbot-folder/1\n"

// Digest identifies the contents of the folder. For a folder with a .mcp.json and no hooks it is the digest of the file, so that agreements from
// before bundles remain valid. Empty: there is nothing to agree to.
func (b Bundle) Digest() string {
	switch {
	case b.empty():
		return ""
	case b.Servers != nil && len(b.Hooks) == 0:
		return digest(b.Servers)
	}
	var all strings.Builder
	all.WriteString(mark) // and nothing else for skills alone: textsDigest
	if b.Servers != nil {
		fmt.Fprintf(&all, "servers %s\n", digest(b.Servers))
	}
	for _, d := range b.Hooks {
		fmt.Fprintf(&all, "hooks %q %d %s\n", d.Source, d.Layer, digest(d.Text))
	}
	for _, p := range b.Programs {
		fmt.Fprintf(&all, "program %q %s\n", p.Path, p.Digest)
	}
	return digest([]byte(all.String()))
}

// texts identifies the listed skills and instructions, which the digest does not cover.
func (b Bundle) texts() string {
	if len(b.Skills) == 0 && len(b.Notes) == 0 {
		return ""
	}
	return digest([]byte(fmt.Sprintf("%q %q", b.Skills, b.Notes)))
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// encode returns the bundle as it is stored.
func (b Bundle) encode() ([]byte, error) {
	content, err := json.Marshal(b)
	return append([]byte(mark), content...), err
}

// decode parses a stored bundle. Older rows have the content of a .mcp.json.
func decode(stored []byte) (b Bundle, err error) {
	content, ok := bytes.CutPrefix(stored, []byte(mark))
	if !ok {
		return Bundle{Servers: stored}, nil
	}
	return b, json.Unmarshal(content, &b)
}

// entries returns the servers of the bundle.
func (b Bundle) entries() ([]Entry, error) {
	if b.Servers == nil {
		return nil, nil
	}
	return Parse(b.Servers)
}

// Handlers returns the hooks of the bundle.
func (b Bundle) Handlers() (all []hook.Handler) {
	for _, d := range b.Hooks {
		all = append(all, hook.Parse(d.Text, d.Source, d.Layer, hook.Grants{}).Handlers...)
	}
	return all
}

// read reads the current contents of a folder. Errors are Invalid, with a sentence, if something in it cannot be used; others come from the runner.
func (p *Projects) read(ctx context.Context, here place) (b Bundle, err error) {
	if b.Servers, err = content(ctx, here.box, path.Join(here.folder, mcp.ProjectFile), maxFile+1); err != nil {
		return b, err
	}
	if p.Hooked != nil && p.Hooked.ProjectHooks() {
		if err := b.readHooks(ctx, here); err != nil {
			return b, err
		}
	}
	if here.folder != here.box.Workspace() { // skills of the workspace are the user's own
		err = b.readTexts(ctx, here)
	}
	return b, err
}

// content reads a file; nil if commands see none. In a default layout the folder .xbot of the workspace is the server's data folder, which they do
// not see.
func content(ctx context.Context, box sandbox.Sandbox, file string, most int64) ([]byte, error) {
	got, err := box.ReadFile(ctx, file, 0, most)
	switch {
	case fault.Is(err, fault.NotFound), fault.Is(err, fault.Denied):
		return nil, nil
	case err != nil:
		return nil, err
	case got.Data == nil:
		return []byte{}, nil
	}
	return got.Data, nil
}

// hookFiles returns the hooks files of a folder.
var hookFiles = []struct {
	name  string
	layer hook.Layer
}{{"hooks.json", hook.LayerProject}, {"hooks.local.json", hook.LayerLocal}}

// readHooks reads the hooks files, and the files of the folder that their commands name.
func (b *Bundle) readHooks(ctx context.Context, here place) error {
	var named []string
	for _, f := range hookFiles {
		at := path.Join(here.folder, ".xbot", f.name)
		text, err := content(ctx, here.box, at, hook.MaxBytes+1)
		if err != nil {
			return err
		}
		if text == nil {
			continue
		}
		doc := hook.Doc{Source: at, Layer: f.layer, Text: text}
		for _, h := range hook.Parse(text, at, f.layer, hook.Grants{}).Handlers {
			w := words(h.Command, here.folder)
			doc.Programs = doc.Programs || len(w) > 0
			named = append(named, w...)
		}
		b.Hooks = append(b.Hooks, doc)
	}
	return b.readPrograms(ctx, here, named)
}

// readPrograms reads the files of the folder that words of commands name, seen from the folder and from every folder that the words name, as in
// "cd tools && ./check". A file that exists and cannot be read is an error: its changes would not be noticed.
func (b *Bundle) readPrograms(ctx context.Context, here place, words []string) error {
	seen := map[string]bool{}
	for folders := []string{here.folder}; len(folders) > 0; folders = folders[1:] {
		for _, word := range words {
			name := word
			if !path.IsAbs(name) {
				name = path.Join(folders[0], name)
			}
			if seen[name] || !within(name, here.folder) {
				continue
			}
			if seen[name] = true; len(seen) > maxPaths {
				return fault.Errorf(fault.Invalid, "the commands of the folder's hooks have words that may mean more than %d files: put them into a program", maxPaths)
			}
			found, folder, err := readProgram(ctx, here, name)
			switch {
			case err != nil:
				return err
			case folder:
				folders = append(folders, name)
			case found != nil:
				b.Programs = append(b.Programs, *found)
			}
		}
	}
	slices.SortFunc(b.Programs, func(a, b Program) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// readProgram reads a file that a command may name, and reports whether there is a folder instead.
func readProgram(ctx context.Context, here place, name string) (found *Program, folder bool, err error) {
	got, err := here.box.ReadFile(ctx, name, 0, maxProgram+1)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, false, nil
	case fault.Is(err, fault.Unavailable), fault.Is(err, fault.Internal), fault.Is(err, fault.RateLimited):
		return nil, false, err
	case err != nil:
		if info, statErr := here.box.Stat(ctx, name); statErr == nil && info.Dir {
			return nil, true, nil
		}
		return nil, false, fault.Errorf(fault.Invalid, "the hook program %s cannot be read, so its changes would not be noticed: %w", name, err)
	case len(got.Data) > maxProgram:
		return nil, false, fault.Errorf(fault.Invalid, "the hook program %s has more than %d MB, too many to check it for changes", name, maxProgram>>20)
	}
	return &Program{Path: name, Digest: digest(got.Data)}, false, nil
}

// words returns the words of a command that may name files of a folder: relative paths, and absolute ones in the folder. They are all parts between
// the special characters of a shell, with quotes and without, as in scripts within quotes.
func words(command, folder string) []string {
	command = strings.NewReplacer("${XBOT_PROJECT_DIR}", folder, "$XBOT_PROJECT_DIR", folder, "${PWD}", folder, "$PWD", folder).Replace(command)
	var out []string
	for _, word := range append(strings.FieldsFunc(command, func(r rune) bool { return r == '"' || r == '\'' || separates(r) }), unquoted(command)...) {
		name := path.Clean(word)
		if name != "." && len(path.Base(name)) <= maxName && (!path.IsAbs(name) || within(name, folder)) {
			out = append(out, name)
		}
	}
	return out
}

// unquoted splits a command at the special characters outside of quotes, and removes the quotes.
func unquoted(command string) []string {
	var quote rune
	escaped := false
	var out strings.Builder
	for _, r := range command {
		switch {
		case escaped:
			escaped = false
			out.WriteRune(r)
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case quote == 0 && separates(r):
			out.WriteByte(0)
		default:
			out.WriteRune(r)
		}
	}
	return strings.FieldsFunc(out.String(), func(r rune) bool { return r == 0 })
}

// separates reports whether a character separates words of a command, or parts of a word that may be paths.
func separates(r rune) bool { return strings.ContainsRune(" \t\n`;|&()<>=,{}[]$:", r) }

// within reports whether a clean path is beneath a folder.
func within(name, folder string) bool {
	return strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/")
}

// readTexts lists the skills and instructions of the folder and of those above it, up to the root of the repository or the workspace.
func (b *Bundle) readTexts(ctx context.Context, here place) error {
	dir := path.Clean(here.folder)
	for range maxLevels {
		for _, below := range skillFolders {
			infos, err := here.box.ReadDir(ctx, path.Join(dir, below))
			if away(err) {
				return err
			}
			for _, i := range infos {
				if file := path.Join(dir, below, path.Base(i.Path), skill.File); i.Dir && len(b.Skills) < maxNamed && there(ctx, here.box, file) {
					b.Skills = append(b.Skills, path.Dir(file))
				}
			}
		}
		for _, name := range []string{"AGENTS.md", ".xbot/AGENTS.md"} {
			if file := path.Join(dir, name); len(b.Notes) < maxNamed && there(ctx, here.box, file) {
				b.Notes = append(b.Notes, file)
			}
		}
		up := path.Dir(dir)
		if there(ctx, here.box, path.Join(dir, ".git")) || up == here.box.Workspace() || up == dir || !strings.HasPrefix(up, here.box.Workspace()+"/") {
			return ctx.Err()
		}
		dir = up
	}
	return ctx.Err()
}

func there(ctx context.Context, box sandbox.Sandbox, file string) bool {
	_, err := box.Stat(ctx, file)
	return err == nil
}

// away reports whether an error means that the folder could not be read, rather than that it has nothing.
func away(err error) bool {
	return err != nil && slices.Contains([]fault.Kind{fault.Unavailable, fault.Internal, fault.RateLimited}, fault.KindOf(err))
}
