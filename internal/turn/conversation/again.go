package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

const (
	// maxAgain limits the text of a repeated message, in bytes: as much as a user may write.
	maxAgain = 200_000
	// branchPlaces limits the listed messages with several versions.
	branchPlaces = 10
)

// AskAgain asks a message of a user again, as the command of a turn, and answers the command: their back-th last message, or the
// one with the id to. An empty text repeats the old text. The new message waits in the place of the command, before all that was
// sent later. If there is no such message, the answer explains it. Repeated, it asks once.
func (b *Branches) AskAgain(ctx context.Context, turn chat.TurnID, back int, to chat.MessageID, text string) error {
	return b.conversations.AnswerCommand(ctx, turn, func(tx *pg.Tx, o chat.TurnCommand) (string, error) {
		lang := i18n.Lang(o.Lang)
		of, refusal, err := againTo(ctx, tx, o, lang, back, to)
		if err != nil || refusal != "" {
			return refusal, err
		}
		text, options := text, chat.Options{}
		if text == "" {
			asked, err := askedAt(ctx, tx, o.Session, of)
			if err != nil {
				return "", err
			}
			text, options = asked.Text, asked.Options
		}
		if len(text) > maxAgain {
			return i18n.Say(lang, i18n.BranchLong, maxAgain), nil
		}
		return i18n.Say(lang, i18n.AskedAgain, chat.FirstWords(text, rewindWords)), askBehind(ctx, tx, o, of, chat.Clean(text), options)
	})
}

// againTo returns the message to ask again, or why there is none. A message that was replaced already may have a usable version.
func againTo(ctx context.Context, t *pg.Tx, o chat.TurnCommand, lang i18n.Lang, back int, to chat.MessageID) (chat.MessageID, string, error) {
	if to == 0 {
		targets, err := dbsqlc.Q.RewindTargets(ctx, t, dbsqlc.RewindTargetsParams{SessionKey: o.Session, Before: o.Message, N: int32(back)})
		switch {
		case err != nil:
			return 0, "", fmt.Errorf("look for messages to ask again: %w", err)
		case len(targets) == 0:
			return 0, i18n.Say(lang, i18n.AskedNone), nil
		case back > len(targets):
			return 0, i18n.Say(lang, i18n.AskedUsage), nil
		}
		return targets[back-1].ID, "", nil
	}
	problem, err := replaceable(ctx, t, o.Session, to)
	if err != nil || problem == "" {
		return to, "", err
	}
	return 0, i18n.Say(lang, problem, to), nil
}

// askBehind queues a message at the queue position of the command.
func askBehind(ctx context.Context, t *pg.Tx, o chat.TurnCommand, of chat.MessageID, text string, said chat.Options) error {
	said.Replaces = of
	options, err := json.Marshal(said)
	if err != nil {
		return fmt.Errorf("encode options: %w", err)
	}
	row, err := dbsqlc.Q.BranchAsk(ctx, t, dbsqlc.BranchAskParams{Command: o.Inbox, Body: text, Options: options})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("ask again: %w", err)
	}
	t.Touch()
	t.Emit(o.Session, chat.EventQueued, chat.Queued{
		Inbox: row.ID, ClientMessageID: row.PlatformID, Text: text, Mode: chat.QueueFollowup, Sender: row.Sender,
	})
	return nil
}

// Branch switches to a version of a message, as the command of a turn, and answers the command. With the id 0 the answer lists the
// existing versions.
func (b *Branches) Branch(ctx context.Context, turn chat.TurnID, to chat.MessageID) error {
	return b.conversations.AnswerCommand(ctx, turn, func(tx *pg.Tx, o chat.TurnCommand) (string, error) {
		lang := i18n.Lang(o.Lang)
		if to == 0 {
			return listBranches(ctx, tx, o.Session, lang)
		}
		problem, err := i18n.RewindGone, error(nil)
		if to < o.Message {
			problem, err = switchTo(ctx, tx, o.Session, to, o.Message, chat.Control{Turn: o.Turn})
		}
		if err != nil {
			return "", err
		}
		if problem != "" {
			return i18n.Say(lang, problem, to), nil
		}
		return i18n.Say(lang, i18n.BranchIn, to), nil
	})
}

func listBranches(ctx context.Context, t *pg.Tx, key chat.SessionKey, lang i18n.Lang) (string, error) {
	roots, err := dbsqlc.Q.BranchRoots(ctx, t, dbsqlc.BranchRootsParams{SessionKey: key, N: branchPlaces})
	if err != nil {
		return "", fmt.Errorf("list the places with versions: %w", err)
	}
	if len(roots) == 0 {
		return i18n.Say(lang, i18n.BranchNone), nil
	}
	rows, err := dbsqlc.Q.BranchVersions(ctx, t, dbsqlc.BranchVersionsParams{SessionKey: key, Roots: roots})
	if err != nil {
		return "", fmt.Errorf("list versions: %w", err)
	}
	lines := []string{i18n.Say(lang, i18n.BranchList)}
	for _, root := range roots {
		lines = append(lines, "")
		for _, r := range rows {
			if r.Root != root {
				continue
			}
			line := fmt.Sprintf("* `m%d` %s", r.ID, chat.FirstWords(r.Content, rewindWords))
			if r.RewoundBy == nil {
				line += i18n.Say(lang, i18n.BranchHere)
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n"), nil
}

// CheckReplace returns why a message cannot be replaced, before the command is sent: NotFound or Conflict.
func (b *Branches) CheckReplace(ctx context.Context, key chat.SessionKey, id chat.MessageID) error {
	return b.conversations.db.InTx(ctx, func(tx *pg.Tx) error {
		problem, err := replaceable(ctx, tx, key, id)
		return refusal(problem, err, id)
	})
}
