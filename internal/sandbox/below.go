package sandbox

import (
	"context"
	"path"

	"xbot/internal/fault"
)

// Below lists what a folder holds, and what its folders hold, each folder before what is in it. Links are left out, since they may lead
// anywhere. More than most entries are TooLarge. Each path begins with the folder as it was named, also where links lead to it. A folder
// of so many parts may change while it is listed.
func Below(ctx context.Context, box Sandbox, folder string, most int) ([]FileInfo, error) {
	var found []FileInfo
	for open := []string{folder}; len(open) > 0; open = open[1:] {
		entries, err := box.ReadDir(ctx, open[0])
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.Link != "" || !entry.Dir && !entry.Mode.IsRegular() {
				continue
			}
			entry.Path = path.Join(open[0], path.Base(entry.Path))
			if found = append(found, entry); len(found) > most {
				return nil, fault.Errorf(fault.TooLarge, "%s holds more than %d files and folders: choose a folder in it, or use a command", folder, most)
			}
			if entry.Dir {
				open = append(open, entry.Path)
			}
		}
	}
	return found, nil
}
