package store

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
)

// moveMemories gives what is remembered of a user to who they are now. While they can still be met as who they were, it is
// about that one, and stays; but what belongs to a conversation goes with it.
func (t *tx) moveMemories(ctx context.Context, from, to chat.UserID, sessions []string) error {
	for _, id := range []chat.UserID{min(from, to), max(from, to)} { // whoever writes a note holds one of them
		if err := t.q.MemoryLock(ctx, t, id); err != nil {
			return fmt.Errorf("lock memory: %w", err)
		}
	}
	if err := t.q.BlockMoveOf(ctx, t, dbsqlc.BlockMoveOfParams{UserID: from, NewUserID: int64(to), Sessions: sessions}); err != nil {
		return fmt.Errorf("move the working contexts of conversations: %w", err)
	}
	left, err := t.q.MemoryLeft(ctx, t, from)
	if err != nil {
		return fmt.Errorf("look whether anybody is left behind: %w", err)
	}
	if !left {
		return nil
	}
	if err := t.q.MemoryMove(ctx, t, dbsqlc.MemoryMoveParams{UserID: from, NewUserID: int64(to), LeftID: int64(from)}); err != nil {
		return fmt.Errorf("move what is remembered: %w", err)
	}
	if err := t.q.HistoryMove(ctx, t, dbsqlc.HistoryMoveParams{UserID: from, NewUserID: int64(to)}); err != nil {
		return fmt.Errorf("move the log of memory: %w", err)
	}
	if err := t.q.MemoryWriteMove(ctx, t, dbsqlc.MemoryWriteMoveParams{UserID: from, NewUserID: int64(to)}); err != nil {
		return fmt.Errorf("move the keys of memory: %w", err)
	}
	if err := t.q.SoulMove(ctx, t, dbsqlc.SoulMoveParams{UserID: from, NewUserID: int64(to), LeftID: int64(from)}); err != nil {
		return fmt.Errorf("move soul files: %w", err)
	}
	if err := t.moveProfile(ctx, from, to); err != nil {
		return err
	}
	if err := t.moveArchives(ctx, from, to); err != nil {
		return err
	}
	return t.moveBlocks(ctx, from, to)
}

// moveArchives counts as deletions for one user and as writes for the other, so that every index follows.
func (t *tx) moveArchives(ctx context.Context, from, to chat.UserID) error {
	agents, err := t.q.ArchiveAgents(ctx, t, from)
	if err != nil {
		return fmt.Errorf("look for archives: %w", err)
	}
	for _, agent := range agents {
		revision, err := t.q.HeadBump(ctx, t, dbsqlc.HeadBumpParams{UserID: to, Agent: agent})
		if err != nil {
			return fmt.Errorf("count the changes of the archive: %w", err)
		}
		n, err := t.q.ArchiveMove(ctx, t, dbsqlc.ArchiveMoveParams{UserID: from, Agent: agent, Revision: revision, NewUserID: int64(to)})
		if err != nil {
			return fmt.Errorf("move the archive: %w", err)
		}
		if _, err := t.q.HeadBump(ctx, t, dbsqlc.HeadBumpParams{UserID: from, Agent: agent, Deletions: n}); err != nil {
			return fmt.Errorf("count the changes of the archive: %w", err)
		}
	}
	return nil
}

// moveBlocks gives blocks away. Where both have one, the text of the one that is left behind goes to the archive.
func (t *tx) moveBlocks(ctx context.Context, from, to chat.UserID) error {
	if err := t.q.BlockMove(ctx, t, dbsqlc.BlockMoveParams{UserID: from, NewUserID: int64(to)}); err != nil {
		return fmt.Errorf("move the blocks of memory: %w", err)
	}
	rest, err := t.q.BlockLeft(ctx, t, from)
	if err != nil {
		return fmt.Errorf("take the blocks that are left: %w", err)
	}
	for _, b := range rest {
		if strings.TrimSpace(b.Content) == "" {
			continue
		}
		entry := chat.ArchivalEntry{Content: cutRunes("The block "+string(b.Block)+" before two accounts became one: "+b.Content, chat.MaxArchival)}
		if _, err := t.changeArchive(ctx, chat.Whose{User: to, Agent: b.Agent}, []chat.ArchivalEntry{entry}, nil); err != nil {
			return err
		}
	}
	return nil
}

func cutRunes(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
