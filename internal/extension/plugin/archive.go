package plugin

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/fault"
)

// Limits of the files of a plugin.
const (
	MaxArchive = 32 << 20 // bytes of an archive
	maxBytes   = 96 << 20 // of all files, unpacked
	maxFiles   = 2000
	maxPath    = 240 // bytes of the path of a file
	maxDepth   = 16  // folders above a file
)

// File is a file of a plugin.
type File struct {
	Data []byte
	Exec bool // it is a program
}

// Tree holds the files of a plugin by their paths, which are relative and have slashes.
type Tree map[string]File

// adder checks files while they are read.
type adder struct {
	tree   Tree
	folded map[string]bool
	bytes  int64
}

func newAdder() *adder { return &adder{tree: Tree{}, folded: map[string]bool{}} }

// add reads a file, up to the limit. The size in its header is not trusted.
func (a *adder) add(name string, exec bool, from io.Reader) error {
	if err := checkPath(name); err != nil {
		return err
	}
	key := strings.ToLower(name)
	switch {
	case a.folded[key]:
		return fault.Errorf(fault.Invalid, "the file %s is there twice, or as another one that differs in case alone", name)
	case len(a.tree) >= maxFiles:
		return fault.Errorf(fault.TooLarge, "there are more than %d files", maxFiles)
	}
	data, err := io.ReadAll(io.LimitReader(from, maxBytes-a.bytes+1))
	if err != nil {
		return fault.Errorf(fault.Invalid, "the file %s cannot be read: %s", name, err)
	}
	if a.bytes += int64(len(data)); a.bytes > maxBytes {
		return fault.Errorf(fault.TooLarge, "the files have more than %d MB", maxBytes>>20)
	}
	a.folded[key], a.tree[name] = true, File{Data: data, Exec: exec}
	return nil
}

// checkPath refuses names that could lead out of the folder of the plugin, on any system.
func checkPath(name string) error {
	bad := name == "" || len(name) > maxPath || !utf8.ValidString(name) || path.Clean(name) != name || path.IsAbs(name) || name == "." || name == ".." ||
		strings.HasPrefix(name, "../") || strings.ContainsAny(name, `\:`) || strings.IndexFunc(name, unicode.IsControl) >= 0 || strings.Count(name, "/") > maxDepth
	if bad {
		return fault.Errorf(fault.Invalid, "%q is no path of a file in a plugin", cut(name))
	}
	return nil
}

// ReadArchive reads a zip file, or a tar file that may be compressed with gzip. Links and devices are refused. If all files are in one
// folder, that is the plugin.
func ReadArchive(data []byte) (Tree, error) {
	if len(data) > MaxArchive {
		return nil, fault.Errorf(fault.TooLarge, "an archive has at most %d MB", MaxArchive>>20)
	}
	a := newAdder()
	var err error
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		err = a.readZip(data)
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		var plain *gzip.Reader
		if plain, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			err = a.readTar(plain)
		}
	default:
		err = a.readTar(bytes.NewReader(data))
	}
	if err != nil && fault.KindOf(err) == fault.Internal {
		err = fault.Errorf(fault.Invalid, "it is no zip or tar archive that can be read: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return a.tree.whole()
}

func (a *adder) readZip(data []byte) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		mode := f.Mode()
		switch {
		case mode.IsDir() || strings.HasSuffix(f.Name, "/"):
			continue
		case !mode.IsRegular():
			return fault.Errorf(fault.Invalid, "%q is no plain file", cut(f.Name))
		}
		in, err := f.Open()
		if err != nil {
			return err
		}
		err = a.add(f.Name, mode&0o111 != 0, in)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// maxTar limits the bytes that are read of a tar file, padding and headers included.
const maxTar = maxBytes + maxFiles*4<<10

func (a *adder) readTar(from io.Reader) error {
	t := tar.NewReader(io.LimitReader(from, maxTar))
	for entries := 0; ; entries++ {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case entries > 2*maxFiles:
			return fault.Errorf(fault.TooLarge, "there are more than %d files", maxFiles)
		case h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader:
			continue
		case h.Typeflag != tar.TypeReg:
			return fault.Errorf(fault.Invalid, "%q is no plain file", cut(h.Name))
		}
		if err := a.add(strings.TrimPrefix(h.Name, "./"), h.FileInfo().Mode()&0o111 != 0, t); err != nil {
			return err
		}
	}
}

// ReadFolder reads the files of a folder. Links are refused; files and folders whose names begin with a dot are no part of it: .env,
// .npmrc and .git have private data.
func ReadFolder(dir string) (Tree, error) {
	a := newAdder()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.Errorf(fault.NotFound, "the folder %s cannot be read: %w", dir, err)
	}
	defer root.Close() // read only
	err = fs.WalkDir(root.FS(), ".", func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fault.Errorf(fault.Invalid, "%s cannot be read: %w", at, err)
		case d.IsDir() && at != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case at != "." && strings.HasPrefix(d.Name(), "."):
			return nil
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fault.Errorf(fault.Invalid, "%q is no plain file", cut(at))
		}
		return a.addFrom(root, at)
	})
	if err != nil {
		return nil, err
	}
	return a.tree.whole()
}

// addFrom reads a file of a folder.
func (a *adder) addFrom(root *os.Root, at string) error {
	f, err := root.Open(at)
	if err != nil {
		return fault.Errorf(fault.Invalid, "%s cannot be read: %w", at, err)
	}
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return fault.Errorf(fault.Invalid, "%q is no plain file", cut(at))
	}
	return a.add(at, info.Mode()&0o111 != 0, f)
}

// whole moves the files out of the one folder that has them all, and checks for the manifest.
func (t Tree) whole() (Tree, error) {
	if _, ok := t[ManifestName]; ok {
		return t, t.checkFolders()
	}
	out := Tree{}
	for name, f := range t {
		first, rest, _ := strings.Cut(name, "/")
		if _, ok := t[first+"/"+ManifestName]; !ok || rest == "" {
			return nil, fault.Errorf(fault.Invalid, "there is no %s", ManifestName)
		}
		out[rest] = f
	}
	if _, ok := out[ManifestName]; !ok || len(out) != len(t) {
		return nil, fault.Errorf(fault.Invalid, "there is no %s", ManifestName)
	}
	return out, out.checkFolders()
}

// checkFolders refuses a path that is a file and a folder.
func (t Tree) checkFolders() error {
	files := map[string]bool{}
	for name := range t {
		files[strings.ToLower(name)] = true
	}
	for name := range files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if files[dir] {
				return fault.Errorf(fault.Invalid, "%q is a file and a folder", cut(dir))
			}
		}
	}
	return nil
}

// Manifest reads the manifest of the plugin.
func (t Tree) Manifest() (Manifest, error) {
	m, err := Parse(t[ManifestName].Data)
	if err != nil {
		return m, err
	}
	return m, t.checkWeb(m)
}

// Digest returns the SHA-256 of all paths and contents, in hexadecimal.
func (t Tree) Digest() string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(t)) {
		content := sha256.Sum256(t[name].Data)
		fmt.Fprintf(sum, "%q %t %x\n", name, t[name].Exec, content)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Zip returns the files as a zip file, which ReadArchive reads. It returns TooLarge if it would refuse it.
func (t Tree) Zip() ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if h.SetMode(0o644); t[name].Exec {
			h.SetMode(0o755)
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write(t[name].Data)
		}
		if err != nil {
			return nil, fmt.Errorf("pack a plugin: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("pack a plugin: %w", err)
	}
	if out.Len() > MaxArchive {
		return nil, fault.Errorf(fault.TooLarge, "the files have more than %d MB when they are packed", MaxArchive>>20)
	}
	return out.Bytes(), nil
}

// Unpack writes the files into a folder that must not exist yet. It appears whole or not at all, and is read-only.
func (t Tree) Unpack(dir string) (err error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return fmt.Errorf("make the folder of a plugin: %w", err)
	}
	tmp, err := os.MkdirTemp(parent, ".unpack-")
	if err != nil {
		return fmt.Errorf("make the folder of a plugin: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }() // it is gone if it was renamed
	for name, f := range t {
		at, mode := filepath.Join(tmp, filepath.FromSlash(name)), fs.FileMode(0o400)
		if f.Exec {
			mode = 0o500
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return fmt.Errorf("unpack a plugin: %w", err)
		}
		if err := os.WriteFile(at, f.Data, mode); err != nil {
			return fmt.Errorf("unpack a plugin: %w", err)
		}
	}
	if err := os.Rename(tmp, dir); err != nil && !isFolder(dir) { // another call was faster
		return fmt.Errorf("unpack a plugin: %w", err)
	}
	return nil
}

// IsUnpacked reports whether a folder has the files with a digest, all of them and no others. It does not read files that Unpack would refuse.
func IsUnpacked(dir, digest string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close() // read only
	a := newAdder()
	err = fs.WalkDir(root.FS(), ".", func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case !d.Type().IsRegular():
			return fs.ErrInvalid
		}
		return a.addFrom(root, at)
	})
	return err == nil && a.tree.Digest() == digest
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
