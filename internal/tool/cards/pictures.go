package cards

import (
	"context"
	"path"
	"slices"
	"strings"

	"xbot/internal/channel/card"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

// maxPicture is how large a picture of a card may be, in bytes. The delivery, which reads them, has the same bound.
const maxPicture = 4 << 20

// endings are the file name endings of pictures that are shown.
var endings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"}

// pictures makes the paths of pictures absolute, so that they lead to the same files when the working folder has changed, and looks whether
// they can be sent as things are. It reports whether there are any.
func pictures(ctx context.Context, call tool.Call, all []card.Element) (found bool, err error) {
	for i := range all {
		files := slices.Clone(all[i].Files)
		for n, name := range files {
			if files[n], err = picture(ctx, call, name); err != nil {
				return false, err
			}
			found = true
		}
		all[i].Files = files
	}
	return found, nil
}

func picture(ctx context.Context, call tool.Call, name string) (string, error) {
	file, err := call.Path(name)
	switch {
	case err != nil:
		return "", err
	case !slices.Contains(endings, strings.ToLower(path.Ext(file))):
		return "", fault.Errorf(fault.Invalid, "%.80q is no picture that a card shows; there are %s", name, strings.Join(endings, ", "))
	case !within(file, call.Dir()) && !within(file, call.Box.Workspace()):
		return "", fault.Errorf(fault.Denied, "%.200s is outside of the workspace: copy it there first", name)
	}
	info, err := call.Box.Stat(ctx, file)
	switch {
	case err != nil:
		return "", err
	case info.Dir || info.Size == 0 || info.Size > maxPicture:
		return "", fault.Errorf(fault.Invalid, "%.200s is a folder, empty, or larger than %d MB, which a card does not show", name, maxPicture>>20)
	}
	return file, nil
}

func within(file, dir string) bool {
	return strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/")
}
