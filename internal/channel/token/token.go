// Package token keeps the access token that a platform gives a bot for a while.
package token

import (
	"context"
	"sync"
	"time"

	"xbot/internal/fault"
)

// Ask gets a token from a platform, and how long it may be used.
type Ask func(ctx context.Context) (token string, good time.Duration, err error)

// Keeper holds one token. It is safe for concurrent use.
type Keeper struct {
	ask  Ask
	turn chan struct{} // holds one, of whoever asks the platform

	mu    sync.Mutex
	token string
	until time.Time
}

// New makes a keeper without a token.
func New(ask Ask) *Keeper { return &Keeper{ask: ask, turn: make(chan struct{}, 1)} }

// Get returns a token that may be used now. One caller asks the platform; the others wait for it, none longer than its
// context permits.
func (k *Keeper) Get(ctx context.Context) (string, error) {
	if token, ok := k.kept(); ok {
		return token, nil
	}
	if err := k.take(ctx); err != nil {
		return "", err
	}
	defer k.leave()
	if token, ok := k.kept(); ok {
		return token, nil
	}
	return k.renew(ctx)
}

// Renew asks for a token although there may be a good one: that shows whether the credentials are right.
func (k *Keeper) Renew(ctx context.Context) error {
	if err := k.take(ctx); err != nil {
		return err
	}
	defer k.leave()
	_, err := k.renew(ctx)
	return err
}

// Drop forgets a token that the platform has refused, unless it was replaced meanwhile.
func (k *Keeper) Drop(token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.token == token {
		k.token = ""
	}
}

func (k *Keeper) kept() (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.token, k.token != "" && time.Now().Before(k.until)
}

func (k *Keeper) renew(ctx context.Context) (string, error) {
	token, good, err := k.ask(ctx)
	if err != nil {
		return "", err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.token, k.until = token, time.Now().Add(good)
	return token, nil
}

func (k *Keeper) take(ctx context.Context) error {
	select {
	case k.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.Errorf(fault.Unavailable, "wait for an access token: %w", ctx.Err())
	}
}

func (k *Keeper) leave() { <-k.turn }
