package wire

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// SyncFolder lists a folder of the server. The runner makes its copy under <workspace>/.xbot/<Name>, or under <workspace>/.cache/xbot/<Name>
// where the former is denied, the same: it removes files that are not listed, and the answer names those whose content is to be written with Write.
type SyncFolder struct {
	Name  string     `json:"name"` // skills, agents, or installed/<user>/<digest>: a skill that a user has installed
	Files []SyncFile `json:"files"`
}

// SyncFile is one file. Path is relative, with slashes, below the folder.
type SyncFile struct {
	Path       string `json:"path"`
	SHA256     string `json:"sha256"` // hex
	Executable bool   `json:"executable,omitempty"`
}

// SyncPlan names the files that the runner needs and where they go.
type SyncPlan struct {
	Root string   `json:"root"` // absolute folder of the copy
	Want []string `json:"want"` // paths as listed
}

// Status is the activity of a runner.
type Status struct {
	Running int `json:"running"` // commands
}

// Limits of a synced folder.
const (
	MaxSyncFiles = 5000     // files
	MaxSyncBytes = 64 << 20 // of all of them
)

// installed is the name of the folder of a skill that a user has installed: their number, and 32 digits of the hash of its files.
var installed = regexp.MustCompile(`^installed/[0-9]{1,19}/[0-9a-f]{32}$`)

// Validate checks what does not depend on the machine.
func (r SyncFolder) Validate() error {
	if r.Name != "skills" && r.Name != "agents" && !installed.MatchString(r.Name) {
		return Errorf(Invalid, "the folder %q is not kept in step: skills, agents and what is installed are", r.Name)
	}
	if len(r.Files) > MaxSyncFiles {
		return Errorf(TooLarge, "a folder of %d files is over the limit of %d", len(r.Files), MaxSyncFiles)
	}
	kind := map[string]string{}
	for _, file := range r.Files {
		if !fs.ValidPath(file.Path) || file.Path == "." || strings.ContainsAny(file.Path, "\x00\\") || len(file.SHA256) != 64 {
			return Errorf(Invalid, "the entry %q is not a path below the folder with the hash of its content", file.Path)
		}
		if kind[file.Path] != "" {
			return Errorf(Invalid, "%q is listed twice, or as a file and as a folder", file.Path)
		}
		kind[file.Path] = "file"
		for dir := path.Dir(file.Path); dir != "."; dir = path.Dir(dir) {
			if kind[dir] == "file" {
				return Errorf(Invalid, "%q is listed twice, or as a file and as a folder", dir)
			}
			kind[dir] = "folder"
		}
	}
	return nil
}
