package guestfs

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Bounds of a path of a file system.
const (
	maxPath  = 1024 // bytes
	maxDepth = 32   // folders
)

// place is a path of a file system.
type place struct {
	path  string // in the file system: absolute and clean
	mount *mount // nil: the root
	rel   string // below the folder; empty: the folder itself
}

// find reads a path. What is no path of this file system does not exist.
func (r *fileSystem) find(text string) (place, error) {
	clean := path.Clean("/" + text)
	if len(text) > maxPath || !utf8.ValidString(text) || strings.ContainsFunc(text, odd) || strings.Count(clean, "/") > maxDepth {
		return place{}, missing(text)
	}
	if clean == "/" {
		return place{path: "/"}, nil
	}
	name, rel, _ := strings.Cut(clean[1:], "/")
	at := slices.IndexFunc(r.mounts, func(m mount) bool { return m.name == name })
	if at < 0 {
		return place{}, missing(clean)
	}
	p := place{path: clean, mount: &r.mounts[at], rel: rel}
	if rel != "" && !p.mount.sees(rel) && !p.mount.opens(rel) || rel == "" && !p.mount.opens("") {
		return place{}, missing(clean)
	}
	return p, nil
}

// odd are characters that a path of a file system does not have: they are of no use in names, and somewhere mean something else.
func odd(r rune) bool {
	return unicode.IsControl(r) || r == '\\' || r == utf8.RuneError || unicode.Is(unicode.Cf, r)
}

// missing is the same sentence for everything that is not there and everything that is not for this conversation.
func missing(text string) error {
	shown := strings.ToValidUTF8(strings.Map(func(c rune) rune {
		if odd(c) {
			return -1
		}
		return c
	}, text[:min(len(text), 200)]), "")
	return fault.Errorf(fault.NotFound, "%s does not exist", shown)
}

// real returns the path of a place on its volume.
func (r *fileSystem) real(ctx context.Context, p place) (string, error) {
	base, err := p.mount.volume.open(ctx)
	if fault.Is(err, fault.NotFound) {
		return "", missing(p.path)
	}
	if err != nil {
		return "", err
	}
	return path.Join(base, p.mount.at, p.rel), nil
}

// look describes what is at a place. A link is nothing, nor is what lies behind one, nor what is no file and no folder.
func (r *fileSystem) look(ctx context.Context, p place) (real string, info sandbox.FileInfo, err error) {
	if real, err = r.real(ctx, p); err != nil {
		return "", info, err
	}
	info, err = p.mount.volume.sandbox().Stat(ctx, real)
	switch {
	case fault.Is(err, fault.Invalid): // a part of it is a file, or links lead round
		return real, info, missing(p.path)
	case err != nil:
		return real, info, translateError(err, p.path)
	}
	if info.Real == "" {
		return real, info, errOld
	}
	if info.Real != real || info.Link != "" || !info.Dir && !info.Mode.IsRegular() || !info.Dir && !p.mount.sees(p.rel) || info.Dir && !p.mount.opens(p.rel) {
		return real, info, missing(p.path)
	}
	return real, shown(info, p.path), nil
}

// shown is the part of a file's info that may be shown.
func shown(info sandbox.FileInfo, at string) sandbox.FileInfo {
	info.Path, info.Real, info.Link = at, at, ""
	return info
}

// file looks at what is to be read.
func (r *fileSystem) file(ctx context.Context, text string) (place, string, sandbox.FileInfo, error) {
	p, err := r.find(text)
	if err != nil {
		return p, "", sandbox.FileInfo{}, err
	}
	if p.mount == nil {
		return p, "", sandbox.FileInfo{}, isFolder(p.path)
	}
	real, info, err := r.look(ctx, p)
	switch {
	case err != nil:
	case info.Dir:
		err = isFolder(p.path)
	case !p.mount.reads:
		err = fault.Errorf(fault.Denied, "%s is not shown: in this conversation scripts are known by their names alone", p.path)
	}
	return p, real, info, err
}

func isFolder(at string) error { return fault.Errorf(fault.Invalid, "%s is a folder", at) }

// target finds where a file is to be written: nothing on the way there is a link. there reports whether it exists already.
func (r *fileSystem) target(ctx context.Context, text string) (p place, real string, there bool, err error) {
	if p, err = r.find(text); err != nil {
		return p, "", false, err
	}
	if p.mount == nil || !p.mount.writes || p.rel == "" {
		return p, "", false, r.writesElsewhere(p.path)
	}
	if r.of.Moving {
		return p, "", false, errMoving
	}
	real, _, err = r.look(ctx, p)
	switch {
	case err == nil:
		return p, real, true, nil
	case !fault.Is(err, fault.NotFound):
		return p, "", false, err
	}
	return p, real, false, r.free(ctx, p, real)
}

// errMoving is for a quarter of an hour.
var errMoving = fault.Errorf(fault.Unavailable, "the files of this conversation are being moved and can only be read for some minutes: try again later")

func (r *fileSystem) writesElsewhere(at string) error {
	for _, m := range r.mounts {
		if m.writes {
			return fault.Errorf(fault.Denied, "%s cannot be changed: files are written below /%s", at, m.name)
		}
	}
	return fault.Errorf(fault.Denied, "%s cannot be changed", at)
}

// free makes sure that nothing is at a place that was not found, and that no link is on the way to it.
func (r *fileSystem) free(ctx context.Context, p place, real string) error {
	base, err := p.mount.volume.open(ctx)
	if err != nil {
		return err
	}
	box := p.mount.volume.sandbox()
	if _, err := box.Stat(ctx, real); !fault.Is(err, fault.NotFound) {
		return fault.Errorf(fault.Denied, "%s cannot be changed: it is no file of this conversation", p.path)
	}
	for at := path.Dir(real); ; at = path.Dir(at) {
		info, err := box.Stat(ctx, at)
		switch {
		case fault.Is(err, fault.NotFound) && at != base:
			continue
		case err != nil:
			return translateError(err, p.path)
		case info.Real != at || info.Link != "" || !info.Dir:
			return fault.Errorf(fault.Denied, "%s cannot be changed: it is no file of this conversation", p.path)
		}
		return nil
	}
}
