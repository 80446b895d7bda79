package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// Window returns the sources of a request to the model: the conversation since its last compaction, in the order the
// model reads it, and the records that change how it is shown. Calls and results are one row each, so every call that is
// returned has a pair; a call that is still open is marked so by its state. Only the running turn writes the model's
// view, so the reads need no common snapshot.
func (s *Store) Window(ctx context.Context, key chat.SessionKey) (chat.Window, error) {
	base, err := dbsqlc.Q.ContextBase(ctx, s.db.Pool, key)
	if err != nil {
		return chat.Window{}, pg.Classify(fmt.Errorf("read session: %w", err))
	}
	w, err := s.window(ctx, key, span{
		compaction: base.CompactionID, from: chat.MessageID(base.Upto), last: math.MaxInt64, newest: chat.ControlID(base.Newest), noCalls: !base.Calls,
	})
	if err != nil {
		return w, pg.Classify(err)
	}
	w.Mode, w.Counted = base.ContextMode, chat.ControlID(base.Counted)
	if base.AnsweredAt != nil {
		w.Answered = chat.Answered{At: *base.AnsweredAt, Model: base.AnsweredBy, Fill: base.AnsweredFill, PrunedUpto: chat.MessageID(base.AnsweredPruned)}
	}
	return w, surroundings(base, &w)
}

// surroundings decodes the columns of a window that are not messages.
func surroundings(base dbsqlc.ContextBaseRow, w *chat.Window) error {
	if err := json.Unmarshal(base.Todos, &w.Todos); err != nil {
		return fmt.Errorf("decode to-do list: %w", err)
	}
	var tasks []struct {
		N       int    `json:"n"`
		Command string `json:"command"`
	}
	if err := json.Unmarshal(base.Tasks, &tasks); err != nil {
		return fmt.Errorf("decode running tasks: %w", err)
	}
	for _, t := range tasks {
		w.Tasks = append(w.Tasks, chat.Task{ID: chat.TaskID(t.N), Command: t.Command, State: chat.TaskRunning})
	}
	if err := json.Unmarshal(base.Refusals, &w.Refusals); err != nil {
		return fmt.Errorf("decode refusals: %w", err)
	}
	return nil
}

// span is a part of a conversation, as it was when a record was the newest.
type span struct {
	compaction *chat.ControlID
	from, last chat.MessageID // after from, up to last
	newest     chat.ControlID
	noCalls    bool // the span has no calls
}

func (s *Store) window(ctx context.Context, key chat.SessionKey, p span) (chat.Window, error) {
	w := chat.Window{Session: key, Upto: p.newest}
	if err := s.windowControls(ctx, p, &w); err != nil {
		return w, err
	}
	if err := s.windowLines(ctx, p, &w); err != nil {
		return w, err
	}
	return w, s.readOpenQuestion(ctx, p, &w)
}

// readOpenQuestion reads the message that a turn answers, if the window begins in its middle.
func (s *Store) readOpenQuestion(ctx context.Context, p span, w *chat.Window) error {
	if w.Compaction == nil || len(w.Lines) == 0 || w.Lines[0].Message.Role != chat.RoleAssistant || w.Lines[0].Message.Turn == "" {
		return nil
	}
	r, err := dbsqlc.Q.ContextAsked(ctx, s.db.Pool, dbsqlc.ContextAskedParams{
		SessionKey: w.Session, TurnID: string(w.Lines[0].Message.Turn), Upto: p.from, Newest: int64(p.newest),
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read what the turn was asked: %w", err)
	}
	m := chat.Message{ID: r.ID, Session: w.Session, Turn: w.Lines[0].Message.Turn, Role: chat.RoleUser, Origin: r.Origin, Content: r.Content}
	w.Asked = &chat.Line{Message: m, Preface: r.Preface}
	return nil
}

func (s *Store) windowControls(ctx context.Context, p span, w *chat.Window) error {
	if p.newest == 0 {
		return nil
	}
	var compaction *int64
	if p.compaction != nil {
		compaction = new(int64(*p.compaction))
	}
	rows, err := dbsqlc.Q.ContextControls(ctx, s.db.Pool, dbsqlc.ContextControlsParams{
		SessionKey: w.Session, Newest: p.newest, CompactionID: compaction, Upto: p.from,
	})
	if err != nil {
		return fmt.Errorf("read control records: %w", err)
	}
	for _, r := range rows {
		c, err := controlOf(dbsqlc.ControlByKeyRow(r))
		if err != nil {
			return err
		}
		if c.Kind == chat.ControlCompact {
			w.Compaction = &c
		} else {
			w.Controls = append(w.Controls, c)
		}
	}
	return nil
}

func (s *Store) windowLines(ctx context.Context, p span, w *chat.Window) error {
	rows, err := dbsqlc.Q.ContextLines(ctx, s.db.Pool, dbsqlc.ContextLinesParams{
		SessionKey: w.Session, Upto: p.from, Last: p.last, Newest: int64(p.newest),
	})
	if err != nil {
		return fmt.Errorf("read transcript: %w", err)
	}
	var calls []dbsqlc.ContextCallsRow
	if !p.noCalls {
		calls, err = dbsqlc.Q.ContextCalls(ctx, s.db.Pool, dbsqlc.ContextCallsParams{SessionKey: w.Session, Upto: p.from, Last: p.last})
	}
	if err != nil {
		return fmt.Errorf("read tool calls: %w", err)
	}
	w.Lines = make([]chat.Line, len(rows))
	index := make(map[chat.MessageID]int, len(rows))
	for i, r := range rows {
		m := chat.Message{ID: r.ID, Session: w.Session, Role: r.Role, Origin: r.Origin, Content: r.Content, Reasoning: r.Reasoning, Model: r.Model, Pictures: r.Pictures}
		if r.TurnID != nil {
			m.Turn = *r.TurnID
		}
		if r.Step != nil {
			m.Step = int(*r.Step)
		}
		if u := (chat.Usage{PromptTokens: int(r.PromptTokens), CachedTokens: int(r.CachedTokens), CompletionTokens: int(r.CompletionTokens)}); u != (chat.Usage{}) {
			m.Usage = &u
		}
		w.Lines[i] = chat.Line{Message: m, Preface: r.Preface, Opaque: r.Opaque}
		index[r.ID] = i
	}
	for _, c := range calls {
		i, ok := index[c.MessageID]
		if !ok {
			continue // its message is not for the model
		}
		m := &w.Lines[i].Message
		m.ToolCalls = append(m.ToolCalls, chat.ToolCall{
			ID: c.ID, Name: c.Name, Class: c.Class, Arguments: c.Arguments, State: c.State, Summary: c.Summary, Result: c.Result,
			IsError: c.IsError, Offload: c.Offload, ResultView: chat.ResultView{Pictures: c.Pictures},
		})
	}
	return nil
}

// AddControl appends a record that changes the model's view. If a record with the same key exists, added is false,
// and that record is returned.
func (s *Store) AddControl(ctx context.Context, key chat.SessionKey, c chat.Control) (stored chat.Control, added bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		stored, added, err = addControl(ctx, tx, key, c)
		return err
	})
	return stored, added, err
}

func addControl(ctx context.Context, t *pg.Tx, key chat.SessionKey, c chat.Control) (chat.Control, bool, error) {
	body, err := EncodeControl(c)
	if err != nil {
		return chat.Control{}, false, err
	}
	row, err := dbsqlc.Q.ControlAdd(ctx, t, dbsqlc.ControlAddParams{
		SessionKey: key, Kind: c.Kind, MessageID: c.Message, TurnID: c.Turn, Key: c.Key, Body: body,
	})
	if err == nil {
		c.ID, c.CreatedAt = row.ID, row.CreatedAt
		return c, true, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return chat.Control{}, false, fmt.Errorf("add %s record: %w", c.Kind, err)
	}
	known, err := dbsqlc.Q.ControlByKey(ctx, t, dbsqlc.ControlByKeyParams{SessionKey: key, Key: c.Key})
	if err != nil {
		return chat.Control{}, false, fmt.Errorf("read %s record: %w", c.Kind, err)
	}
	stored, err := controlOf(known)
	return stored, false, err
}

// EncodeControl encodes a control for its row.
func EncodeControl(c chat.Control) ([]byte, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode %s record: %w", c.Kind, err)
	}
	return body, nil
}

func controlOf(r dbsqlc.ControlByKeyRow) (chat.Control, error) {
	c := chat.Control{}
	if err := json.Unmarshal(r.Body, &c); err != nil {
		return c, fmt.Errorf("decode %s record %d: %w", r.Kind, r.ID, err)
	}
	c.ID, c.Kind, c.Message, c.Turn, c.Key, c.CreatedAt = r.ID, r.Kind, r.MessageID, r.TurnID, r.Key, r.CreatedAt
	return c, nil
}
