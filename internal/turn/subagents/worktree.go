package subagents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/session"
)

// Names finds subagents.
type Names interface {
	Subagent(ctx context.Context, key chat.SessionKey) (chat.SubagentRef, error)
}

// Worktrees names worktrees after their conversation.
type Worktrees struct{ Names Names }

// Worktree returns <role>-<instance>, <role>-<hash> for a subagent that answers once, or <agent>-<hash> for a user's conversation.
func (n Worktrees) Worktree(ctx context.Context, key chat.SessionKey) (string, error) {
	sum := sha256.Sum256([]byte(key))
	hash := hex.EncodeToString(sum[:4])
	ref, err := n.Names.Subagent(ctx, key)
	switch {
	case err == nil && ref.Once():
		return plain(ref.Role) + "-" + hash, nil
	case err == nil:
		return plain(ref.Role) + "-" + plain(ref.Instance), nil
	case !fault.Is(err, fault.NotFound):
		return "", err
	}
	agent := ""
	if parsed, err := session.Parse(key); err == nil { // an unreadable key has a hash, too
		agent = parsed.Agent
	}
	return strings.TrimPrefix(plain(agent)+"-"+hash, "-"), nil
}

// plain turns a name into one that git and file systems accept, of at most 36 characters.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_') {
			return r
		}
		return '-'
	}, name)
	return strings.TrimLeft(name[:min(len(name), 36)], "-_")
}
