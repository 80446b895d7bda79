package server

import (
	"context"
	"time"

	"xbot/internal/document/transcription"
	"xbot/internal/extension/toolkey"
	"xbot/internal/media"
	"xbot/internal/media/mediastore"
	"xbot/internal/media/providers"
	"xbot/internal/store"
	toolmedia "xbot/internal/tool/media"
	"xbot/internal/tool/toolset"
	policies "xbot/internal/turn/policy"
)

// mediaWait is how long a process that ends waits for the answers to paid requests that it has sent.
const mediaWait = 45 * time.Second

// newMedia opens the generator of pictures, speech and video. A process that ends waits for the answers to its paid requests.
func newMedia(p *process, db *database, stores *store.Store, keys *toolkey.Store, closer *Server) *media.Generator {
	g := &media.Generator{
		Rows: stores.Media, Staging: stores.MediaStaging, Keys: keys, Quotas: mediaQuotas{db.policies}, Providers: providers.All(), Log: p.log,
	}
	closer.onClose(func() {
		ctx, cancel := context.WithTimeout(context.Background(), mediaWait)
		defer cancel()
		g.Wait(ctx)
	})
	return g
}

// mediaTools are the tools that generate pictures, speech and video, for users with keys.
func (c *core) mediaTools() toolset.Source {
	return toolmedia.NewSource(c.models.toolKeys, c.media, c.stores.Media)
}

// mediaQuotas reads the limits of the policy.
type mediaQuotas struct{ live *policies.Live }

// Quota implements media.Quotas.
func (q mediaQuotas) Quota(ctx context.Context, kind media.Kind) (media.Quota, error) {
	p, err := q.live.Get(ctx)
	if err != nil {
		return media.Quota{}, err
	}
	l := p.Limit().Media
	units := map[media.Kind]int{media.Image: l.Pictures, media.Speech: l.Characters, media.Video: l.Seconds}[kind]
	return media.Quota{Units: int64(units), Running: l.AtOnce}, nil
}

// transcriber returns the transcriber of recordings, which books usage.
func (c *core) transcriber() *transcription.Transcriber {
	return &transcription.Transcriber{Keys: c.models.toolKeys, Usage: transcriptionUsage{c.stores.Media}, Log: c.proc.log}
}

// transcriptionUsage books the usage of transcriptions with that of media.
type transcriptionUsage struct{ media *mediastore.Store }

// BookTranscription implements transcription.Usage.
func (u transcriptionUsage) BookTranscription(ctx context.Context, s transcription.UsageRecord) error {
	return u.media.Book(ctx, mediastore.Usage{
		User: s.User, Session: s.Session, Kind: media.Transcription, Model: s.Model, Booking: media.Booking{Units: s.Seconds, Cost: s.Cost},
	})
}
