// Package letta holds the tools with which a model remembers in tiers: blocks that every prompt holds, an archive, and
// earlier messages.
package letta

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed append.md
var appendDoc string

//go:embed replace.md
var replaceDoc string

//go:embed rethink.md
var rethinkDoc string

// Owner returns which memory a session reads and writes.
type Owner interface {
	MemoryOwner(ctx context.Context, user chat.UserID, session chat.SessionKey) (chat.MemoryOwner, error)
}

// Blocks keeps blocks, durably.
type Blocks interface {
	// EditBlock writes what edit makes of a block; the same key writes once, and returns the first result again. It returns Invalid if there is
	// no such block. It returns TooLarge if it would be longer than its limit.
	EditBlock(
		ctx context.Context, w chat.MemoryOwner, session chat.SessionKey, key string, block chat.Block,
		edit func(was string) (content, said string, err error),
	) (said string, err error)
}

// core is the shared part of the tools of blocks.
type core struct {
	owner  Owner
	blocks Blocks
}

func (c core) edit(ctx context.Context, call tool.Call, name string, edit func(was string) (string, error)) (chat.ToolResult, error) {
	w, err := c.owner.MemoryOwner(ctx, call.User, call.Session)
	if err != nil {
		return tool.FromError(err)
	}
	block := chat.Block(strings.ToLower(strings.TrimSpace(name)))
	said, err := c.blocks.EditBlock(ctx, w, call.Session, keyOf(call), block, func(was string) (string, string, error) {
		content, err := edit(was)
		return content, fmt.Sprintf("%s has %d of %d characters now.", block, utf8.RuneCountInString(content), block.Max()), err
	})
	if err != nil {
		return tool.FromError(fmt.Errorf("change memory: %w", err))
	}
	return tool.Text(said), nil
}

// keyOf makes the change of a call happen once.
func keyOf(call tool.Call) string { return "call/" + string(call.ID) }

type appendParams struct {
	Block   string `json:"block"`
	Content string `json:"content"`
}

type appending struct{ core }

// NewAppend returns the tool core_memory_append.
func NewAppend(owner Owner, blocks Blocks) tool.Tool {
	return tool.DefineQuick("core_memory_append", chat.ClassIdempotent, appendDoc, appending{core{owner, blocks}}, tool.Inward)
}

func (appending) Summary(p appendParams) string { return p.Block + ": " + p.Content }

func (a appending) Run(ctx context.Context, call tool.Call, p appendParams) (chat.ToolResult, error) {
	content := strings.TrimSpace(p.Content)
	if content == "" {
		return tool.Fail("content is empty; say what is to be remembered"), nil
	}
	return a.edit(ctx, call, p.Block, func(was string) (string, error) { return strings.TrimSpace(was + "\n" + content), nil })
}

type replaceParams struct {
	Block string `json:"block"`
	Old   string `json:"old_text"`
	New   string `json:"new_text"`
}

type replacing struct{ core }

// NewReplace returns the tool core_memory_replace.
func NewReplace(owner Owner, blocks Blocks) tool.Tool {
	return tool.DefineQuick("core_memory_replace", chat.ClassIdempotent, replaceDoc, replacing{core{owner, blocks}}, tool.Inward)
}

func (replacing) Summary(p replaceParams) string { return p.Block + ": " + p.Old }

func (r replacing) Run(ctx context.Context, call tool.Call, p replaceParams) (chat.ToolResult, error) {
	if p.Old == "" {
		return tool.Fail("old_text is empty; give the text that is to be replaced"), nil
	}
	return r.edit(ctx, call, p.Block, func(was string) (string, error) {
		if n := strings.Count(was, p.Old); n != 1 {
			return "", fault.Errorf(fault.Invalid, "old_text occurs %d times in %s; give a text that occurs once, as it stands there", n, p.Block)
		}
		return strings.TrimSpace(strings.Replace(was, p.Old, p.New, 1)), nil
	})
}

type rethinkParams struct {
	Block     string `json:"block"`
	Content   string `json:"new_content"`
	Reasoning string `json:"reasoning,omitempty"`
}

type rethinking struct{ core }

// NewRethink returns the tool rethink.
func NewRethink(owner Owner, blocks Blocks) tool.Tool {
	return tool.DefineQuick("rethink", chat.ClassIdempotent, rethinkDoc, rethinking{core{owner, blocks}}, tool.Inward)
}

func (rethinking) Summary(p rethinkParams) string { return p.Block }

func (r rethinking) Run(ctx context.Context, call tool.Call, p rethinkParams) (chat.ToolResult, error) {
	return r.edit(ctx, call, p.Block, func(string) (string, error) { return strings.TrimSpace(p.Content), nil })
}
