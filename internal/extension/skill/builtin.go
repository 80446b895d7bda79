package skill

import (
	"context"
	"embed"
	"path"

	"xbot/internal/fault"
)

//go:embed builtin/*/SKILL.md
var embedded embed.FS

// Builtin returns the skills that come with the program, sorted by name. They are one file each.
func Builtin() []Found {
	entries, err := embedded.ReadDir("builtin")
	if err != nil {
		panic(err) // they are embedded
	}
	var out []Found
	for _, entry := range entries {
		text, err := embedded.ReadFile(path.Join("builtin", entry.Name(), File))
		if err != nil {
			panic(err) // as above
		}
		e, _ := Describe(text, entry.Name())
		out = append(out, Found{Entry: e, Builtin: true, Folder: builtinFolder{entry.Name(), text}})
	}
	return out
}

type builtinFolder struct {
	name string
	text []byte
}

func (f builtinFolder) Base() string { return f.name }

func (builtinFolder) Path() string { return "" }

func (f builtinFolder) Files(context.Context) (files []Listed, more bool, err error) {
	return []Listed{{Name: File, Size: int64(len(f.text))}}, false, nil
}

func (f builtinFolder) Read(_ context.Context, file string, offset int64) (Piece, error) {
	if Clean(file) != File {
		return Piece{}, fault.Errorf(fault.NotFound, "the skill has no %.80q; it has %s alone", file, File)
	}
	size := int64(len(f.text))
	from := min(offset, size)
	return Piece{Data: f.text[from:min(from+MaxPiece, size)], Size: size}, nil
}
