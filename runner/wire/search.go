package wire

// Glob finds files by name; ** matches any number of folders. Newest first.
type Glob struct {
	Pattern string `json:"pattern"`
	Root    string `json:"root,omitempty"`  // empty means the workspace
	Limit   int    `json:"limit,omitempty"` // files at most; 0 means DefaultFound
}

// GlobResult lists what a Glob found.
type GlobResult struct {
	Paths     []string `json:"paths"`
	Truncated bool     `json:"truncated,omitempty"`
}

// Grep finds lines by a regular expression (RE2).
type Grep struct {
	Pattern    string `json:"pattern"`
	Root       string `json:"root,omitempty"`    // file or folder; empty means the workspace
	Include    string `json:"include,omitempty"` // glob on file names
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Context    int    `json:"context,omitempty"` // lines around each match, at most MaxContext
	Limit      int    `json:"limit,omitempty"`   // matches at most; 0 means DefaultFound
}

// GrepResult lists what a Grep found.
type GrepResult struct {
	Matches   []GrepMatch `json:"matches"`
	Truncated bool        `json:"truncated,omitempty"`
	Skipped   int         `json:"skipped,omitempty"` // files passed over: binary, over MaxGrepFile, unreadable
}

// GrepMatch is a line. Match is false for lines of context.
type GrepMatch struct {
	Path  string `json:"path"`
	Line  int    `json:"line"`
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty"`
}

// Limits of a search.
const (
	DefaultFound = 200     // files or matches
	MaxFound     = 10_000  // files or matches of a request at most
	MaxContext   = 20      // lines
	MaxGrepFile  = 1 << 20 // bytes; larger files are passed over
	MaxGrepText  = 500     // characters of a line
	MaxGrepBytes = 2 << 20 // bytes of text in one result
)
