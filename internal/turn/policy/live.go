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

// Services reads the services as agents.
type Services interface {
	// ServicesAfter returns the services as agents, if they are not those of the given version.
	ServicesAfter(ctx context.Context, version int64) (newest int64, agents []Agent, err error)
}

// Settings reads the policy document.
type Settings interface {
	// PolicyAfter returns the newest version if it is not the given one; body is nil if it is, or if there is none.
	PolicyAfter(ctx context.Context, version int64) (newest int64, body []byte, err error)
}

// Live is the document in force. It is safe for concurrent use.
type Live struct {
	Services Services
	Settings Settings

	mu      sync.Mutex
	read    time.Time
	version int64
	known   *Policy

	servicesVersion int64
	services        []Agent
}

// Get returns the document, at most a second old. It must not be changed. While the database is away the last one stands;
// the error is that of the first look.
func (l *Live) Get(ctx context.Context) (*Policy, error) { return l.With(ctx, 0) }

// With is Get with services that are at least as new as the version: another process may have changed them within this second.
func (l *Live) With(ctx context.Context, services int64) (*Policy, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known != nil && time.Since(l.read) < fresh && l.servicesVersion >= services {
		return l.known, nil
	}
	next, err := l.look(ctx)
	switch {
	case err != nil && l.known != nil && l.servicesVersion >= services:
		return l.known, nil
	case err != nil:
		return nil, fmt.Errorf("read the policy: %w", err)
	}
	l.known, l.read = next, time.Now()
	return next, nil
}

// look reads what has changed. A document that was given away is not touched.
func (l *Live) look(ctx context.Context) (*Policy, error) {
	version, body, err := l.Settings.PolicyAfter(ctx, l.version)
	if err != nil {
		return nil, err
	}
	services, agents, err := l.Services.ServicesAfter(ctx, l.servicesVersion)
	if err != nil {
		return nil, err
	}
	if l.known != nil && body == nil && services == l.servicesVersion {
		return l.known, nil
	}
	next := &Policy{}
	switch {
	case body != nil:
		if err := json.Unmarshal(body, next); err != nil {
			return nil, fmt.Errorf("decode policy %d: %w", version, err)
		}
		l.version = version
	case l.known != nil:
		*next = *l.known
	}
	if services != l.servicesVersion {
		l.servicesVersion, l.services = services, agents
	}
	next.services = l.services
	return next, nil
}

// Refresh has the next Get look at the database: this process has just put a document in force.
func (l *Live) Refresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read = time.Time{}
}
