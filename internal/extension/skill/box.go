package skill

import (
	"context"
	"path"
	"slices"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// maxFolders limits the folders of a skill that are listed: each is a request.
const maxFolders = 30

// boxFolder is the folder of a skill where commands run.
type boxFolder struct {
	box sandbox.Sandbox
	dir string
}

// In returns the folder of a skill in a sandbox.
func In(box sandbox.Sandbox, dir string) Folder { return boxFolder{box, dir} }

func (f boxFolder) Base() string { return path.Base(f.dir) }

func (f boxFolder) Path() string { return f.dir }

func (f boxFolder) Files(ctx context.Context) (files []Listed, more bool, err error) {
	dirs := []string{""}
	for looked := 0; len(dirs) > 0; looked++ {
		if looked == maxFolders {
			return sorted(files), true, nil
		}
		below := dirs[0]
		dirs = dirs[1:]
		infos, err := f.box.ReadDir(ctx, path.Join(f.dir, below))
		if err != nil && below != "" && !fault.Is(err, fault.Unavailable) {
			continue // unreadable folders are not listed
		}
		if err != nil {
			return nil, false, err
		}
		for _, i := range infos {
			name := path.Join(below, path.Base(i.Path))
			switch {
			case i.Link != "" || path.Base(name) == ".git":
			case i.Dir && strings.Count(name, "/") < maxDepth:
				dirs = append(dirs, name)
			case i.Dir || !i.Mode.IsRegular():
			case len(files) == MaxFiles:
				return sorted(files), true, nil
			default:
				files = append(files, Listed{Name: name, Size: i.Size})
			}
		}
	}
	return sorted(files), false, nil
}

func sorted(files []Listed) []Listed {
	slices.SortFunc(files, func(a, b Listed) int { return strings.Compare(a.Name, b.Name) })
	return files
}

func (f boxFolder) Read(ctx context.Context, file string, offset int64) (Piece, error) {
	file = Clean(file)
	if err := checkFile(file); err != nil {
		return Piece{}, err
	}
	if err := f.within(ctx, file); err != nil {
		return Piece{}, err
	}
	data, err := f.box.ReadFile(ctx, path.Join(f.dir, file), offset, MaxPiece)
	return Piece{Data: data.Data, Size: data.Size}, err
}

// within refuses files that a link leads out of the folder: rules for other tools name paths, and this one has none.
func (f boxFolder) within(ctx context.Context, file string) error {
	dir, err := f.box.Stat(ctx, f.dir)
	if err != nil {
		return err
	}
	info, err := f.box.Stat(ctx, path.Join(f.dir, file))
	if err != nil {
		return err
	}
	if dir.Real == "" || !strings.HasPrefix(info.Real, strings.TrimSuffix(dir.Real, "/")+"/") || info.Dir {
		return fault.Errorf(fault.Denied, "%.80q cannot be read: a file of a skill is a regular file in its folder", file)
	}
	return nil
}
