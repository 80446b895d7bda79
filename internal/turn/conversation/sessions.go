package conversation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/quota"
	"xbot/internal/turn/session"
)

// NewSession describes a conversation to be created.
type NewSession struct {
	Key     chat.SessionKey
	Owner   chat.UserID
	Channel string
	Title   string
	Cwd     string
	// CwdRunner is the runner that Cwd is a folder of; empty: not known.
	CwdRunner string

	Agent    string        // empty: main
	ChatType chat.ChatType // empty: direct
	Scene    string
	Origin   chat.Origin
	Shelf    chat.ListState // empty: in the list

	// Arriving is true if a message on a platform begins it: the limit of its owner's sessions does not apply.
	Arriving bool
}

// CreateSession creates a session or finds an existing one. It reports whether it created it. It returns Conflict if the owner has
// as many as allowed, and Denied for one with a service, which only consumers begin.
func (s *Store) CreateSession(ctx context.Context, n NewSession) (bool, error) {
	if err := n.checkNotService(); err != nil {
		return false, err
	}
	if n.Arriving {
		made, err := Create(ctx, s.db.Pool, n)
		return made, pg.Classify(err)
	}
	made := false
	err := quota.Make(ctx, s.quota, s.db, quota.Making{Of: quota.Sessions, Owner: n.Owner}, func(tx *pg.Tx) (bool, error) {
		var err error
		made, err = Create(ctx, tx, n)
		return made, err
	})
	return made && err == nil, err
}

// Create writes the row of a session, unless there is one: then it reports false. It checks neither the agent nor the owner's number
// of sessions.
func Create(ctx context.Context, db pg.DBTX, n NewSession) (bool, error) {
	origin, err := json.Marshal(n.Origin)
	if err != nil {
		return false, fmt.Errorf("encode the origin of %s: %w", n.Key, err)
	}
	rows, err := dbsqlc.Q.SessionCreate(ctx, db, dbsqlc.SessionCreateParams{
		Key: n.Key, UserID: n.Owner, Channel: n.Channel, Title: chat.Clean(n.Title), Cwd: chat.Clean(n.Cwd), CwdRunner: n.CwdRunner,
		Agent: cmp.Or(n.Agent, "main"), ChatType: cmp.Or(n.ChatType, chat.ChatDirect), Scene: n.Scene, Origin: origin, Shelf: n.Shelf, TitleOpen: n.titleOpen(),
	})
	if err != nil {
		return false, fmt.Errorf("create session: %w", err)
	}
	return rows == 1, nil
}

// checkNotService returns Denied for a conversation with a service, named by its agent or its key.
func (n NewSession) checkNotService() error {
	named := policy.IsService(n.Agent)
	if k, err := session.Parse(n.Key); err == nil {
		named = named || policy.IsService(k.Agent)
	}
	if named {
		return fault.Errorf(fault.Denied, "this agent is a service: talk to it on its page or by its API, with one of its keys")
	}
	return nil
}

// Session returns a session and its owner.
func (s *Store) Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error) {
	row, err := dbsqlc.Q.SessionGet(ctx, s.db.Pool, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.Session{}, 0, fault.Errorf(fault.NotFound, "there is no session %q", key)
	}
	if err != nil {
		return chat.Session{}, 0, pg.Classify(fmt.Errorf("read session: %w", err))
	}
	return s.SessionOf(row), row.UserID, nil
}

// Sessions lists the sessions of a user with one of the list states whose title contains q, pinned ones first, then by last
// interaction. Without a state it lists those in the list.
func (s *Store) Sessions(ctx context.Context, owner chat.UserID, q string, limit int, shelves ...chat.ListState) ([]chat.Session, error) {
	if len(shelves) == 0 {
		shelves = []chat.ListState{chat.Listed}
	}
	named := make([]string, len(shelves))
	for i, shelf := range shelves {
		named[i] = string(shelf)
	}
	rows, err := dbsqlc.Q.SessionList(ctx, s.db.Pool, dbsqlc.SessionListParams{Owner: owner, Shelves: named, Q: chat.Clean(q), N: int32(limit)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list sessions: %w", err))
	}
	out := make([]chat.Session, len(rows))
	for i, r := range rows {
		out[i] = s.SessionOf(dbsqlc.SessionGetRow(r))
	}
	return out, nil
}

// UpdateSession changes the settings of a session that a user may change; nil leaves a value as it is.
func (s *Store) UpdateSession(ctx context.Context, key chat.SessionKey, title *string, pinned *bool) error {
	if title != nil {
		title = new(chat.Clean(*title))
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := dbsqlc.Q.SessionUpdate(ctx, tx, dbsqlc.SessionUpdateParams{Key: key, Title: title, Pinned: pinned}); err != nil {
			return fmt.Errorf("update session: %w", err)
		}
		row, err := dbsqlc.Q.SessionGet(ctx, tx, key)
		if err != nil {
			return fmt.Errorf("read session: %w", err)
		}
		tx.Emit(key, chat.EventSession, s.SessionOf(row))
		return nil
	})
}

// SetCwd sets the working folder of a session's tools: a folder of one runner, which is invalid on others.
func (s *Store) SetCwd(ctx context.Context, key chat.SessionKey, runner, dir string) error {
	return pg.Classify(s.SetCwdIn(ctx, s.db.Pool, key, runner, dir))
}

// SetCwdIn sets the working folder of a session in a transaction.
func (s *Store) SetCwdIn(ctx context.Context, db pg.DBTX, key chat.SessionKey, runner, dir string) error {
	return dbsqlc.Q.SessionSetCwd(ctx, db, dbsqlc.SessionSetCwdParams{Key: key, Cwd: chat.Clean(dir), CwdRunner: runner})
}

// Turns lists the newest turns of a session, newest first.
func (s *Store) Turns(ctx context.Context, key chat.SessionKey, limit int) ([]chat.Turn, error) {
	rows, err := dbsqlc.Q.TurnList(ctx, s.db.Pool, dbsqlc.TurnListParams{SessionKey: key, Limit: int32(limit)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list turns: %w", err))
	}
	out := make([]chat.Turn, len(rows))
	for i, r := range rows {
		out[i] = TurnOf(r)
	}
	return out, nil
}

// EventsAfter returns up to limit durable events of a session after a sequence, in order.
func (s *Store) EventsAfter(ctx context.Context, key chat.SessionKey, after int64, limit int) ([]chat.Event, error) {
	rows, err := dbsqlc.Q.EventListAfter(ctx, s.db.Pool, dbsqlc.EventListAfterParams{SessionKey: key, Seq: after, Limit: int32(limit)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read events: %w", err))
	}
	out := make([]chat.Event, len(rows))
	for i, r := range rows {
		out[i] = chat.Event{Seq: r.Seq, Kind: r.Kind, Data: r.Data}
	}
	return out, nil
}

// Todos returns the to-do list of a session.
func (s *Store) Todos(ctx context.Context, key chat.SessionKey) ([]chat.Todo, error) {
	items, err := dbsqlc.Q.TodosGet(ctx, s.db.Pool, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read to-dos: %w", err))
	}
	var out []chat.Todo
	if err := json.Unmarshal(items, &out); err != nil {
		return nil, fmt.Errorf("decode to-dos of %s: %w", key, err)
	}
	return out, nil
}

// SetTodos replaces the to-do list of a session.
func (s *Store) SetTodos(ctx context.Context, key chat.SessionKey, todos []chat.Todo) error {
	for i := range todos {
		todos[i].ID, todos[i].Text = chat.Clean(todos[i].ID), chat.Clean(todos[i].Text)
	}
	items, err := json.Marshal(todos)
	if err != nil {
		return fmt.Errorf("encode to-dos: %w", err)
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.TodosSet(ctx, tx, dbsqlc.TodosSetParams{SessionKey: key, Items: items}); err != nil {
			return fmt.Errorf("write to-dos: %w", err)
		}
		tx.Emit(key, chat.EventTodos, todos)
		return nil
	})
}

// SessionOf returns the session of a row.
func (s *Store) SessionOf(r dbsqlc.SessionGetRow) chat.Session {
	room, _ := s.limits.Of(cmp.Or(r.ContextModel, s.limits.Model))
	out := chat.Session{
		Key: r.Key, Title: r.Title, Pinned: r.Pinned, Shelf: r.Shelf, ForkOf: r.ForkOf, Once: r.Once, CreatedAt: r.CreatedAt, UpdatedAt: r.LastInteractionAt,
		Routing: chat.Routing{Agent: r.Agent, Channel: r.Channel, ChatType: r.ChatType, Scene: r.Scene},
		Folder:  chat.Folder{Cwd: r.Cwd, CwdRunner: r.CwdRunner},
		Choices: chat.Choices{
			Runner: r.Runner, ContextMode: r.ContextMode, Model: r.Model, Think: r.Think, Verbose: r.Verbosity, Send: r.Send, Activation: r.Activation, Preset: r.Preset, Plan: r.Plan,
		},
		Activity: chat.Activity{Running: chat.TurnID(r.Running), Queued: int(r.Queued), Waiting: r.Waiting, Seq: r.FeedSeq},
		Fill:     chat.Fill{ContextUsed: int(r.ContextUsed), ContextMax: room},
	}
	// Only xbot writes both columns; a value that does not decode counts as empty.
	_ = json.Unmarshal(r.Origin, &out.Origin)
	_ = json.Unmarshal(r.Queue, &out.Queue)
	return out
}
