package confine

// Limits bound what one process of a command may use. A limit that the system has already set lower stays. Programs that
// reserve much and use little do not start with a limit of memory, so there is none by default: instead the kernel ends
// commands first when memory runs out.
type Limits struct {
	Core      uint64 `json:"core,omitempty"`      // bytes of a core dump; 0 writes none
	Files     uint64 `json:"files,omitempty"`     // open descriptors; 0 leaves it as it is, as with the following
	Processes uint64 `json:"processes,omitempty"` // processes and threads of the user; the kernel does not hold root to it
	FileSize  uint64 `json:"file_size,omitempty"` // bytes of a file that it writes
	Memory    uint64 `json:"memory,omitempty"`    // bytes of private memory that can be written; shared mappings are free
}

// Bounds limits what a process may use after it has sealed itself.
type Bounds struct {
	Memory uint64 // bytes of private writable memory, including current use; 0: unchanged
	CPU    uint64 // seconds of CPU time, besides what it has used already
}
