// Package letta remembers in three tiers: blocks that every prompt holds, an archive that is searched by words and by
// meaning, and earlier messages, which are searched by words and time.
package letta

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/memory"
)

// Store keeps blocks, durably.
type Store interface {
	Blocks(ctx context.Context, w chat.MemoryOwner, session chat.SessionKey) (map[chat.Block]string, error)
	ArchiveCount(ctx context.Context, w chat.MemoryOwner) (int, error)
	MemoryWritten(ctx context.Context, w chat.MemoryOwner, key string) (result string, found bool, err error)
	// Memorize writes all of m or nothing. fresh is false where its key was written before. It returns Conflict if a block has changed,
	// and NotFound if an entry to delete is gone.
	Memorize(ctx context.Context, w chat.MemoryOwner, m chat.Memorized) (fresh bool, err error)
}

// Archive is searched before it is written.
type Archive interface {
	Related(ctx context.Context, w chat.MemoryOwner, texts []string, n int) ([]chat.ArchivalEntry, error)
	Prepare(ctx context.Context, w chat.MemoryOwner, texts []string, at time.Time, going []chat.ArchivalID) ([]chat.ArchivalEntry, error)
}

// Provider keeps memory in tiers. It holds nothing.
type Provider struct {
	Store   Store
	Archive Archive
}

var _ memory.Provider = Provider{}

// Recall returns the blocks, also empty ones, with how full they are, and how much there is in the archive.
func (p Provider) Recall(ctx context.Context, q memory.Query) (string, error) {
	blocks, err := p.Store.Blocks(ctx, q.MemoryOwner(), q.Session)
	if err != nil {
		return "", fmt.Errorf("read memory: %w", err)
	}
	n, err := p.Store.ArchiveCount(ctx, q.MemoryOwner())
	if err != nil {
		return "", fmt.Errorf("count the archive: %w", err)
	}
	return Render(blocks) + fmt.Sprintf("\nEntries in the archive: %d", n), nil
}

// Close implements memory.Provider.
func (Provider) Close() error { return nil }

// Render is blocks as a prompt holds them.
func Render(blocks map[chat.Block]string) string {
	var b strings.Builder
	for i, block := range chat.Blocks() {
		if i > 0 {
			b.WriteByte('\n')
		}
		content := strings.ReplaceAll(strings.TrimSpace(blocks[block]), "</"+string(block), "< /"+string(block))
		fmt.Fprintf(&b, "<%s used=\"%d of %d characters\">\n%s\n</%s>", block, utf8.RuneCountInString(blocks[block]), block.Max(), content, block)
	}
	return b.String()
}
