package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"xbot/internal/turn/dbsqlc"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
)

// CurrentAddress returns where on a platform a conversation takes place, for replies to no message; nil: on none.
func CurrentAddress(ctx context.Context, t *pg.Tx, key chat.SessionKey) (*chat.Address, error) {
	row, err := dbsqlc.Q.CronPlace(ctx, t, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look where %s takes place: %w", key, err)
	}
	var to chat.Address
	if err := json.Unmarshal(row.Place, &to); err != nil {
		return nil, fmt.Errorf("read the place of %s: %w", key, err)
	}
	to.Channel, to.Account, to.ReplyTo, to.InThread = row.Channel, row.Account, "", false
	if to.ChatType != chat.ChatDirect {
		to.Peer = ""
	}
	return &to, nil
}

// EncodeAddress encodes an address for its row; nil stays nil.
func EncodeAddress(p *chat.Address) []byte {
	if p == nil {
		return nil
	}
	data, _ := json.Marshal(p) //nolint:errchkjson // strings only
	return data
}
