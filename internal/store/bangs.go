package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store/dbsqlc"
)

// MaxCommands is how many bang commands of a session may run at once; further ones are refused.
const MaxCommands = 16

// AcceptBang commits a bang command and shows it in the transcript, in one transaction. After it returns the command
// will be carried out once and answered once. Duplicates and conflicts are those of Accept.
func (s *Store) AcceptBang(ctx context.Context, in Inbound, command string) (Accepted, error) {
	in.Text = Clean(in.Text)
	var got Accepted
	err := s.inTx(ctx, func(tx *tx) error {
		open, err := s.q.CommandOpenCount(ctx, tx, in.Session)
		if err != nil {
			return fmt.Errorf("count commands: %w", err)
		}
		known, err := tx.duplicate(ctx, in, kindCommand)
		if !fault.Is(err, fault.NotFound) {
			got = known
			return err
		}
		if open >= MaxCommands {
			return fault.Errorf(fault.RateLimited, "%d commands run in this conversation already; send this one when some have ended", open)
		}
		id, err := tx.insertCommand(ctx, in)
		if errors.Is(err, pgx.ErrNoRows) { // sent twice at the same instant
			got, err = tx.duplicate(ctx, in, kindCommand)
			return err
		}
		if err != nil {
			return fmt.Errorf("accept command: %w", err)
		}
		got = Accepted{ID: id}
		tx.touch = true
		if err := tx.showBang(ctx, in, id, Clean(command)); err != nil {
			return err
		}
		return tx.noteExpired(ctx, in, id)
	})
	return got, err
}

func (t *tx) showBang(ctx context.Context, in Inbound, id chat.InboxID, command string) error {
	if err := t.q.CommandInsert(ctx, t, dbsqlc.CommandInsertParams{InboxID: id, Command: command}); err != nil {
		return fmt.Errorf("keep command: %w", err)
	}
	m := chat.Message{
		Session: in.Session, Role: chat.RoleUser, Origin: chat.OriginCommand, Content: in.Text, Inbox: id, ClientMessageID: in.PlatformID,
	}
	return t.appendMessage(ctx, &m, "")
}

// Bang reads a bang command. NotFound when its session was deleted.
func (s *Store) Bang(ctx context.Context, id chat.InboxID) (chat.Bang, error) {
	r, err := s.q.CommandGet(ctx, s.pool, id)
	if err != nil {
		return chat.Bang{}, classify(fmt.Errorf("read command %d: %w", id, err))
	}
	b := chat.Bang{
		Inbox: r.InboxID, Session: r.SessionKey, User: r.UserID, UserName: r.UserName, Text: r.Body, Command: r.Command,
		Dir: r.Dir, DirRunner: r.DirRunner, Runner: r.Runner, StartedOn: r.StartedOn, Done: r.Outcome != "",
	}
	if r.Files > 0 {
		if b.Files, err = filesOf(ctx, s.q, s.pool, id); err != nil {
			return b, classify(err)
		}
	}
	b.Env, err = s.commandEnv(ctx, r.SessionKey, "", id)
	return b, err
}

// SetBangStartedOn notes runner and job store that a command is about to be sent to, before it is sent. The first note
// stands. It is a Conflict when its session was deleted: then the command must not be sent.
func (s *Store) SetBangStartedOn(ctx context.Context, id chat.InboxID, runner, store string) error {
	n, err := s.q.CommandSetStartedOn(ctx, s.pool, dbsqlc.CommandSetStartedOnParams{InboxID: id, Runner: runner, StartedOn: store})
	if err == nil && n == 0 {
		return fault.Errorf(fault.Conflict, "the conversation of the command was deleted")
	}
	return classify(err)
}

// EndBang answers a bang command with a notice. The first answer stands: it reports false when there was one before, or
// the session was deleted.
func (s *Store) EndBang(ctx context.Context, id chat.InboxID, notice string) (bool, error) {
	ended := false
	err := s.inTx(ctx, func(tx *tx) error {
		key, err := s.q.CommandEnd(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("end command %d: %w", id, err)
		}
		ended = true
		m := chat.Message{Session: key, Role: chat.RoleNotice, Origin: chat.OriginCommand, Content: Clean(notice), Inbox: id}
		return tx.appendMessage(ctx, &m, "")
	})
	return ended, err
}

// BangsToStart takes commands without an answer, each at most once a back-off: 2 s, doubling to 60 s.
func (s *Store) BangsToStart(ctx context.Context) ([]chat.InboxID, error) {
	ids, err := s.q.CommandToStart(ctx, s.pool)
	if err != nil {
		return nil, classify(fmt.Errorf("look for commands to start: %w", err))
	}
	return ids, nil
}
