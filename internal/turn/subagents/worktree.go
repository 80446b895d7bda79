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

// Names are the subagents that there are.
type Names interface {
	Subagent(ctx context.Context, key chat.SessionKey) (chat.SubagentRef, error)
}

// Worktrees names worktrees after the conversation that has them.
type Worktrees struct{ Names Names }

// Worktree returns <role>-<instance>, of one that answers once <role>-<hash>, and <agent>-<hash> of a person's conversation.
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
	if parsed, err := session.Parse(key); err == nil { // a key that nobody can read has a hash all the same
		agent = parsed.Agent
	}
	return strings.TrimPrefix(plain(agent)+"-"+hash, "-"), nil
}

// plain makes a name one that git and file systems take, of at most 36 characters.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_') {
			return r
		}
		return '-'
	}, name)
	return strings.TrimLeft(name[:min(len(name), 36)], "-_")
}
