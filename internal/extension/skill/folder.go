package skill

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/fault"
)

// Limits of skills, which may be untrusted.
const (
	MaxSkills = 100    // of one folder of skills
	MaxPiece  = 60_000 // bytes that one look at a file shows
	MaxFiles  = 200    // that are listed of a skill
	maxDepth  = 6      // folders below that of a skill
	maxPath   = 500    // bytes of the name of a file
)

// Found is a skill and its folder.
type Found struct {
	Entry
	Folder  Folder
	Builtin bool // it came with the program
	// Shadowed has the folders on the runner's machine with unused skills of the same name as this built-in one.
	Shadowed []string
}

// Is reports whether a name means the skill: the skill's name, which may have dashes for blanks, or that of its folder.
func (f Found) Is(name string) bool {
	return strings.EqualFold(f.Name, name) || strings.EqualFold(strings.ReplaceAll(f.Name, " ", "-"), name) || strings.EqualFold(f.Folder.Base(), name)
}

// Off reports whether one of the names that are switched off means the skill.
func (f Found) Off(names []string) bool { return Off(names, f.Name) || Off(names, f.Folder.Base()) }

// Off reports whether a name is switched off, with blanks or with dashes.
func Off(names []string, name string) bool {
	return slices.ContainsFunc(names, func(off string) bool { return Key(off) == Key(name) })
}

// Key returns a name as it is compared: in small letters, with dashes for blanks.
func Key(name string) string { return strings.ToLower(strings.ReplaceAll(oneLine(name), " ", "-")) }

// Pick returns the skill of a name among those found.
func Pick(found []Found, name string) (Found, bool) {
	name = oneLine(name)
	i := slices.IndexFunc(found, func(f Found) bool { return f.Name == name })
	if i < 0 {
		i = slices.IndexFunc(found, func(f Found) bool { return Key(f.Name) == Key(name) })
	}
	if i < 0 {
		i = slices.IndexFunc(found, func(f Found) bool { return f.Is(name) })
	}
	if i < 0 {
		return Found{}, false
	}
	return found[i], true
}

// Folder is the folder of a skill. Errors have the kinds NotFound, Denied, Invalid, and that of a runner which is away.
type Folder interface {
	Base() string // its name without the path
	Path() string // on the machine where commands run; empty: it is on the server
	// Files lists regular files, sorted; more reports whether there are others that were not looked at. Links are skipped.
	Files(ctx context.Context) (files []Listed, more bool, err error)
	// Read returns at most MaxPiece bytes of a file from an offset on.
	Read(ctx context.Context, file string, offset int64) (Piece, error)
}

// Listed is a file of a skill.
type Listed struct {
	Name string // below the folder, with slashes
	Size int64  // bytes
}

// Piece is a part of a file.
type Piece struct {
	Data []byte
	Size int64 // of the whole file, in bytes
}

// Text returns a piece from an offset on as text of whole characters. It returns Invalid if it is none.
func (p Piece) Text(offset int64) (string, error) {
	data := p.Data
	for cut := 0; offset > 0 && cut < utf8.UTFMax && len(data) > 0 && !utf8.RuneStart(data[0]); cut++ { // the offset may be within a character
		data = data[1:]
	}
	if offset+int64(len(data)) < p.Size { // a character may have been cut
		for cut := 0; cut < utf8.UTFMax && len(data) > 0 && !utf8.Valid(data[max(0, len(data)-utf8.UTFMax):]); cut++ {
			data = data[:len(data)-1]
		}
	}
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return "", fault.Errorf(fault.Invalid, "it is no text")
	}
	return string(data), nil
}

// checkFile refuses names that are not below a folder.
func checkFile(file string) error {
	if !fs.ValidPath(file) || file == "." || len(file) > maxPath || strings.ContainsAny(file, "\x00\\") {
		return fault.Errorf(fault.Invalid, "%.80q is no file of a skill; give a name that list_files shows", file)
	}
	return nil
}

// Clean turns a name that a model wrote into one below the folder.
func Clean(file string) string { return strings.TrimPrefix(path.Clean(strings.TrimSpace(file)), "./") }
