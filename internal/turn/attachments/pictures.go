package attachments

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// AddPictures stores pictures of a conversation and returns their references. Pictures that exist already stay.
func AddPictures(ctx context.Context, db pg.DBTX, key chat.SessionKey, pictures ...chat.Picture) ([]chat.PictureRef, error) {
	out := make([]chat.PictureRef, len(pictures))
	for i, p := range pictures {
		out[i] = p.PictureRef
		err := dbsqlc.Q.PictureAdd(ctx, db, dbsqlc.PictureAddParams{
			SessionKey: key, Hash: p.Hash, MediaType: p.MediaType, Width: int32(p.Width), Height: int32(p.Height), Data: p.Data,
		})
		if err != nil {
			return nil, fmt.Errorf("keep a picture of %s: %w", key, err)
		}
	}
	return out, nil
}

// AddPicture stores a picture of a conversation. One that exists already stays.
func (s *Store) AddPicture(ctx context.Context, key chat.SessionKey, p chat.Picture) error {
	_, err := AddPictures(ctx, s.db.Pool, key, p)
	return pg.Classify(err)
}

// Pictures returns pictures of a conversation by their hashes. Missing ones are left out.
func (s *Store) Pictures(ctx context.Context, key chat.SessionKey, hashes []string) (map[string]chat.Picture, error) {
	return Pictures(ctx, s.db.Pool, key, hashes)
}

// Pictures is Store.Pictures on a given connection.
func Pictures(ctx context.Context, db pg.DBTX, key chat.SessionKey, hashes []string) (map[string]chat.Picture, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	rows, err := dbsqlc.Q.PictureList(ctx, db, dbsqlc.PictureListParams{SessionKey: key, Hashes: hashes})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read pictures of %s: %w", key, err))
	}
	out := make(map[string]chat.Picture, len(rows))
	for _, r := range rows {
		out[r.Hash] = chat.Picture{
			PictureRef: chat.PictureRef{Hash: r.Hash, MediaType: r.MediaType, Width: int(r.Width), Height: int(r.Height)}, Data: r.Data,
		}
	}
	return out, nil
}
