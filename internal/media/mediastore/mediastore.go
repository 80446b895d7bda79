// Package mediastore stores generations of media, their staged files, and the usage of media.
package mediastore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/media"
	"xbot/internal/media/dbsqlc"
	"xbot/internal/pg"
)

// Store stores generations of media. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

var _ media.Rows = (*Store)(nil)

// staged is how long a generated file waits for its conversation.
const staged = 7 * 24 * time.Hour

// Begin implements media.Rows. Of several calls at once as many begin as the quota permits.
func (s *Store) Begin(ctx context.Context, g media.Generation, q media.Quota) (now media.Generation, added bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		c, err := dbsqlc.Q.MediaCaller(ctx, tx, g.User)
		if err != nil {
			return fmt.Errorf("look up who generates media: %w", err)
		}
		g.Service, g.Key = c.ServiceID, c.KeyID
		if err := fits(ctx, tx, g, q, c); err != nil {
			if now, found := again(ctx, tx, g.Call); found { // another attempt of the call has begun
				g = now
				return nil
			}
			return err
		}
		n, err := dbsqlc.Q.MediaAdd(ctx, tx, dbsqlc.MediaAddParams{
			CallID: g.Call, SessionKey: g.Session, UserID: g.User, ServiceID: g.Service, KeyID: g.Key, Kind: string(g.Kind), Provider: g.Provider, BaseUrl: g.BaseURL,
			Model: g.Model, Units: g.Units,
		})
		added = n > 0
		return err
	})
	if err != nil {
		return media.Generation{}, false, err
	}
	now, err = s.Get(ctx, g.Call)
	return now, added, err
}

func again(ctx context.Context, tx *pg.Tx, call chat.CallID) (media.Generation, bool) {
	_, err := dbsqlc.Q.MediaGet(ctx, tx, dbsqlc.MediaGetParams{CallID: call, Lease: pg.Interval(media.Lease)})
	return media.Generation{Call: call}, err == nil
}

// fits reports whether a generation is within the limits of its user, or of the key and the service of a consumer.
func fits(ctx context.Context, tx *pg.Tx, g media.Generation, q media.Quota, c dbsqlc.MediaCallerRow) error {
	if g.Service == "" {
		if err := dbsqlc.Q.MediaLock(ctx, tx, fmt.Sprint("user ", g.User)); err != nil {
			return err
		}
		t, err := dbsqlc.Q.MediaTakenByUser(ctx, tx, dbsqlc.MediaTakenByUserParams{UserID: g.User, Kind: string(g.Kind)})
		if err != nil {
			return err
		}
		return within(g, t.Taken, t.Running, q.Units, q.Running, "a user", "limits.media of the policy")
	}
	if err := dbsqlc.Q.MediaLock(ctx, tx, "service "+g.Service); err != nil {
		return err
	}
	key, err := dbsqlc.Q.MediaTakenByService(ctx, tx, dbsqlc.MediaTakenByServiceParams{ServiceID: g.Service, KeyID: g.Key, Kind: string(g.Kind)})
	if err != nil {
		return err
	}
	if err := within(g, key.Taken, key.Running, q.Units, q.Running, "a key of a service", "limits.media of the policy"); err != nil {
		return err
	}
	all, err := dbsqlc.Q.MediaTakenByService(ctx, tx, dbsqlc.MediaTakenByServiceParams{ServiceID: g.Service, Kind: string(g.Kind)})
	if err != nil {
		return err
	}
	most := map[media.Kind]int64{media.Image: c.Pictures, media.Speech: c.Characters, media.Video: c.Seconds}[g.Kind]
	return within(g, all.Taken, 0, most, 0, "this service", "the limits of the service")
}

// within is RateLimited for a generation over a limit. A limit of 0 is none.
func within(g media.Generation, taken, running, most int64, atOnce int, who, where string) error {
	if atOnce > 0 && running >= int64(atOnce) {
		return fault.Errorf(fault.RateLimited, "%s may generate %d files at once, and as many are being generated: try again when one has ended (an administrator can change it in %s)", who, atOnce, where)
	}
	if most <= 0 || taken+g.Units <= most {
		return nil
	}
	what := map[media.Kind]string{media.Image: "pictures", media.Speech: "characters of speech", media.Video: "seconds of video"}[g.Kind]
	return fault.Errorf(fault.RateLimited, "%s may generate %d %s a day (UTC): %d are used and %d more were asked for; an administrator can change the limit in %s", who, most, what, taken, g.Units, where)
}

// Get implements media.Rows.
func (s *Store) Get(ctx context.Context, call chat.CallID) (media.Generation, error) {
	r, err := dbsqlc.Q.MediaGet(ctx, s.db.Pool, dbsqlc.MediaGetParams{CallID: call, Lease: pg.Interval(media.Lease)})
	if errors.Is(err, pgx.ErrNoRows) {
		return media.Generation{}, fault.Errorf(fault.NotFound, "call %s has generated nothing", call)
	}
	if err != nil {
		return media.Generation{}, pg.Classify(fmt.Errorf("read the generation of %s: %w", call, err))
	}
	g := r.MediaGeneration
	out := media.Generation{
		Call: g.CallID, Session: g.SessionKey, User: g.UserID, Service: g.ServiceID, Key: g.KeyID, Kind: media.Kind(g.Kind), Provider: g.Provider, BaseURL: g.BaseUrl,
		Model: g.Model, Units: g.Units, State: media.State(g.State), Job: g.Job, Links: g.Links, Problem: g.Problem, Alive: r.Alive, Cost: g.Cost, Created: g.CreatedAt,
	}
	if err := json.Unmarshal(g.Files, &out.Files); err != nil {
		return out, fmt.Errorf("decode the files of %s: %w", call, err)
	}
	return out, nil
}

// KeepAlive implements media.Rows.
func (s *Store) KeepAlive(ctx context.Context, call chat.CallID) error {
	return pg.Classify(dbsqlc.Q.MediaAlive(ctx, s.db.Pool, call))
}

// Start implements media.Rows.
func (s *Store) Start(ctx context.Context, call chat.CallID, job string, links []string, b *media.Booking) error {
	if links == nil {
		links = []string{}
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.MediaStart(ctx, tx, dbsqlc.MediaStartParams{CallID: call, Job: job, Links: links})
		if err != nil || n == 0 || b == nil {
			return err
		}
		return book(ctx, tx, call, *b)
	})
}

// Receive implements media.Rows.
func (s *Store) Receive(ctx context.Context, call chat.CallID, files []media.StagedFile, b *media.Booking) error {
	list, err := json.Marshal(files)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.MediaReceive(ctx, tx, dbsqlc.MediaReceiveParams{CallID: call, Files: list})
		if err != nil || n == 0 || b == nil {
			return err
		}
		return book(ctx, tx, call, *b)
	})
}

// book adds the usage of a generation, once.
func book(ctx context.Context, tx *pg.Tx, call chat.CallID, b media.Booking) error {
	r, err := dbsqlc.Q.MediaBook(ctx, tx, dbsqlc.MediaBookParams{CallID: call, Units: b.Units, Cost: b.Cost})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // it was booked
	}
	if err != nil {
		return err
	}
	return Book(ctx, tx, Usage{User: r.UserID, Session: r.SessionKey, Kind: media.Kind(r.Kind), Model: r.Provider + "/" + r.Model, Booking: b})
}

// End implements media.Rows.
func (s *Store) End(ctx context.Context, call chat.CallID, state media.State, problem string) error {
	_, err := dbsqlc.Q.MediaEnd(ctx, s.db.Pool, dbsqlc.MediaEndParams{CallID: call, State: string(state), Problem: strings.ToValidUTF8(strings.ReplaceAll(problem, "\x00", ""), "")})
	return pg.Classify(err)
}

// Store implements media.Rows. It also removes files that waited for a conversation too long.
func (s *Store) Store(ctx context.Context, call chat.CallID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.MediaStore(ctx, tx, call); err != nil {
			return err
		}
		return dbsqlc.Q.MediaPrune(ctx, tx, dbsqlc.MediaPruneParams{Older: pg.Interval(staged), Problem: "The files were kept for a week, and are deleted."})
	})
}

// Staging stages files in Postgres, in parts.
type Staging struct{ db *pg.DB }

// NewStaging returns the place where files are staged in a database.
func NewStaging(db *pg.DB) *Staging { return &Staging{db: db} }

var _ media.Staging = (*Staging)(nil)

// partSize is the size of all parts of a file but the last, in bytes.
const partSize = 4 << 20

// Put implements media.Staging. One part is in memory at a time.
func (s *Staging) Put(ctx context.Context, call chat.CallID, file int, from io.Reader) (int64, error) {
	var size int64
	buf := make([]byte, partSize)
	for part := 0; ; part++ {
		n, err := fill(from, buf)
		if err != nil && err != io.EOF {
			return size, err
		}
		if n > 0 {
			if err := dbsqlc.Q.MediaStage(ctx, s.db.Pool, dbsqlc.MediaStageParams{CallID: call, File: int32(file), Part: int32(part), Data: buf[:n]}); err != nil {
				return size, pg.Classify(fmt.Errorf("stage a file: %w", err))
			}
			size += int64(n)
		}
		if err == io.EOF {
			last := part
			if n > 0 {
				last++
			}
			return size, pg.Classify(dbsqlc.Q.MediaUnstage(ctx, s.db.Pool, dbsqlc.MediaUnstageParams{CallID: call, File: int32(file), Part: int32(last)}))
		}
	}
}

// fill reads until the buffer is full. It returns io.EOF at the end, and no other error as such.
func fill(from io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = from.Read(buf[n:])
		n += m
	}
	return n, err
}

// Open implements media.Staging.
func (s *Staging) Open(ctx context.Context, call chat.CallID, file int, size int64) io.ReadSeeker {
	return &stagedReader{ctx: ctx, staging: s, call: call, file: int32(file), size: size, part: -1}
}

// stagedReader reads a staged file, with one part in memory.
type stagedReader struct {
	ctx     context.Context //nolint:containedctx // of one use of the file, as that of a request
	staging *Staging
	call    chat.CallID
	file    int32
	size    int64
	at      int64
	part    int32 // in memory; -1: none
	data    *bytes.Reader
}

func (r *stagedReader) Read(buf []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	if part := int32(r.at / partSize); part != r.part {
		data, err := dbsqlc.Q.MediaPart(r.ctx, r.staging.db.Pool, dbsqlc.MediaPartParams{CallID: r.call, File: r.file, Part: part})
		if errors.Is(err, pgx.ErrNoRows) {
			return 0, fault.Errorf(fault.NotFound, "a part of the staged file is gone")
		}
		if err != nil {
			return 0, pg.Classify(fmt.Errorf("read a staged file: %w", err))
		}
		r.data, r.part = bytes.NewReader(data), part
	}
	if _, err := r.data.Seek(r.at%partSize, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := r.data.Read(buf)
	r.at += int64(n)
	if err == io.EOF {
		err = fault.Errorf(fault.Internal, "the staged file is shorter than it was")
	}
	return n, err
}

// Seek implements io.Seeker.
func (r *stagedReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return r.at, fault.Errorf(fault.Invalid, "a negative position")
	}
	r.at = offset
	return offset, nil
}
