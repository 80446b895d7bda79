package sandbox

import (
	"io"
	"sync"
)

// tail is a stream that never holds up its writer: of unread bytes, the newest are kept.
type tail struct {
	limit int

	mu      sync.Mutex
	data    []byte
	err     error         // of the end; set once
	changed chan struct{} // closed and renewed when data came; closed permanently at the end
}

func newTail(limit int) *tail { return &tail{limit: limit, changed: make(chan struct{})} }

func (t *tail) write(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return
	}
	t.data = append(t.data, p...)
	if over := len(t.data) - t.limit; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	close(t.changed)
	t.changed = make(chan struct{})
}

// close ends the stream once what is there has been read: with err, or with io.EOF if it is nil.
func (t *tail) close(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		err = io.EOF
	}
	t.err = err
	close(t.changed)
}

// Read waits for data or the end.
func (t *tail) Read(p []byte) (int, error) {
	for {
		t.mu.Lock()
		n := copy(p, t.data)
		t.data = t.data[n:]
		err, changed := t.err, t.changed
		t.mu.Unlock()
		if n > 0 || len(p) == 0 {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		<-changed
	}
}
