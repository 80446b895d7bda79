package memorystore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/dbsqlc"
	"xbot/internal/pg"
	"xbot/internal/user/persona"
)

// SoulFiles returns the soul files of a memory, by name.
func (s *Store) SoulFiles(ctx context.Context, w chat.MemoryOwner) ([]chat.SoulFile, error) {
	rows, err := dbsqlc.Q.SoulList(ctx, s.db.Pool, dbsqlc.SoulListParams{UserID: w.User, Agent: w.Agent})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read soul files: %w", err))
	}
	out := make([]chat.SoulFile, len(rows))
	for i, r := range rows {
		out[i] = chat.SoulFile(r)
	}
	return out, nil
}

// SetSoulFile writes or deletes a soul file, and returns the version that it has then; empty: it is gone. The same key writes
// once, and returns what it returned then; an empty key always writes. It returns Conflict if the file is not what the change overwrites,
// TooLarge if the file, or the number of files, would exceed the limits, and Invalid if its name or content is not permitted.
func (s *Store) SetSoulFile(ctx context.Context, w chat.MemoryOwner, key string, c chat.SoulChange) (version string, err error) {
	version, _, err = s.changeMemory(ctx, w, key, func(tx *pg.Tx) (string, error) { return changeSoul(ctx, tx, w, c) })
	return version, err
}

// changeSoul checks a change and makes it.
func changeSoul(ctx context.Context, t *pg.Tx, w chat.MemoryOwner, c chat.SoulChange) (version string, err error) {
	was, err := dbsqlc.Q.SoulGet(ctx, t, dbsqlc.SoulGetParams{UserID: w.User, Agent: w.Agent, Name: c.Name})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("read the soul file %s: %w", c.Name, err)
	}
	c.Content = strings.TrimSpace(chat.Clean(c.Content))
	if c.Content != "" || was == "" { // an existing file can be deleted under any name
		if err := persona.CheckFile(c.Name, c.Content); err != nil {
			return "", err
		}
	}
	switch now := chat.SoulVersion(was); {
	case now == c.Version:
	case now == "":
		return "", fault.Errorf(fault.Conflict, "there is no soul file %s any more", c.Name)
	default:
		return "", fault.Errorf(fault.Conflict, "the soul file %s says something else by now, its version is %s: read it before you write", c.Name, now)
	}
	if c.Content == "" {
		err = dbsqlc.Q.SoulDelete(ctx, t, dbsqlc.SoulDeleteParams{UserID: w.User, Agent: w.Agent, Name: c.Name})
	} else {
		err = putSoul(ctx, t, w, c, was == "")
	}
	if err != nil {
		return "", fmt.Errorf("write the soul file %s: %w", c.Name, err)
	}
	return chat.SoulVersion(c.Content), nil
}

func putSoul(ctx context.Context, t *pg.Tx, w chat.MemoryOwner, c chat.SoulChange, fresh bool) error {
	if fresh {
		n, err := dbsqlc.Q.SoulCount(ctx, t, dbsqlc.SoulCountParams{UserID: w.User, Agent: w.Agent})
		if err != nil {
			return err
		}
		if n >= chat.MaxSoulFiles {
			return fault.Errorf(fault.TooLarge, "there are %d soul files, and no more are kept: merge or delete some first", n)
		}
	}
	return dbsqlc.Q.SoulPut(ctx, t, dbsqlc.SoulPutParams{UserID: w.User, Agent: w.Agent, Name: c.Name, Content: c.Content})
}
