package registry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"xbot/internal/extension/role"
	"xbot/internal/extension/skill"
	"xbot/internal/fault"
)

// Bundle is one skill, a folder with SKILL.md, or one role, a file NAME.md.
type Bundle struct {
	Kind        Kind
	Name        string
	Description string   // one line, at most maxDescription characters
	Tags        []string // at most maxTags, in small letters
	Files       []File   // sorted by name
}

// File is a regular file of a bundle.
type File struct {
	Name       string // below the folder of the bundle, with slashes
	Data       []byte
	Executable bool
}

// Limits of the fields of the front matter.
const (
	maxDescription = 1000 // characters
	maxTags        = 10
	maxTag         = 30 // characters
)

// Main returns the file that describes the bundle: SKILL.md, or that of the role.
func (b Bundle) Main() File {
	if b.Kind == Role {
		return b.Files[0]
	}
	one, _ := b.File(skill.File)
	return one
}

// File returns the file of a name.
func (b Bundle) File(name string) (File, bool) {
	i := slices.IndexFunc(b.Files, func(f File) bool { return f.Name == name })
	if i < 0 {
		return File{}, false
	}
	return b.Files[i], true
}

// Size returns the size of all files, in bytes.
func (b Bundle) Size() (n int) {
	for _, f := range b.Files {
		n += len(f.Data)
	}
	return n
}

// Digest returns the SHA-256 of names, modes and contents, in hex. It does not depend on how an archive was packed.
func (b Bundle) Digest() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %q\n", b.Kind, b.Name)
	for _, f := range b.Files {
		fmt.Fprintf(sum, "%q %t %x\n", f.Name, f.Executable, sha256.Sum256(f.Data))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// RoleBundle returns a role as a bundle.
func RoleBundle(r role.Role) (Bundle, error) {
	file, err := r.File()
	if err != nil {
		return Bundle{}, err
	}
	return ofRole(File{Name: r.Name + ".md", Data: file})
}

// describe detects the kind of files: a skill, or a role. fallback is the name of a skill without one.
func describe(files []File, fallback string) (Bundle, error) {
	if i := slices.IndexFunc(files, func(f File) bool { return f.Name == skill.File }); i >= 0 {
		return ofSkill(files, files[i].Data, fallback)
	}
	if len(files) == 1 && path.Ext(files[0].Name) == ".md" && !strings.Contains(files[0].Name, "/") {
		return ofRole(files[0])
	}
	return Bundle{}, fault.Errorf(fault.Invalid, "the archive is neither a skill, a folder with %s, nor a role, one file NAME.md", skill.File)
}

func ofSkill(files []File, main []byte, fallback string) (Bundle, error) {
	e, ok := skill.Describe(main[:min(len(main), skill.MaxHead)], fallback)
	if !ok {
		return Bundle{}, fault.Errorf(fault.Invalid, "%s says neither what the skill is called nor what it is for", skill.File)
	}
	b := Bundle{Kind: Skill, Name: strings.ReplaceAll(e.Name, " ", "-"), Description: e.Description, Files: files}
	return b.read(main)
}

// ofRole returns the bundle of a file. Its name, in the archive and elsewhere, is the name of the role.
func ofRole(f File) (Bundle, error) {
	r, err := role.Parse(f.Data, role.Fallback(f.Name))
	if err != nil {
		return Bundle{}, fault.Errorf(fault.Invalid, "%.80q is no role: %w", f.Name, err)
	}
	b := Bundle{Kind: Role, Name: r.Name, Description: r.Description, Files: []File{{Name: r.Name + ".md", Data: f.Data}}}
	return b.read(f.Data)
}

// read takes the other fields of the front matter than name and description. Invalid ones are skipped.
func (b Bundle) read(main []byte) (Bundle, error) {
	if !ValidName(b.Name) {
		return Bundle{}, fault.Errorf(fault.Invalid, "the name %.80q is none: use letters, digits, -, _ and dots, at most %d bytes", b.Name, MaxName)
	}
	b.Description = cut(b.Description, maxDescription)
	front, _ := skill.Split(main[:min(len(main), skill.MaxHead)])
	var said struct {
		Tags any `yaml:"tags"`
	}
	if yaml.Unmarshal(front, &said) != nil {
		return b, nil
	}
	b.Tags = tags(said.Tags)
	return b, nil
}

// tags parses a list, or one text with commas.
func tags(said any) (out []string) {
	var words []string
	switch v := said.(type) {
	case string:
		words = strings.Split(v, ",")
	case []any:
		for _, one := range v {
			if word, ok := one.(string); ok {
				words = append(words, word)
			}
		}
	}
	for _, word := range words {
		if word = strings.ToLower(cut(word, maxTag)); word != "" && !slices.Contains(out, word) && len(out) < maxTags {
			out = append(out, word)
		}
	}
	return out
}

// cut returns a text as one line, without invalid characters and those that change its appearance.
func cut(text string, most int) string {
	clean := bytes.ReplaceAll(bytes.ToValidUTF8([]byte(text), []byte("\uFFFD")), []byte{0}, nil)
	line := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(string(clean)), " "))
	words := []rune(line)
	return string(words[:min(len(words), most)])
}
