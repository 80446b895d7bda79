package memorystore

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/memory/dbsqlc"
	"xbot/internal/pg"
	"xbot/internal/user/users"
)

// MoveMemories moves the memory of a user to the user that the person is now. While the former user still has an identity or
// a sign-in, their memory stays; only what belongs to a moved conversation moves with it.
func MoveMemories(ctx context.Context, t *pg.Tx, from, to chat.UserID, sessions []string) error {
	for _, id := range []chat.UserID{min(from, to), max(from, to)} { // the writer of a note holds one of them
		if err := users.Lock(ctx, t, id); err != nil {
			return fmt.Errorf("lock memory: %w", err)
		}
	}
	if err := dbsqlc.Q.BlockMoveOf(ctx, t, dbsqlc.BlockMoveOfParams{UserID: from, NewUserID: int64(to), Sessions: sessions}); err != nil {
		return fmt.Errorf("move the working contexts of conversations: %w", err)
	}
	left, err := dbsqlc.Q.MemoryLeft(ctx, t, from)
	if err != nil {
		return fmt.Errorf("look whether anybody is left behind: %w", err)
	}
	if !left {
		return nil
	}
	if err := dbsqlc.Q.MemoryMove(ctx, t, dbsqlc.MemoryMoveParams{UserID: from, NewUserID: int64(to), LeftID: int64(from)}); err != nil {
		return fmt.Errorf("move what is remembered: %w", err)
	}
	if err := dbsqlc.Q.HistoryMove(ctx, t, dbsqlc.HistoryMoveParams{UserID: from, NewUserID: int64(to)}); err != nil {
		return fmt.Errorf("move the log of memory: %w", err)
	}
	if err := dbsqlc.Q.MemoryWriteMove(ctx, t, dbsqlc.MemoryWriteMoveParams{UserID: from, NewUserID: int64(to)}); err != nil {
		return fmt.Errorf("move the keys of memory: %w", err)
	}
	if err := dbsqlc.Q.SoulMove(ctx, t, dbsqlc.SoulMoveParams{UserID: from, NewUserID: int64(to), LeftID: int64(from)}); err != nil {
		return fmt.Errorf("move soul files: %w", err)
	}
	if err := moveProfile(ctx, t, from, to); err != nil {
		return err
	}
	if err := moveArchives(ctx, t, from, to); err != nil {
		return err
	}
	return moveBlocks(ctx, t, from, to)
}

// moveArchives counts as deletions for one user and as writes for the other, so that every index follows.
func moveArchives(ctx context.Context, t *pg.Tx, from, to chat.UserID) error {
	agents, err := dbsqlc.Q.ArchiveAgents(ctx, t, from)
	if err != nil {
		return fmt.Errorf("look for archives: %w", err)
	}
	for _, agent := range agents {
		revision, err := dbsqlc.Q.HeadBump(ctx, t, dbsqlc.HeadBumpParams{UserID: to, Agent: agent})
		if err != nil {
			return fmt.Errorf("count the changes of the archive: %w", err)
		}
		n, err := dbsqlc.Q.ArchiveMove(ctx, t, dbsqlc.ArchiveMoveParams{UserID: from, Agent: agent, Revision: revision, NewUserID: int64(to)})
		if err != nil {
			return fmt.Errorf("move the archive: %w", err)
		}
		if _, err := dbsqlc.Q.HeadBump(ctx, t, dbsqlc.HeadBumpParams{UserID: from, Agent: agent, Deletions: n}); err != nil {
			return fmt.Errorf("count the changes of the archive: %w", err)
		}
	}
	return nil
}

// moveBlocks moves blocks. If both users have a block, the text of the former user's goes to the archive.
func moveBlocks(ctx context.Context, t *pg.Tx, from, to chat.UserID) error {
	if err := dbsqlc.Q.BlockMove(ctx, t, dbsqlc.BlockMoveParams{UserID: from, NewUserID: int64(to)}); err != nil {
		return fmt.Errorf("move the blocks of memory: %w", err)
	}
	rest, err := dbsqlc.Q.BlockLeft(ctx, t, from)
	if err != nil {
		return fmt.Errorf("take the blocks that are left: %w", err)
	}
	for _, b := range rest {
		if strings.TrimSpace(b.Content) == "" {
			continue
		}
		entry := chat.ArchivalEntry{Content: cutRunes("The block "+string(b.Block)+" before two accounts became one: "+b.Content, chat.MaxArchival)}
		if _, err := changeArchive(ctx, t, chat.MemoryOwner{User: to, Agent: b.Agent}, []chat.ArchivalEntry{entry}, nil); err != nil {
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
