package guestfs

import (
	"context"
	"io"
	"path"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/storage"
)

// ReadFile implements sandbox.Sandbox. The file is looked at before and after: what was read is given only if it is the same file, so that a
// link that is put in its place in the meantime shows nothing.
func (r *fileSystem) ReadFile(ctx context.Context, text string, offset, limit int64) (sandbox.FileData, error) {
	ctx = sandbox.Unnamed(ctx)
	p, real, before, err := r.file(ctx, text)
	if err != nil {
		return sandbox.FileData{}, err
	}
	return r.read(ctx, p, real, before, offset, limit)
}

func (r *fileSystem) read(ctx context.Context, p place, real string, before sandbox.FileInfo, offset, limit int64) (sandbox.FileData, error) {
	data, err := p.mount.volume.sandbox().ReadFile(ctx, real, offset, limit)
	if err != nil {
		return sandbox.FileData{}, translateError(err, p.path)
	}
	if p.mount.volume.objects != nil {
		return data, nil // there are no links, and a part is of one object
	}
	_, after, err := r.look(ctx, p)
	switch {
	case err != nil:
		return sandbox.FileData{}, err
	case after.Size != data.Size || !after.ModTime.Equal(data.ModTime) || after.Size != before.Size || !after.ModTime.Equal(before.ModTime):
		return sandbox.FileData{}, fault.Errorf(fault.Conflict, "%s changed while it was read: read it again", p.path)
	}
	return data, nil
}

// piece is how much of a file Download holds in memory, in bytes, while its caller takes it: a consumer's browser may take minutes.
const piece = 1 << 20

// Download implements sandbox.Sandbox.
func (r *fileSystem) Download(ctx context.Context, text string, to io.Writer) (int64, error) {
	ctx = sandbox.Unnamed(ctx)
	p, real, info, err := r.file(ctx, text)
	if err != nil {
		return 0, err
	}
	if objects := p.mount.volume.objects; objects != nil {
		n, err := objects.Download(ctx, real, to)
		return n, translateError(err, p.path)
	}
	var done int64
	for done < info.Size {
		data, err := r.read(ctx, p, real, info, done, min(piece, info.Size-done))
		if err != nil {
			return done, err
		}
		n, err := to.Write(data.Data)
		done += int64(n)
		switch {
		case err != nil:
			return done, err
		case n == 0:
			return done, fault.Errorf(fault.Conflict, "%s changed while it was read: read it again", p.path)
		}
	}
	return done, nil
}

// Stat implements sandbox.Sandbox. Real is the path in the file system.
func (r *fileSystem) Stat(ctx context.Context, text string) (sandbox.FileInfo, error) {
	ctx = sandbox.Unnamed(ctx)
	p, err := r.find(text)
	switch {
	case err != nil:
		return sandbox.FileInfo{}, err
	case p.mount == nil:
		if _, err := r.mounts[0].volume.open(ctx); err != nil { // a request for the root checks whether the files can be reached
			return sandbox.FileInfo{}, err
		}
		return folder("/"), nil
	}
	_, info, err := r.look(ctx, p)
	if p.rel == "" && fault.Is(err, fault.NotFound) {
		return folder(p.path), nil // nothing was put there yet
	}
	if err != nil {
		return sandbox.FileInfo{}, err
	}
	return info, nil
}

// folder is one that the runner does not have yet.
func folder(at string) sandbox.FileInfo {
	return sandbox.FileInfo{Path: at, Real: at, Dir: true, Mode: folderMode}
}

// ReadDir implements sandbox.Sandbox.
func (r *fileSystem) ReadDir(ctx context.Context, text string) ([]sandbox.FileInfo, error) {
	ctx = sandbox.Unnamed(ctx)
	p, err := r.find(text)
	switch {
	case err != nil:
		return nil, err
	case p.mount == nil:
		return r.folders(), nil
	}
	real, info, err := r.look(ctx, p)
	if p.rel == "" && fault.Is(err, fault.NotFound) {
		return []sandbox.FileInfo{}, nil
	}
	if err == nil && !info.Dir {
		err = fault.Errorf(fault.Invalid, "%s is no folder", p.path)
	}
	if err != nil {
		return nil, err
	}
	entries, err := p.mount.volume.sandbox().ReadDir(ctx, real)
	if err != nil {
		return nil, translateError(err, p.path)
	}
	out := make([]sandbox.FileInfo, 0, len(entries))
	for _, e := range entries {
		name := path.Base(e.Path)
		rel := path.Join(p.rel, name)
		_, err := r.find(path.Join(p.path, name)) // a name that no path of a file system has is left out
		switch {
		case err != nil || path.Dir(e.Path) != real || e.Link != "":
		case e.Dir && p.mount.opens(rel), e.Mode.IsRegular() && p.mount.sees(rel):
			out = append(out, shown(e, path.Join(p.path, name)))
		}
	}
	return out, nil
}

func (r *fileSystem) folders() []sandbox.FileInfo {
	var out []sandbox.FileInfo
	for _, m := range r.mounts {
		if m.opens("") {
			out = append(out, folder("/"+m.name))
		}
	}
	return out
}

// URL returns an address that opens a file without credentials; empty: there is none, and the server sends the file. NotFound: there is no such file.
func (r *fileSystem) URL(ctx context.Context, text string, l storage.Link) (string, error) {
	p, real, _, err := r.file(ctx, text)
	if err != nil || p.mount.volume.objects == nil {
		return "", err
	}
	address, err := p.mount.volume.objects.URL(ctx, real, l)
	return address, translateError(err, p.path)
}
