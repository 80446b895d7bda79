package subagentstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/groupchat"
	"xbot/internal/turn/inbox"
	"xbot/internal/turn/window"
)

// MaxTranscript limits the transcript in the report about a chat, in bytes; a longer one is stored in full for offload_recall.
const MaxTranscript = 6_000

// StepGroup advances a chat in one transaction: it asks the member that is to speak next, or ends the chat and reports to the
// conversation that made it. Run again it finds the member that was asked. Over: there is nothing more to do.
func (s *Store) StepGroup(ctx context.Context, id chat.GroupID) (out chat.GroupStep, err error) {
	most, err := s.quota.Caps(ctx)
	if err != nil {
		return out, err
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		out = chat.GroupStep{Over: true}
		g, err := dbsqlc.Q.GroupLock(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && g.Ended != "" {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock group chat %s: %w", id, err)
		}
		out, err = stepGroup(ctx, tx, g, int64(most.Subagents.Tokens))
		if err != nil {
			return err
		}
		return dbsqlc.Q.GroupChecked(ctx, tx, id)
	})
	return out, err
}

// Transcript has a chat with its members and all lines.
type Transcript struct {
	Chat    groupchat.Chat
	members []dbsqlc.GroupMembersRow
	Lines   []groupchat.Line
}

// GroupTranscript reads a chat with its members and lines.
func GroupTranscript(ctx context.Context, t *pg.Tx, g dbsqlc.GroupChat) (r Transcript, err error) {
	r.Chat = groupchat.Chat{ID: string(g.ID), Topic: g.Topic, Rounds: int(g.MaxRounds)}
	if r.members, err = dbsqlc.Q.GroupMembers(ctx, t, g.ID); err != nil {
		return r, fmt.Errorf("list the members of %s: %w", g.ID, err)
	}
	for _, m := range r.members {
		for len(r.Chat.Names) < int(m.GroupMember.N) {
			r.Chat.Names = append(r.Chat.Names, "gone")
		}
		r.Chat.Names = append(r.Chat.Names, m.GroupMember.Name)
	}
	lines, err := dbsqlc.Q.GroupLines(ctx, t, g.ID)
	if err != nil {
		return r, fmt.Errorf("read group chat %s: %w", g.ID, err)
	}
	for _, l := range lines {
		for int(l.Speaker) >= len(r.Chat.Names) {
			r.Chat.Names = append(r.Chat.Names, "gone")
		}
		r.Lines = append(r.Lines, groupchat.Line{
			Speaker: int(l.Speaker), Text: l.Said, Passed: l.Outcome == "passed", Failed: l.Outcome != "passed" && l.Outcome != "done",
		})
	}
	return r, nil
}

func stepGroup(ctx context.Context, t *pg.Tx, g dbsqlc.GroupChat, budget int64) (chat.GroupStep, error) {
	over := chat.GroupStep{Over: true}
	r, err := GroupTranscript(ctx, t, g)
	if err != nil {
		return over, err
	}
	if len(r.members) < int(g.Members) {
		return over, endGroup(ctx, t, g, groupchat.Gone)
	}
	waits, err := dbsqlc.Q.GroupOpenTask(ctx, t, string(g.ID))
	if err == nil {
		for _, m := range r.members {
			if m.Subagent.SessionKey == waits {
				return r.step(int(m.GroupMember.N), int(g.Asked)), nil
			}
		}
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return over, fmt.Errorf("look who is asked in group chat %s: %w", g.ID, err)
	}
	load, err := dbsqlc.Q.SubagentLoadOf(ctx, t, dbsqlc.SubagentLoadOfParams{Root: g.SessionKey, Tree: g.Tree})
	if err != nil {
		return over, fmt.Errorf("count the tokens of group chat %s: %w", g.ID, err)
	}
	n, end := groupchat.Next(r.Chat.Names, r.Lines, r.Chat.Rounds)
	if end == "" && load.Tokens >= budget {
		end = groupchat.Budget
	}
	if end != "" {
		return over, endGroup(ctx, t, g, end)
	}
	return r.step(n, int(g.Asked)+1), askMember(ctx, t, g, r, n)
}

func (r Transcript) step(n, asked int) chat.GroupStep {
	ref := conversation.RefOf(r.members[n].Subagent)
	return chat.GroupStep{
		Asked: asked, Speaker: &ref, Name: r.Chat.Names[n], Round: r.Chat.Round(r.Lines), Rounds: r.Chat.Rounds, Topic: r.Chat.Topic,
	}
}

// askMember writes a member's task to speak, with the lines that it has not read yet.
func askMember(ctx context.Context, t *pg.Tx, g dbsqlc.GroupChat, r Transcript, n int) error {
	m := r.members[n]
	text := r.Chat.Ask(n, r.Lines, int(m.GroupMember.Heard))
	about := "group/" + string(g.ID)
	key := fmt.Sprintf("%s.%d", about, g.Asked+1)
	if err := dbsqlc.Q.SubagentLoad(ctx, t, m.Subagent.SessionKey); err != nil {
		return fmt.Errorf("load %s: %w", m.GroupMember.Name, err)
	}
	if err := dbsqlc.Q.GroupTaskInsert(ctx, t, dbsqlc.GroupTaskInsertParams{
		CallID: chat.CallID(key), SessionKey: m.Subagent.SessionKey, AskedIn: chat.TurnID(about), Tree: g.Tree, Words: chat.Clean(chat.FirstWords(g.Topic, TaskWords)), ID: string(g.ID),
	}); err != nil {
		return fmt.Errorf("ask %s in group chat %s: %w", m.GroupMember.Name, g.ID, err)
	}
	if err := dbsqlc.Q.GroupAsk(ctx, t, dbsqlc.GroupAskParams{ID: g.ID, N: int32(n)}); err != nil {
		return fmt.Errorf("note who is asked in group chat %s: %w", g.ID, err)
	}
	t.NotifyParent(g.SessionKey)
	_, err := inbox.Post(ctx, t, chat.InternalMessage{Session: m.Subagent.SessionKey, Key: key, Origin: chat.OriginSubagent, Text: text})
	return err
}

// endGroup ends a chat and reports it to the conversation that made it, once.
func endGroup(ctx context.Context, t *pg.Tx, g dbsqlc.GroupChat, end groupchat.End) error {
	if _, err := closeGroup(ctx, t, g, end); err != nil {
		return err
	}
	return postWake(ctx, t, g.SessionKey, "group chat ended")
}

// closeGroup ends a chat and returns the row that reports it to the conversation that made it.
func closeGroup(ctx context.Context, t *pg.Tx, g dbsqlc.GroupChat, end groupchat.End) (chat.InboxID, error) {
	r, err := GroupTranscript(ctx, t, g)
	if err != nil {
		return 0, err
	}
	if err := dbsqlc.Q.GroupEnd(ctx, t, dbsqlc.GroupEndParams{ID: g.ID, Ended: string(end)}); err != nil {
		return 0, fmt.Errorf("end group chat %s: %w", g.ID, err)
	}
	t.NotifyParent(g.SessionKey)
	all, whole := r.Chat.Transcript(r.Lines, int(^uint(0)>>1)), ""
	shown := all
	if len(all) > MaxTranscript {
		whole, shown = window.OffloadID(g.CallID), r.Chat.Transcript(r.Lines, MaxTranscript)
		hash := sha256.Sum256([]byte(all))
		if _, err := dbsqlc.Q.OffloadSave(ctx, t, dbsqlc.OffloadSaveParams{
			SessionKey: g.SessionKey, ID: whole, Hash: hash[:], Body: all, Bytes: int32(len(all)), Tool: "CreateChat",
		}); err != nil {
			return 0, fmt.Errorf("keep all of group chat %s: %w", g.ID, err)
		}
	}
	return inbox.PostRow(ctx, t, chat.InternalMessage{
		Session: g.SessionKey, Key: "group/" + string(g.ID), Origin: chat.OriginSubagent, Text: r.Chat.EndReport(r.Lines, end, shown, whole),
	}, "")
}
