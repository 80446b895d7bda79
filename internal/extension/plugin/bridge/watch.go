package bridge

import (
	"context"
	"slices"
	"time"

	"xbot/internal/extension/plugin/installed"
)

// watchEvery is the interval at which processes of plugins end that were switched off, changed or removed, or were idle; foldersEvery that at
// which the folders of removed ones are deleted.
const (
	watchEvery   = time.Second
	foldersEvery = 10 * time.Minute
)

// watch ends processes that are not wanted any more.
func (b *Bridge) watch() {
	tick, swept := time.NewTicker(watchEvery), time.Time{}
	defer tick.Stop()
	for {
		select {
		case <-b.over:
			return
		case <-tick.C:
		}
		if b.Running() > 0 {
			b.look()
		}
		if time.Since(swept) > foldersEvery {
			b.folders.sweep(b.used())
			swept = time.Now()
		}
	}
}

// look compares the processes with the stored plugins. While the database is away all processes continue.
func (b *Bridge) look() {
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	working, err := b.cfg.Plugins.Working(ctx)
	if err != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for p := range b.all {
		i := slices.IndexFunc(working, func(w installed.Plugin) bool { return w.Plugin.ID == p.plugin.Plugin.ID })
		switch {
		case i < 0:
			b.retire(p)
			p.leave() // at once: it may be why it was switched off
		case working[i].Revision != p.plugin.Revision, working[i].Digest != p.plugin.Digest, p.users == 0 && time.Since(p.used) > b.cfg.Idle:
			b.retire(p)
		}
	}
}

// used returns the folders of files that processes of this server use.
func (b *Bridge) used() map[string]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := map[string]bool{}
	for p := range b.all {
		out[b.folders.code(p.plugin)] = true
	}
	return out
}
