package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/attachments"
	"xbot/internal/turn/command"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/inbox"
	"xbot/internal/turn/subagents/subagentstore"
)

// NewRow is a message or a stop as a channel delivered it.
type NewRow struct {
	Session    chat.SessionKey
	User       chat.UserID
	Channel    string
	Account    string // empty where a channel has one account
	PlatformID string // unique per (channel, account, user); repeated deliveries carry the same one
	Text       string
	OwnAlone   bool // a stop drops only the queued messages of its sender
	Control    bool // the text is a command that a turn carries out, in its place in the queue

	Sender  string            // name of the sender, where several users write
	SentAt  time.Time         // by the platform's clock; zero: now. A time in the future counts as now
	Seq     int64             // the platform's order among messages of one instant
	To      *chat.Address     // where replies to it are delivered; nil: its sender reads the events of the session
	Queue   chat.Queue        // how it waits; empty members are followup, 500 ms, MaxQueued, reject
	Files   []chat.Attachment // its attachments; the message waits until they are there
	Options chat.Options      // from directives, for this message alone
	// Expired returns why the conversation has expired since a user last wrote in it, empty if it continues. Nil: it never ends.
	Expired func(last time.Time) (reason string)
}

// kind returns the kind of the row.
func (in NewRow) kind() string {
	if in.Control {
		return kindControl
	}
	return kindMessage
}

// files returns the files that a message waits for. Those of a platform need an account to be fetched with.
func (in NewRow) files() []chat.Attachment {
	if in.Control || in.To == nil && slices.ContainsFunc(in.Files, func(f chat.Attachment) bool { return f.At == "" && f.Shown == nil }) {
		return nil
	}
	return in.Files[:min(len(in.Files), chat.MaxAttachments)]
}

// fetches reports whether files have to be fetched, or looked at, before the message may be claimed.
func (in NewRow) fetches() bool {
	return slices.ContainsFunc(in.files(), func(f chat.Attachment) bool { return f.Shown == nil })
}

// expect sets in the row of a message how many files came with it, and until when it waits for those that are fetched.
func (in NewRow) expect(p *dbsqlc.InboxInsertParams) {
	p.Files = int32(len(in.files()))
	if in.fetches() {
		p.FilesMs = int32(attachments.FetchTime.Milliseconds())
	}
}

// Accepted is the result of Store.Accept.
type Accepted struct {
	ID        chat.InboxID
	Duplicate bool // it had been accepted before; nothing new happened
	// Position is its place in the queue, from 1; 0 if it does not wait.
	Position int
	// Idle is true if the session was idle: no turn of it ran, and no message waited.
	Idle bool
	// Wait is how long it may not be claimed, because more of the same burst may follow: wake its turn then.
	Wait time.Duration
	// Fetch is true if its files have to be fetched before it may be claimed; the caller starts that.
	Fetch bool
	// Dropped are the messages that get no turn because of this one, which may be itself. Their senders were notified.
	Dropped []chat.InboxID
	// Ended is the notice to the sender why the message gets no turn; empty if it waits.
	Ended string
	Mode  chat.QueueMode // empty for a duplicate
	// Answer is true if it answers a question that a turn waits for, and is no message for the model.
	Answer bool
	// Taken is true if an administrator has taken over (servicestore.Handover) and reads the message in the transcript; no turn answers it.
	Taken bool
}

const (
	// MaxQueued is the default limit of a session's messages that wait for a turn.
	// Messages that are accepted at the same instant may exceed it by as many.
	MaxQueued = 32
	// quietWindow is the default silence that ends a burst, in milliseconds.
	quietWindow = 500
	// longestBurst is the time after its first message at which a burst ends in any case, in milliseconds.
	longestBurst = 5000
)

// Kinds and outcomes of inbox rows.
const (
	kindMessage    = "message"
	kindStop       = "stop"
	kindControl    = "control" // a command that waits for its place in the queue, to be carried out by a turn
	outcomeApplied = "applied"
)

// Accept commits a message. After it returns the message will be claimed by exactly one turn or end in one recorded outcome
// that its sender is notified of. The same platform id with the same text is a duplicate; with another text it is a Conflict. A
// full queue is RateLimited, unless its drop policy drops another message. A consumer's message in a conversation that an
// administrator has taken over is for the administrator and gets no turn (Taken).
func (s *Store) Accept(ctx context.Context, in NewRow) (Accepted, error) {
	in = in.ready()
	var got Accepted
	err := s.db.InTx(pg.Acting(ctx, 0), func(tx *pg.Tx) (err error) { // it changes no settings
		hand, ok, err := servicestore.LockHandover(ctx, tx, in.Session)
		if err == nil && ok && hand.Taken != 0 {
			got, err = keepTaken(ctx, tx, in, hand, s.stores.Quota.Zones())
			return err
		}
		if err == nil {
			got, err = accept(ctx, tx, in)
		}
		return err
	})
	return got, err
}

// keepTaken commits a message of a consumer in a conversation that an administrator has taken over.
func keepTaken(ctx context.Context, t *pg.Tx, in NewRow, hand servicestore.Handover, zones []string) (Accepted, error) {
	row, err := insertMessage(ctx, t, in, noLimit, new(servicestore.OutcomeTaken))
	if errors.Is(err, pgx.ErrNoRows) {
		return findDuplicate(ctx, t, in, in.kind())
	}
	if err != nil {
		return Accepted{}, gone(in.Session, fmt.Errorf("keep a message for a person: %w", err))
	}
	t.Speak()
	w := servicestore.ConsumerMessage{ID: row.ID, ClientID: in.PlatformID, Text: in.Text}
	for _, f := range in.Files {
		if f.Shown != nil {
			w.Pictures = append(w.Pictures, *f.Shown)
		}
	}
	return Accepted{ID: row.ID, Mode: in.Queue.Mode, Taken: true}, servicestore.Keep(ctx, t, hand, w, zones)
}

// AcceptPair commits two messages of a session in one transaction: the second waits behind the first. If either cannot be
// accepted neither is.
func (s *Store) AcceptPair(ctx context.Context, first, second NewRow) (a, b Accepted, err error) {
	first, second = first.ready(), second.ready()
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := lockQueue(ctx, tx, first.Session); err != nil { // the second may need it, and the first is written then
			return err
		}
		if a, err = accept(ctx, tx, first); err != nil {
			return err
		}
		b, err = accept(ctx, tx, second)
		return err
	})
	return a, b, err
}

// displaces reports whether the message may change or drop others that wait, because of its mode or because the queue is
// full.
func (in NewRow) displaces() bool {
	switch in.Queue.Mode {
	case chat.QueueCollect, chat.QueueSupersede, chat.QueueInterrupt:
		return true
	}
	return in.Queue.Drop == chat.DropOld || in.Queue.Drop == chat.DropSummarize
}

// ready fills in the defaults of the message. Commands keep their place in the queue in every mode.
func (in NewRow) ready() NewRow {
	in.Text, in.Sender = chat.Clean(in.Text), chat.Clean(in.Sender)
	if in.Queue.Mode == "" || in.Control || in.Options.Replaces != 0 || in.Options.Plan { // replacements and plan requests get a separate turn
		in.Queue.Mode = chat.QueueFollowup
	}
	if in.Queue.Cap <= 0 {
		in.Queue.Cap = MaxQueued
	}
	if in.Queue.DebounceMS <= 0 {
		in.Queue.DebounceMS = quietWindow
	}
	if in.Queue.Drop == "" || in.Control && in.Queue.Drop == chat.DropNew {
		in.Queue.Drop = chat.DropReject
	}
	return in
}

// accept inserts the row, applies the queue mode, and emits the event. Modes and drop policies that read other rows lock the
// queue first; the others need one statement.
func accept(ctx context.Context, t *pg.Tx, in NewRow) (Accepted, error) {
	room := in.Queue.Cap
	if in.Queue.Mode == chat.QueueInterrupt || in.Queue.Mode == chat.QueueSupersede {
		room = noLimit // others are dropped for it
	}
	if in.displaces() {
		if err := lockQueue(ctx, t, in.Session); err != nil {
			return Accepted{}, err
		}
	}
	row, known, err := insertOrFind(ctx, t, in, room)
	switch {
	case known != nil:
		return *known, err
	case errors.Is(err, pgx.ErrNoRows):
		return queueFull(ctx, t, in)
	case err == nil:
		err = subagentstore.MayWrite(ctx, t, in.Session) // not needed for a duplicate
	}
	if err != nil {
		return Accepted{}, gone(in.Session, fmt.Errorf("accept message: %w", err))
	}
	got := Accepted{ID: row.ID, Position: int(row.Ahead) + 1, Mode: in.Queue.Mode, Idle: row.Ahead == 0 && !row.Busy, Fetch: in.fetches()}
	emitQueued(t, in, row.ID)
	return got, placeInQueue(ctx, t, in, &got)
}

// insertOrFind inserts the row of a message, or returns the one accepted before. pgx.ErrNoRows: the queue is full.
func insertOrFind(ctx context.Context, t *pg.Tx, in NewRow, room int) (row dbsqlc.InboxInsertRow, known *Accepted, err error) {
	for range 2 { // the conflicting row may have got another id in the meantime (AnswerNewest)
		row, err = insertMessage(ctx, t, in, room, nil)
		if !errors.Is(err, pgx.ErrNoRows) {
			return row, nil, err
		}
		found, looked := findDuplicate(ctx, t, in, in.kind())
		if !fault.Is(looked, fault.NotFound) {
			return row, &found, looked
		}
	}
	return row, nil, err
}

// gone returns Unavailable if a row could not be written because its session was just deleted; it returns any other err unchanged.
func gone(key chat.SessionKey, err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.ConstraintName == "inbox_session_key_fkey" {
		return deleted(key)
	}
	return err
}

// deleted returns the error for a session that was just deleted. A client that sends the message again gets its outcome,
// or begins a new session.
func deleted(key chat.SessionKey) error {
	return fault.Errorf(fault.Unavailable, "session %s was deleted at this moment", key)
}

// lockQueue locks the waiting rows of a session, before a new row is written: a deletion locks them before the session, too.
func lockQueue(ctx context.Context, t *pg.Tx, key chat.SessionKey) error {
	if err := dbsqlc.Q.QueueLockAll(ctx, t, string(key)); err != nil {
		return fmt.Errorf("lock the queue: %w", err)
	}
	return nil
}

// noLimit is the queue limit of a message for which others are dropped.
const noLimit = 1 << 30

// emitQueued emits the event of a message that waits.
func emitQueued(t *pg.Tx, in NewRow, id chat.InboxID) {
	t.Speak()
	q := chat.Queued{Inbox: id, ClientMessageID: in.PlatformID, Text: cmp.Or(in.Options.Said, in.Text), Mode: in.Queue.Mode, Sender: in.Sender}
	t.Emit(in.Session, chat.EventQueued, q)
}

// AcceptedBefore returns the message or queued command accepted under the same platform id; found is false if there is none. A
// different text is a Conflict.
func (s *Store) AcceptedBefore(ctx context.Context, in NewRow) (known Accepted, found bool, err error) {
	in = in.ready()
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		known, err = findDuplicate(ctx, tx, in, in.kind())
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return Accepted{}, false, nil
	}
	return known, err == nil, err
}

// insertMessage inserts a row that a turn is to claim, if at most room messages wait.
func insertMessage(ctx context.Context, t *pg.Tx, in NewRow, room int, outcome *string) (dbsqlc.InboxInsertRow, error) {
	reset, err := expiredReason(ctx, t, in)
	if err != nil {
		return dbsqlc.InboxInsertRow{}, err
	}
	options, err := json.Marshal(in.Options)
	if err != nil {
		return dbsqlc.InboxInsertRow{}, fmt.Errorf("encode options: %w", err)
	}
	p := in.row(in.kind())
	p.Sender, p.SentSeq, p.Mode, p.Options, p.Reset = in.Sender, in.Seq, in.Queue.Mode, options, reset
	p.Outcome, p.MaxQueued = outcome, int32(room)
	if !in.SentAt.IsZero() {
		p.SentAt = &in.SentAt
	}
	if in.Queue.Mode == chat.QueueCollect {
		p.QuietMs = int32(in.Queue.DebounceMS)
	}
	switch {
	case outcome == nil:
		in.expect(&p)
	case *outcome == servicestore.OutcomeTaken: // its files are stored with it, and nothing waits for them
		in.expect(&p)
		p.FilesMs = 0
	}
	row, err := dbsqlc.Q.InboxInsert(ctx, t, p)
	if err != nil || p.Files == 0 {
		return row, err
	}
	return row, attachments.Add(ctx, t, in.Session, row.ID, in.files())
}

func (in NewRow) row(kind string) dbsqlc.InboxInsertParams {
	return dbsqlc.InboxInsertParams{
		Place: inbox.EncodeAddress(in.To), SessionKey: in.Session, UserID: in.User, Kind: kind,
		Channel: in.Channel, Account: in.Account, PlatformID: in.PlatformID, Body: in.Text,
		Mode: chat.QueueFollowup, Options: json.RawMessage("{}"), MaxQueued: MaxQueued,
	}
}

// insertCommand inserts the row of a shell command, which waits for its files.
func insertCommand(ctx context.Context, t *pg.Tx, in NewRow) (chat.InboxID, error) {
	p := in.row(kindCommand)
	in.expect(&p)
	row, err := dbsqlc.Q.InboxInsert(ctx, t, p)
	if err != nil {
		return 0, err
	}
	return row.ID, attachments.Add(ctx, t, in.Session, row.ID, in.files())
}

// insertInbox inserts a row that does not wait among messages.
func insertInbox(ctx context.Context, t *pg.Tx, in NewRow, kind string, target *chat.TurnID, outcome *string) (chat.InboxID, error) {
	p := in.row(kind)
	p.TargetTurn, p.Outcome = target, outcome
	row, err := dbsqlc.Q.InboxInsert(ctx, t, p)
	return row.ID, err
}

// findDuplicate returns the row accepted under the same platform id; NotFound if there is none. An edited message matches by
// its original and its current text.
func findDuplicate(ctx context.Context, t *pg.Tx, in NewRow, kind string) (Accepted, error) {
	row, err := dbsqlc.Q.InboxByPlatformID(ctx, t, dbsqlc.InboxByPlatformIDParams{
		Channel: in.Channel, Account: in.Account, UserID: in.User, PlatformID: in.PlatformID,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Accepted{}, fault.Errorf(fault.NotFound, "no such message")
	}
	if err != nil {
		return Accepted{}, fmt.Errorf("look up message id: %w", err)
	}
	if _, bang := command.Bang(in.Text); row.Kind == kindCommand && kind == kindMessage && !bang && !command.Slashed(in.Text) {
		kind = row.Kind // it answered a question that is not open any more
	}
	replaces := conversation.ParseOptions(row.Options).Replaces
	if row.SessionKey != in.Session || row.Kind != kind || row.Accepted != in.Text && row.Body != in.Text || replaces != in.Options.Replaces {
		return Accepted{}, fault.Errorf(fault.Conflict, "message id %q was used before for another message; use a new id for a new message", in.PlatformID)
	}
	return Accepted{ID: row.ID, Duplicate: true, Taken: row.Taken}, nil
}
