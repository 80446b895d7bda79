package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/memory/lexical"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

const (
	// indexBatch is how many texts one transaction indexes. Each has at most 200 kB.
	indexBatch = 100
	// indexPause is the default of Store.IndexPause.
	indexPause = 20 * time.Second
)

// IndexWords indexes by words the texts stored by an older xbot, the newest first, and ends when all are indexed: messages from before there
// was an index, and everything after a change of [lexical.Version]. Searches find the texts indexed so far. Several processes may run it; one
// process indexes a batch.
func (s *Store) IndexWords(ctx context.Context, log *slog.Logger) error {
	total, began := 0, time.Now()
	for ctx.Err() == nil {
		n, complete, err := s.indexBatch(ctx)
		total += n
		switch {
		case err == nil && complete:
			if total > 0 {
				log.Info("texts indexed by words", "texts", total, "duration", time.Since(began))
			}
			return nil
		case err == nil && n > 0:
			continue
		case err != nil && ctx.Err() == nil:
			log.Warn("texts wait to be indexed by words", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(s.IndexPause):
		}
	}
	return nil
}

// indexBatch indexes the next texts. complete: there were none to index; neither texts nor complete: another process indexes them.
func (s *Store) indexBatch(ctx context.Context) (n int, complete bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		x, err := dbsqlc.Q.WordIndexNext(ctx, tx, lexical.Version)
		if errors.Is(err, pgx.ErrNoRows) {
			pending, err := dbsqlc.Q.WordIndexPending(ctx, tx, lexical.Version)
			complete = !pending
			return err
		}
		if err != nil {
			return fmt.Errorf("read which texts are indexed: %w", err)
		}
		if x.Version < lexical.Version {
			x.Below = 0 // begins with the newest text
		}
		texts, err := dbsqlc.Q.WordIndexTexts(ctx, tx, dbsqlc.WordIndexTextsParams{Name: x.Name, Below: x.Below, N: indexBatch})
		if err != nil {
			return fmt.Errorf("read texts to index: %w", err)
		}
		if err := writeWords(ctx, tx, x.Name, texts); err != nil {
			return fmt.Errorf("index texts by words: %w", err)
		}
		below := int64(0)
		if len(texts) == indexBatch {
			below = texts[len(texts)-1].ID
		}
		n = max(1, len(texts))
		return dbsqlc.Q.WordIndexSet(ctx, tx, dbsqlc.WordIndexSetParams{Name: x.Name, Version: lexical.Version, Below: below})
	})
	return n, complete, err
}

// writeWords writes the words of some texts.
func writeWords(ctx context.Context, tx *pg.Tx, name string, texts []dbsqlc.WordIndexTextsRow) error {
	ids, vectors, sizes := []int64{}, []string{}, []int32{}
	for _, t := range texts {
		vector, size := lexical.Vector(t.Content)
		if vector == "" && name == indexMessages {
			continue
		}
		ids, vectors, sizes = append(ids, t.ID), append(vectors, vector), append(sizes, int32(size))
	}
	switch name {
	case indexMessages:
		return dbsqlc.Q.WordIndexMessages(ctx, tx, dbsqlc.WordIndexMessagesParams{Ids: ids, Words: vectors})
	case indexArchive:
		return dbsqlc.Q.WordIndexArchive(ctx, tx, dbsqlc.WordIndexArchiveParams{Ids: ids, Words: vectors, Sizes: sizes})
	case indexHistory:
		return dbsqlc.Q.WordIndexHistory(ctx, tx, dbsqlc.WordIndexHistoryParams{Ids: ids, Words: vectors, Sizes: sizes})
	}
	return fmt.Errorf("there is no index by words %q", name)
}

// Names of the indexes by words (table word_indexes).
const (
	indexMessages = "messages"
	indexArchive  = "archival_memory"
	indexHistory  = "event_history"
)
