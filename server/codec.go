package server

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"xbot/internal/temporalclient"
)

// payloadKeyWait bounds a look for keys of payloads.
const payloadKeyWait = 5 * time.Second

// newCodec opens the keys of payloads, and makes the first one where payloads are to be encrypted. Without the setting it
// still decrypts what was encrypted before.
func (p *parts) newCodec(ctx context.Context, encrypts bool) (*temporalclient.Codec, error) {
	if encrypts {
		key := temporalclient.NewPayloadKey()
		if err := p.store.AddPayloadKey(ctx, key.ID, p.key.Seal(key.Data)); err != nil {
			return nil, err
		}
	}
	return temporalclient.NewCodec(encrypts, func() ([]temporalclient.PayloadKey, error) {
		// A conversion has no context of its own.
		ctx, cancel := context.WithTimeout(context.Background(), payloadKeyWait)
		defer cancel()
		rows, err := p.store.PayloadKeys(ctx)
		if err != nil {
			return nil, err
		}
		keys := make([]temporalclient.PayloadKey, 0, len(rows))
		for _, row := range rows {
			plain, err := p.key.Open(row.Data)
			if err != nil {
				return nil, err
			}
			keys = append(keys, temporalclient.PayloadKey{ID: row.Name, Data: plain})
		}
		return keys, nil
	})
}

// identity names a process to who looks at Temporal: what it is, where, and its build.
func identity(process, version string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return strings.TrimPrefix(process, "xbot ") + "@" + host + " " + version + " (" + strconv.Itoa(os.Getpid()) + ")"
}
