// Package token caches the access token that a platform gives a bot for some time.
package token

import (
	"context"
	"sync"
	"time"

	"xbot/internal/fault"
)

// Ask gets a token from a platform, and how long it may be used.
type Ask func(ctx context.Context) (token string, good time.Duration, err error)

// Cache holds one token. It is safe for concurrent use.
type Cache struct {
	ask  Ask
	turn chan struct{} // holds one, taken while asking the platform

	mu    sync.Mutex
	token string
	until time.Time
}

// New makes a cache that holds no token yet.
func New(ask Ask) *Cache { return &Cache{ask: ask, turn: make(chan struct{}, 1)} }

// Get returns a token that may be used now. One caller asks the platform; the others wait for it, none longer than its
// context permits.
func (c *Cache) Get(ctx context.Context) (string, error) {
	if token, ok := c.cached(); ok {
		return token, nil
	}
	if err := c.take(ctx); err != nil {
		return "", err
	}
	defer c.leave()
	if token, ok := c.cached(); ok {
		return token, nil
	}
	return c.renew(ctx)
}

// Renew asks for a token even if there is a good one: that shows whether the credentials are right.
func (c *Cache) Renew(ctx context.Context) error {
	if err := c.take(ctx); err != nil {
		return err
	}
	defer c.leave()
	_, err := c.renew(ctx)
	return err
}

// Drop removes a token that the platform has refused, unless it has been replaced since.
func (c *Cache) Drop(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token == token {
		c.token = ""
	}
}

func (c *Cache) cached() (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token, c.token != "" && time.Now().Before(c.until)
}

func (c *Cache) renew(ctx context.Context) (string, error) {
	token, good, err := c.ask(ctx)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token, c.until = token, time.Now().Add(good)
	return token, nil
}

func (c *Cache) take(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.Errorf(fault.Unavailable, "wait for an access token: %w", ctx.Err())
	}
}

func (c *Cache) leave() { <-c.turn }
