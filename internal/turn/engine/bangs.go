package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/attachments"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
)

// MaxCommands is how many bang commands of a session may run at once; further ones are refused.
const MaxCommands = 16

// AcceptBang commits a bang command and shows it in the transcript, in one transaction. After it returns the command
// will be carried out once and answered once. Duplicates and conflicts are those of Accept.
func (s *Store) AcceptBang(ctx context.Context, in NewRow, command string) (Accepted, error) {
	in.Text = chat.Clean(in.Text)
	var got Accepted
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		open, err := dbsqlc.Q.CommandOpenCount(ctx, tx, in.Session)
		if err != nil {
			return fmt.Errorf("count commands: %w", err)
		}
		known, err := findDuplicate(ctx, tx, in, kindCommand)
		if !fault.Is(err, fault.NotFound) {
			got = known
			return err
		}
		if open >= MaxCommands {
			return fault.Errorf(fault.RateLimited, "%d commands run in this conversation already; send this one when some have ended", open)
		}
		id, err := insertCommand(ctx, tx, in)
		if errors.Is(err, pgx.ErrNoRows) { // sent twice at the same instant
			got, err = findDuplicate(ctx, tx, in, kindCommand)
			return err
		}
		if err != nil {
			return fmt.Errorf("accept command: %w", err)
		}
		got = Accepted{ID: id}
		tx.Speak()
		if err := showBang(ctx, tx, in, id, chat.Clean(command)); err != nil {
			return err
		}
		return noteExpired(ctx, tx, in, id)
	})
	return got, err
}

func showBang(ctx context.Context, t *pg.Tx, in NewRow, id chat.InboxID, command string) error {
	if err := dbsqlc.Q.CommandInsert(ctx, t, dbsqlc.CommandInsertParams{InboxID: id, Command: command}); err != nil {
		return fmt.Errorf("keep command: %w", err)
	}
	m := chat.Message{
		Session: in.Session, Role: chat.RoleUser, Origin: chat.OriginCommand, Content: in.Text, Inbox: id, ClientMessageID: in.PlatformID,
	}
	return conversation.AppendMessage(ctx, t, &m, "")
}

// Bang reads a bang command. NotFound when its session was deleted.
func (s *Store) Bang(ctx context.Context, id chat.InboxID) (chat.Bang, error) {
	r, err := dbsqlc.Q.CommandGet(ctx, s.db.Pool, id)
	if err != nil {
		return chat.Bang{}, pg.Classify(fmt.Errorf("read command %d: %w", id, err))
	}
	b := chat.Bang{
		Inbox: r.InboxID, Session: r.SessionKey, User: r.UserID, UserName: r.UserName, Text: r.Body, Command: r.Command,
		Dir: r.Dir, DirRunner: r.DirRunner, Runner: r.Runner, StartedOn: r.StartedOn, Done: r.Outcome != "",
	}
	if r.Files > 0 {
		if b.Files, err = attachments.Of(ctx, s.db.Pool, id); err != nil {
			return b, pg.Classify(err)
		}
	}
	lang, err := s.stores.Users.Speaks(ctx, r.UserID, r.SessionKey, r.Body)
	if err != nil {
		return b, err
	}
	b.Lang = string(lang)
	b.Env, err = s.stores.Calls.CommandEnv(ctx, r.SessionKey, "", id)
	return b, err
}

// SetBangStartedOn notes runner and job store that a command is about to be sent to, before it is sent. The first note
// is final. It returns Conflict if the session was deleted: then the command must not be sent.
func (s *Store) SetBangStartedOn(ctx context.Context, id chat.InboxID, runner, store string) error {
	n, err := dbsqlc.Q.CommandSetStartedOn(ctx, s.db.Pool, dbsqlc.CommandSetStartedOnParams{InboxID: id, Runner: runner, StartedOn: store})
	if err == nil && n == 0 {
		return fault.Errorf(fault.Conflict, "the conversation of the command was deleted")
	}
	return pg.Classify(err)
}

// EndBang answers a bang command with a notice. It reports false if the command was answered before, or its session was
// deleted.
func (s *Store) EndBang(ctx context.Context, id chat.InboxID, notice string) (bool, error) {
	ended := false
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		key, err := dbsqlc.Q.CommandEnd(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("end command %d: %w", id, err)
		}
		ended = true
		m := chat.Message{Session: key, Role: chat.RoleNotice, Origin: chat.OriginCommand, Content: chat.Clean(notice), Inbox: id}
		return conversation.AppendMessage(ctx, tx, &m, "")
	})
	return ended, err
}

// BangsToStart takes commands without an answer, each at most once a back-off: 2 s, doubling to 60 s.
func (s *Store) BangsToStart(ctx context.Context) ([]chat.InboxID, error) {
	ids, err := dbsqlc.Q.CommandToStart(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look for commands to start: %w", err))
	}
	return ids, nil
}
