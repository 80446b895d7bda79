package sandbox

import (
	"bytes"
	"sync"
)

// maxLastOutput bounds a LastOutput, in bytes.
const maxLastOutput = 2 << 10

// LastOutput is a writer that retains the last 2 kB of what is written to it, such as the end of the standard error of a process. The zero value is
// empty. It is safe for concurrent use.
type LastOutput struct {
	mu   sync.Mutex
	data []byte
}

// Write never fails.
func (o *LastOutput) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.data = append(o.data, data[max(0, len(data)-maxLastOutput):]...)
	o.data = bytes.Clone(o.data[max(0, len(o.data)-maxLastOutput):])
	return len(data), nil
}

// Bytes returns a copy of what is retained.
func (o *LastOutput) Bytes() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return bytes.Clone(o.data)
}
