package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// fresh is how long a document is believed without a look at the database.
const fresh = time.Second

// Source keeps the versions of the document.
type Source interface {
	// PolicyAfter returns the newest version if it is not the given one; body is nil if it is, or if there is none.
	PolicyAfter(ctx context.Context, version int64) (newest int64, body []byte, err error)
}

// Live is the document in force. It is safe for concurrent use.
type Live struct {
	Source Source

	mu      sync.Mutex
	read    time.Time
	version int64
	known   *Policy
}

// Get returns the document, at most a second old. It must not be changed. While the database is away the last one stands;
// the error is that of the first look.
func (l *Live) Get(ctx context.Context) (*Policy, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known != nil && time.Since(l.read) < fresh {
		return l.known, nil
	}
	version, body, err := l.Source.PolicyAfter(ctx, l.version)
	switch {
	case err != nil && l.known != nil:
		return l.known, nil
	case err != nil:
		return nil, fmt.Errorf("read the policy: %w", err)
	}
	l.read = time.Now()
	if body == nil {
		if l.known == nil {
			l.known = &Policy{}
		}
		return l.known, nil
	}
	p := &Policy{}
	if err := json.Unmarshal(body, p); err != nil {
		return nil, fmt.Errorf("decode policy %d: %w", version, err)
	}
	l.known, l.version = p, version
	return p, nil
}

// Refresh has the next Get look at the database: this process has just put a document in force.
func (l *Live) Refresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read = time.Time{}
}
