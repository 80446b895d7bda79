package registry

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"xbot/internal/document/decode"
	"xbot/internal/extension/skill"
	"xbot/internal/fault"
)

// Limits of an archive. The sizes in its headers are not trusted: the unpacked bytes are counted.
const (
	MaxArchive = 4 << 20 // bytes of the archive itself
	MaxFiles   = 500
	MaxFile    = 2 << 20 // bytes of a file, unpacked
	MaxSize    = 8 << 20 // bytes of all files, unpacked
	maxPath    = 500     // bytes of the name of a file
	maxSegment = 200     // bytes of each part of it
	maxDepth   = 6       // folders that a file is in
	// maxRatio is the maximum ratio of the unpacked size to the size of an archive, if the former is more than freeSize.
	maxRatio = 100
	freeSize = 1 << 20
)

// decoder runs Read in a separate process. The parameter is the fallback.
var decoder = decode.Decoder[string, Bundle]{
	Name: "archive", What: "the archive", Limits: decode.Limits{Memory: 512 << 20, CPU: 15 * time.Second, Time: time.Minute, Answer: 2*MaxSize + 1<<20},
}

var _ = decode.Serve(decoder, decode.Ready(func(fallback string, data []byte) (Bundle, error) { return Read(data, fallback) }))

// Open is Read for untrusted data, in a separate process. It validates the bundle again. Errors are those of Read and of package decode.
func Open(ctx context.Context, data []byte, fallback string) (Bundle, error) {
	if len(data) > MaxArchive {
		return Bundle{}, errLarge
	}
	b, err := decoder.Run(ctx, fallback, data)
	if err != nil {
		return Bundle{}, err
	}
	return b, b.check()
}

// check validates a bundle from the decoder process, which a hostile archive may control.
func (b Bundle) check() error {
	bad := slices.ContainsFunc(b.Files, func(f File) bool {
		return !fs.ValidPath(f.Name) || len(f.Name) > maxPath || strings.ContainsFunc(f.Name, unprintable) || strings.Contains(f.Name, `\`) || drive(f.Name) || reserved(f.Name)
	})
	if _, found := b.File(skill.File); bad || !ValidName(b.Name) || len(b.Files) > MaxFiles || b.Size() > MaxSize ||
		!(b.Kind == Skill && found || b.Kind == Role && len(b.Files) == 1) {
		return fault.Errorf(fault.Invalid, "the archive cannot be read: its decoder returned an invalid result")
	}
	return nil
}

// errLarge is the error of an archive above MaxArchive, which is not read.
var errLarge = fault.Errorf(fault.TooLarge, "the archive has more than %d MB", MaxArchive>>20)

// Read reads an archive: a skill or a role, with its files at the root or in one folder. A Markdown file that is not an archive is a role. fallback
// is the name if the archive has none. Errors are Invalid and TooLarge; after one, nothing further is unpacked.
func Read(data []byte, fallback string) (Bundle, error) {
	if len(data) > MaxArchive {
		return Bundle{}, errLarge
	}
	if !bytes.HasPrefix(data, []byte("PK")) {
		return describe([]File{{Name: fallback + ".md", Data: data}}, fallback)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are looked at below
		return Bundle{}, fault.Errorf(fault.Invalid, "the archive cannot be read: %w", err)
	}
	files, err := unpack(archive, len(data))
	if err != nil {
		return Bundle{}, err
	}
	files, top := strip(files)
	if top != "" {
		fallback = top
	}
	for _, f := range files {
		if len(f.Name) > maxPath || strings.Count(f.Name, "/") > maxDepth {
			return Bundle{}, tooLong(f.Name)
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return describe(files, fallback)
}

// unpack reads all files of an archive, after a check of all names.
func unpack(archive *zip.Reader, packed int) ([]File, error) {
	var (
		kept  []*zip.File
		names = tree{}
	)
	for _, f := range archive.File {
		if err := check(f); err != nil {
			return nil, err
		}
		switch {
		case junk(f.Name), f.Mode().IsDir():
			continue
		case reserved(f.Name):
			return nil, fault.Errorf(fault.Invalid, "the archive has a name that means something else where it is unpacked: %.100q", f.Name)
		case len(kept) == MaxFiles:
			return nil, fault.Errorf(fault.TooLarge, "the archive has more than %d files", MaxFiles)
		}
		if err := names.add(f.Name); err != nil {
			return nil, err
		}
		kept = append(kept, f)
	}
	var (
		files []File
		total int
	)
	for _, f := range kept {
		one, err := unpackFile(f, min(MaxFile, MaxSize-total))
		if err != nil {
			return nil, err
		}
		total += len(one.Data)
		if err := ratio(total, packed); err != nil {
			return nil, err
		}
		files = append(files, one)
	}
	return files, nil
}

func ratio(unpacked, packed int) error {
	if unpacked > freeSize && unpacked > maxRatio*packed {
		return fault.Errorf(fault.TooLarge, "the archive unpacks to more than %d times its size", maxRatio)
	}
	return nil
}

// check refuses entries that no archive of a skill has: names that lead elsewhere, links and other special files, and encrypted ones.
func check(f *zip.File) error {
	name := strings.TrimSuffix(f.Name, "/")
	switch {
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unprintable):
		return fault.Errorf(fault.Invalid, "the archive has a name that is no text: %.100q", f.Name)
	case strings.Contains(name, `\`) || !fs.ValidPath(name) || name == "." || drive(name):
		return fault.Errorf(fault.Invalid, "the archive has a name that leads elsewhere: %.100q", f.Name)
	case len(name) > maxPath+maxSegment || strings.Count(name, "/") > maxDepth+1 || slices.ContainsFunc(strings.Split(name, "/"), func(s string) bool { return len(s) > maxSegment }):
		return tooLong(name)
	case f.Flags&1 != 0:
		return fault.Errorf(fault.Invalid, "the archive is encrypted")
	case !f.Mode().IsDir() && !f.Mode().IsRegular(), f.Mode().IsDir() != strings.HasSuffix(f.Name, "/"):
		return fault.Errorf(fault.Invalid, "%.100q is no regular file: links and special files are refused", f.Name)
	}
	return nil
}

func tooLong(name string) error {
	return fault.Errorf(fault.Invalid, "the archive has a name that is too long or too deep: %.100q", name)
}

func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) || r == utf8.RuneError
}

// drive reports whether a name begins with the letter of a drive, or names a stream of a file, on systems that have these.
func drive(name string) bool { return strings.Contains(name, ":") }

// junk reports whether a name is one that archive programs and version control leave in folders.
func junk(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(name, "__MACOSX/") || base == ".DS_Store" || base == "Thumbs.db" || slices.Contains(strings.Split(path.Dir(name), "/"), ".git")
}

// reserved reports whether a name has a special meaning for xbot or git in the folder of a skill.
func reserved(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.EqualFold(part, syncMark) || strings.EqualFold(part, ".git") })
}

// syncMark is the file by which runners recognize their copies of folders.
const syncMark = ".synced-by-xbot"

// tree holds the names of files and their folders, as case-insensitive machines see them.
type tree map[string]string

// add refuses a name that a machine could take for another one.
func (t tree) add(name string) error {
	for below, kind := name, "file"; below != "."; below, kind = path.Dir(below), "folder" {
		key := strings.ToLower(norm.NFC.String(below))
		was, taken := t[key]
		if is := kind + " " + below; !taken {
			t[key] = is
		} else if was != is || kind == "file" {
			return fault.Errorf(fault.Invalid, "the archive has two names that are the same on some machines: %.100q", name)
		}
	}
	return nil
}

// unpackFile reads a file of at most so many bytes, regardless of its header.
func unpackFile(f *zip.File, most int) (File, error) {
	in, err := f.Open()
	if err != nil {
		return File{}, fault.Errorf(fault.Invalid, "%.100q cannot be unpacked: %w", f.Name, err)
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	switch {
	case len(data) > most:
		return File{}, fault.Errorf(fault.TooLarge, "%.100q is too large: a file may have %d MB, and all of them %d", f.Name, MaxFile>>20, MaxSize>>20)
	case err != nil:
		return File{}, fault.Errorf(fault.Invalid, "%.100q cannot be unpacked: %w", f.Name, err)
	}
	return File{Name: f.Name, Data: data, Executable: f.Mode()&0o111 != 0}, nil
}

// strip removes the one folder that all files are in.
func strip(files []File) ([]File, string) {
	top := ""
	for i, f := range files {
		first, _, within := strings.Cut(f.Name, "/")
		if !within || i > 0 && first != top {
			return files, ""
		}
		top = first
	}
	for i := range files {
		files[i].Name = strings.TrimPrefix(files[i].Name, top+"/")
	}
	return files, top
}

// Zip packs the bundle: the files of a skill in a folder with its name, a role alone. The same bundle makes the same archive, without times, and
// Read reads it as the same bundle. It returns TooLarge if this archive exceeds the limits, although the original one did not.
func (b Bundle) Zip() ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range b.Files {
		name, mode := f.Name, fs.FileMode(0o644)
		if b.Kind == Skill {
			name = path.Join(b.Name, f.Name)
		}
		if f.Executable {
			mode = 0o755
		}
		head := &zip.FileHeader{Name: name, Method: zip.Deflate}
		head.SetMode(mode)
		to, err := w.CreateHeader(head)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if out.Len() > MaxArchive {
		return nil, fault.Errorf(fault.TooLarge, "the archive has more than %d MB", MaxArchive>>20)
	}
	return out.Bytes(), ratio(b.Size(), out.Len())
}

// FS returns the folder of a skill that Zip has packed.
func FS(packed []byte, name string) (fs.FS, error) {
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, err
	}
	return fs.Sub(archive, name)
}
