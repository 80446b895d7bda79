package wire

// SyncFolder says what a folder of the server holds, so that the runner's copy under <workspace>/.xbot/<Name> becomes
// the same: files that are not listed are removed, and the answer names those whose content is to be written with Write.
type SyncFolder struct {
	Name  string     `json:"name"` // skills or agents
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

// Status is what goes on at a runner.
type Status struct {
	Running int `json:"running"` // commands
}
