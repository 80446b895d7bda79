package wire

import "time"

// Path is the body of operations that need only a path, absolute or relative to the workspace.
type Path struct {
	Path string `json:"path"`
}

// Move renames a file, a link or a folder. It never replaces a file at To: Conflict.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Read asks for a part of a file, at most MaxChunk bytes.
type Read struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset,omitempty"`
	Limit  int64  `json:"limit"`
}

// ReadResult is a part of a file. Size and ModTime let a reader of several parts see that the file changed in the meantime.
type ReadResult struct {
	Data    []byte    `json:"data"`
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mod_time"`
}

// The modes of Write.
const (
	WriteCreate  = "create"  // Conflict if something is there
	WriteReplace = "replace" // create or overwrite, keeping permissions
)

// Write is one part of a file's new content. The parts of one Upload come in order; nothing is visible before the one
// marked Last, which puts the whole content in place at once.
type Write struct {
	Path   string `json:"path"`
	Mode   string `json:"mode"`
	Upload string `json:"upload"` // chosen by the writer, 1 to 64 letters and digits, new for each try
	Offset int64  `json:"offset,omitempty"`
	Data   []byte `json:"data,omitempty"`
	Last   bool   `json:"last,omitempty"`
	Retry  bool   `json:"retry,omitempty"` // an earlier try may have been carried out: equal content is no Conflict
	// Edit is the id of the call whose change of the file this is, at most MaxEditID bytes: it is carried out once, however often it is requested.
	// Empty: no such promise.
	Edit string `json:"edit,omitempty"`
	// Before is the SHA-256, in hexadecimal, of the content that an edit replaces: another content is a Conflict. Empty: any content.
	Before string `json:"before,omitempty"`
	// Perm holds the permissions of a file that is new, of which the umask may take some. 0: as any new file.
	Perm uint32 `json:"perm,omitempty"`
}

// MaxEditID bounds the id of an edit, in bytes.
const MaxEditID = 200

// Edit asks whether the edit of an id was carried out.
type Edit struct {
	ID string `json:"id"`
}

// EditResult reports whether the edit was carried out, and how large the file was then. Edits are remembered for eight days.
type EditResult struct {
	Done bool  `json:"done,omitempty"`
	Size int64 `json:"size,omitempty"`
}

// WriteResult answers a part. Restart means that the parts before it are not there any more, or not all: the writer begins again under another
// Upload.
type WriteResult struct {
	Restart bool `json:"restart,omitempty"`
	// Edited means that this edit was carried out before, with a file of Size bytes: nothing was written, and no part need follow.
	Edited bool  `json:"edited,omitempty"`
	Size   int64 `json:"size,omitempty"`
}

// MaxUpload is the size of the largest file that Write accepts, in bytes.
const MaxUpload = 512 << 20

// FileInfo describes a file or folder. Mode holds the bits of fs.FileMode.
type FileInfo struct {
	Path    string    `json:"path"`
	Size    int64     `json:"size"`
	Mode    uint32    `json:"mode"`
	ModTime time.Time `json:"mod_time"`
	Dir     bool      `json:"dir,omitempty"`
	Link    string    `json:"link,omitempty"`
	Real    string    `json:"real,omitempty"` // of Stat: the path with all links followed
}

// ReadDirResult lists a folder by name. A folder with more than MaxDirEntries entries is TooLarge.
type ReadDirResult struct {
	Entries []FileInfo `json:"entries"`
}

// MaxDirEntries bounds a listing, so that it fits a frame.
const MaxDirEntries = 10_000
