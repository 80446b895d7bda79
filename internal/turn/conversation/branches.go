package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/attachments"
	"xbot/internal/turn/dbsqlc"
)

// Branches has the branches of conversations: a repeated or changed message replaces an older one, which stays stored with all that
// followed it. They are rows of one log; at most one version of a message is in the conversation.
type Branches struct{ conversations *Store }

// NewBranches returns the branches of the conversations of a store.
func NewBranches(s *Store) *Branches { return &Branches{s} }

// UserMessage is a user's message at one position of a conversation.
type UserMessage struct {
	Root     chat.MessageID // the oldest version of it
	Text     string
	Pictures []chat.PictureRef
	Files    []chat.AttachmentFetch
	Options  chat.Options // other requests to the model: a skill, or a prompt of an MCP server
}

// TextAt returns the text of a user's message, and of those that its turn answered with it, to be asked again. It returns
// NotFound or Conflict if it is no message of a user, or was taken back with all of its versions.
func (b *Branches) TextAt(ctx context.Context, key chat.SessionKey, id chat.MessageID) (text string, err error) {
	err = b.conversations.db.InTx(ctx, func(tx *pg.Tx) error {
		problem, err := replaceable(ctx, tx, key, id)
		if err != nil || problem != "" {
			return refusal(problem, err, id)
		}
		asked, err := askedAt(ctx, tx, key, id)
		text = asked.Text
		return err
	})
	return text, err
}

// replaceable returns why a message cannot be replaced; empty: it can, or a version of it that is in the conversation can.
func replaceable(ctx context.Context, t *pg.Tx, key chat.SessionKey, id chat.MessageID) (i18n.ID, error) {
	problem, err := rewindable(ctx, t, key, id)
	if err != nil || problem != i18n.RewindTwice {
		return problem, err
	}
	v, err := versionsOf(ctx, t, key, id)
	if err == nil && v.current != 0 {
		problem = ""
	}
	return problem, err
}

func askedAt(ctx context.Context, t *pg.Tx, key chat.SessionKey, id chat.MessageID) (asked UserMessage, err error) {
	rows, err := dbsqlc.Q.BranchSaid(ctx, t, dbsqlc.BranchSaidParams{SessionKey: key, ID: id})
	if err != nil {
		return asked, fmt.Errorf("read what was asked in message %d: %w", id, err)
	}
	var texts []string
	for _, r := range rows {
		asked.Pictures = append(asked.Pictures, r.Pictures...)
		if r.Body == nil || r.InboxID == nil { // a copy of a conversation, which has no more than the message
			texts = append(texts, r.Content)
			continue
		}
		texts = append(texts, WordsOf(*r.Body, r.Options))
		if said := ParseOptions(r.Options); said.Skill != "" {
			asked.Options.Skill, asked.Options.PromptTool = said.Skill, said.PromptTool
		}
		files, err := attachments.Of(ctx, t, *r.InboxID)
		if err != nil {
			return asked, err
		}
		asked.Files = append(asked.Files, files...)
	}
	asked.Text = strings.TrimSpace(strings.Join(texts, "\n\n"))
	return asked, nil
}

// versions has the versions of one message.
type versions struct {
	root    chat.MessageID
	all     []dbsqlc.BranchVersionsRow
	current chat.MessageID // the one that is in the conversation; 0: none is
}

func versionsOf(ctx context.Context, t *pg.Tx, key chat.SessionKey, id chat.MessageID) (v versions, err error) {
	m, err := dbsqlc.Q.RewindTarget(ctx, t, dbsqlc.RewindTargetParams{SessionKey: key, ID: id})
	if err != nil {
		return v, fmt.Errorf("read message %d: %w", id, err)
	}
	v.root = chat.MessageID(m.Root)
	if v.all, err = dbsqlc.Q.BranchVersions(ctx, t, dbsqlc.BranchVersionsParams{SessionKey: key, Roots: []int64{m.Root}}); err != nil {
		return v, fmt.Errorf("list the versions of message %d: %w", id, err)
	}
	for _, r := range v.all {
		if r.RewoundBy == nil {
			v.current = r.ID
		}
	}
	return v, nil
}

// Replacing takes a message that is being replaced, and all after it, out of the conversation, as the turn that claims the new message
// begins; they can be brought back. It returns the parts of the old message that hold for the new one, too. If no version of
// the old message is in the conversation any more, the new one comes at the end: Root is 0.
func Replacing(ctx context.Context, t *pg.Tx, key chat.SessionKey, turn chat.TurnID, id chat.InboxID, of chat.MessageID) (UserMessage, error) {
	v, err := versionsOf(ctx, t, key, of)
	if errors.Is(err, pgx.ErrNoRows) {
		return UserMessage{}, nil
	}
	if err != nil {
		return UserMessage{}, err
	}
	asked, err := askedAt(ctx, t, key, v.root)
	if err != nil || v.current == 0 {
		return asked, err
	}
	asked.Root = v.root
	control, err := addRewind(ctx, t, key, v.current, chat.Control{Turn: turn, Key: fmt.Sprintf("branch/%d", id), Rewind: &chat.Rewind{}})
	if err != nil {
		return asked, err
	}
	if err := takeOut(ctx, t, key, control, math.MaxInt64); err != nil {
		return asked, err
	}
	t.Emit(key, chat.EventRewind, chat.Rewound{From: control.Rewind.From, Upto: control.Message})
	return asked, beginWhereItHolds(ctx, t, key, control.ID)
}

// addRewind adds the record of a rewind that begins with a version of a message.
func addRewind(ctx context.Context, t *pg.Tx, key chat.SessionKey, from chat.MessageID, c chat.Control) (chat.Control, error) {
	first, err := dbsqlc.Q.BranchStart(ctx, t, dbsqlc.BranchStartParams{SessionKey: key, ID: from})
	if err != nil {
		return c, fmt.Errorf("look where message %d begins: %w", from, err)
	}
	newest, err := dbsqlc.Q.BranchNewest(ctx, t, key)
	if err != nil {
		return c, fmt.Errorf("look for the newest message: %w", err)
	}
	c.Kind, c.Message, c.Rewind.From = chat.ControlRewind, chat.MessageID(newest), chat.MessageID(first)
	c, _, err = addControl(ctx, t, key, c)
	return c, err
}

// ReleaseReplaced brings the message that a turn had replaced back, when the claim of the turn is released: it will be
// replaced when the new message is claimed again.
func ReleaseReplaced(ctx context.Context, t *pg.Tx, key chat.SessionKey, turn chat.TurnID) error {
	row, err := dbsqlc.Q.BranchOfTurn(ctx, t, dbsqlc.BranchOfTurnParams{SessionKey: key, TurnID: turn})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for what the turn replaced: %w", err)
	}
	if err := bringBack(ctx, t, key, row.ID, row.ID); err != nil {
		return err
	}
	if err := dbsqlc.Q.BranchForget(ctx, t, dbsqlc.BranchForgetParams{SessionKey: key, Control: int64(row.ID)}); err != nil {
		return fmt.Errorf("forget the record of it: %w", err)
	}
	t.Emit(key, chat.EventRewind, chat.Rewound{From: chat.MessageID(row.First), Upto: math.MaxInt64, Again: true})
	if err := planAgain(ctx, t, key); err != nil {
		return err
	}
	return beginWhereItHolds(ctx, t, key)
}

// bringBack brings the rows that the record away took out back into the conversation, in the name of the record by.
func bringBack(ctx context.Context, t *pg.Tx, key chat.SessionKey, away, by chat.ControlID) error {
	for _, step := range []func() error{
		func() error {
			return dbsqlc.Q.BranchBack(ctx, t, dbsqlc.BranchBackParams{SessionKey: key, Away: int64(away), Back: int64(by)})
		},
		func() error {
			return dbsqlc.Q.BranchControlsBack(ctx, t, dbsqlc.BranchControlsBackParams{SessionKey: key, Away: int64(away), Back: int64(by)})
		},
		func() error {
			return dbsqlc.Q.BranchUndosAway(ctx, t, dbsqlc.BranchUndosAwayParams{SessionKey: key, Away: int64(away), Back: int64(by)})
		},
	} {
		if err := step(); err != nil {
			return fmt.Errorf("bring back what record %d took out: %w", away, err)
		}
	}
	return nil
}

// SwitchBranch brings a version of a message, and what followed it, back into the conversation, and takes out the current version.
// Switching to the current version changes nothing. It is a Conflict while a turn runs, and so is a message without a version in the
// conversation.
func (b *Branches) SwitchBranch(ctx context.Context, key chat.SessionKey, to chat.MessageID) error {
	return b.conversations.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.SlotLock(ctx, tx); err != nil { // no turn begins in the meantime
			return fmt.Errorf("keep turns from beginning: %w", err)
		}
		busy, err := dbsqlc.Q.BranchBusy(ctx, tx, key)
		if err == nil && busy {
			err = i18n.Fault(fault.Conflict, i18n.BranchBusy)
		}
		if err != nil {
			return err
		}
		problem, err := switchTo(ctx, tx, key, to, math.MaxInt64, chat.Control{})
		return refusal(problem, err, to)
	})
}

// switchTo switches to a version of a message; rows from the message before on stay. problem is why that is impossible.
func switchTo(ctx context.Context, t *pg.Tx, key chat.SessionKey, to, before chat.MessageID, c chat.Control) (problem i18n.ID, err error) {
	problem, err = rewindable(ctx, t, key, to)
	if err != nil || problem != i18n.RewindTwice { // it is in the conversation already, or cannot be
		return problem, err
	}
	v, err := versionsOf(ctx, t, key, to)
	if err != nil || v.current == 0 {
		return problem, err
	}
	var away chat.ControlID
	for _, r := range v.all {
		if r.ID == to {
			away = chat.ControlID(*r.RewoundBy)
		}
	}
	c.Rewind = &chat.Rewind{Back: away}
	if c, err = addRewind(ctx, t, key, v.current, c); err != nil {
		return "", err
	}
	if err := takeOut(ctx, t, key, c, before); err != nil {
		return "", err
	}
	if err := bringBack(ctx, t, key, away, c.ID); err != nil {
		return "", err
	}
	first, err := dbsqlc.Q.BranchStart(ctx, t, dbsqlc.BranchStartParams{SessionKey: key, ID: to})
	if err != nil {
		return "", fmt.Errorf("look where message %d begins: %w", to, err)
	}
	t.Emit(key, chat.EventRewind, chat.Rewound{From: min(chat.MessageID(first), c.Rewind.From), Upto: c.Message, Again: true})
	if err := planAgain(ctx, t, key); err != nil {
		return "", err
	}
	return "", beginWhereItHolds(ctx, t, key)
}

// withBranches sets the versions of users' messages.
func (s *Store) withBranches(ctx context.Context, messages []chat.Message) error {
	at := map[chat.MessageID][]*chat.Message{}
	var roots []int64
	for i := range messages {
		if m := &messages[i]; m.Role == chat.RoleUser {
			root := cmp.Or(m.BranchOf, m.ID)
			at[root], roots = append(at[root], m), append(roots, int64(root))
		}
	}
	if len(roots) == 0 || len(messages) == 0 {
		return nil
	}
	rows, err := dbsqlc.Q.BranchVersions(ctx, s.db.Pool, dbsqlc.BranchVersionsParams{SessionKey: messages[0].Session, Roots: roots})
	if err != nil {
		return pg.Classify(fmt.Errorf("list versions of messages: %w", err))
	}
	for _, r := range rows {
		for _, m := range at[chat.MessageID(r.Root)] {
			m.Branches = append(m.Branches, r.ID)
		}
	}
	for i := range messages {
		if len(messages[i].Branches) == 1 {
			messages[i].Branches = nil
		}
	}
	return nil
}

// tellBranches sets the versions of a new message.
func tellBranches(ctx context.Context, t *pg.Tx, m *chat.Message) error {
	rows, err := dbsqlc.Q.BranchVersions(ctx, t, dbsqlc.BranchVersionsParams{SessionKey: m.Session, Roots: []int64{int64(m.BranchOf)}})
	if err != nil {
		return fmt.Errorf("list the versions of a message: %w", err)
	}
	for _, r := range rows {
		m.Branches = append(m.Branches, r.ID)
	}
	return nil
}
