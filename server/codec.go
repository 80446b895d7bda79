package server

import (
	"context"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"xbot/internal/host/temporalclient"
)

// payloadKeyWait bounds a look for keys of payloads.
const payloadKeyWait = 5 * time.Second

// newCodec opens the keys of payloads, and makes the first one where payloads are to be encrypted. Without the setting it
// still decrypts what was encrypted before.
func newCodec(ctx context.Context, db *database, encrypts bool) (*temporalclient.Codec, error) {
	if encrypts {
		key := temporalclient.NewPayloadKey()
		if err := db.rows.Secrets.AddPayloadKey(ctx, key.ID, db.key.Seal(key.Data)); err != nil {
			return nil, err
		}
	}
	return temporalclient.NewCodec(encrypts, payloadKeys{db})
}

// payloadKeys reads the stored keys.
type payloadKeys struct{ db *database }

// PayloadKeys implements temporalclient.KeySource. A conversion passes no context.
func (k payloadKeys) PayloadKeys() ([]temporalclient.PayloadKey, error) {
	ctx, cancel := context.WithTimeout(context.Background(), payloadKeyWait)
	defer cancel()
	rows, err := k.db.rows.Secrets.PayloadKeys(ctx)
	if err != nil {
		return nil, err
	}
	keys := make([]temporalclient.PayloadKey, 0, len(rows))
	for _, row := range rows {
		plain, err := k.db.key.Open(row.Data)
		if err != nil {
			return nil, err
		}
		keys = append(keys, temporalclient.PayloadKey{ID: row.Name, Data: plain})
	}
	return keys, nil
}

// serveProcess begins the identity of a server that does everything.
const serveProcess = "serve"

// identity names a process to readers of Temporal: its kind, its host, and its build.
func identity(process, version string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return strings.TrimPrefix(process, "xbot ") + "@" + host + " " + version + " (" + strconv.Itoa(os.Getpid()) + ")"
}

// Quiet drops the SDK's chatter below warnings.
func Quiet(log *slog.Logger) *slog.Logger { return slog.New(levelled{log.Handler(), slog.LevelWarn}) }

type levelled struct {
	slog.Handler
	least slog.Level
}

func (l levelled) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= l.least && l.Handler.Enabled(ctx, level)
}

func (l levelled) WithAttrs(attrs []slog.Attr) slog.Handler {
	return levelled{l.Handler.WithAttrs(attrs), l.least}
}

func (l levelled) WithGroup(name string) slog.Handler {
	return levelled{l.Handler.WithGroup(name), l.least}
}
