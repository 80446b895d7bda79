package subagentstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/groupchat"
)

// OpenGroup makes a group chat with its members, in one transaction; the same call again finds it. Beyond a limit it returns
// Denied, with a sentence for the model.
func (s *Store) OpenGroup(ctx context.Context, g chat.NewGroup) (id chat.GroupID, err error) {
	most, err := s.quota.Caps(ctx)
	if err != nil {
		return "", err
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		above, err := LockTree(ctx, tx, g.Session)
		if err != nil {
			return err
		}
		if id, err = dbsqlc.Q.GroupByCall(ctx, tx, g.Call); !errors.Is(err, pgx.ErrNoRows) {
			return pg.Classify(err)
		}
		tree, err := allowSubagent(ctx, tx, chat.SubagentTask{Turn: g.Turn}, above, most.Subagents)
		if err != nil {
			return err
		}
		id = groupID(g.Call)
		if err := dbsqlc.Q.GroupInsert(ctx, tx, dbsqlc.GroupInsertParams{
			ID: id, SessionKey: g.Session, CallID: g.Call, Tree: tree, Topic: chat.Clean(g.Topic), MaxRounds: int32(g.Rounds), Members: int32(len(g.Members)),
		}); err != nil {
			return fmt.Errorf("make group chat %s: %w", id, err)
		}
		tx.NotifyParent(g.Session)
		return inviteMembers(ctx, tx, id, g, above)
	})
	return id, err
}

func groupID(call chat.CallID) chat.GroupID {
	sum := sha256.Sum256([]byte(call))
	return chat.GroupID("g" + hex.EncodeToString(sum[:5]))
}

// inviteMembers makes the members of a chat, or finds existing ones.
func inviteMembers(ctx context.Context, t *pg.Tx, id chat.GroupID, g chat.NewGroup, above Position) error {
	names := memberNames(g.Members)
	for n, m := range g.Members {
		task := chat.SubagentTask{
			Call: chat.CallID(fmt.Sprintf("%s.m%d", g.Call, n)), Session: g.Session, Role: m.Role, Instance: m.Instance, New: &g.Members[n].New,
		}
		if task.Instance == "" {
			task.Instance = fmt.Sprintf("%s-%d", id, n+1)
		}
		agent, err := dbsqlc.Q.SubagentByName(ctx, t, dbsqlc.SubagentByNameParams{Parent: g.Session, Role: task.Role, Instance: task.Instance})
		if errors.Is(err, pgx.ErrNoRows) {
			agent, err = makeSubagent(ctx, t, task, above)
		}
		if err != nil {
			return fmt.Errorf("find member %s: %w", names[n], err)
		}
		if err := dbsqlc.Q.GroupMemberInsert(ctx, t, dbsqlc.GroupMemberInsertParams{GroupID: id, N: int32(n), SessionKey: agent.SessionKey, Name: names[n]}); err != nil {
			return fmt.Errorf("take %s into group chat %s: %w", names[n], id, err)
		}
	}
	return nil
}

// memberNames returns the names of members in their chat: the role, with the instance, or with a number if the role occurs before.
func memberNames(members []chat.NewMember) []string {
	out := make([]string, len(members))
	for n, m := range members {
		out[n] = m.Role
		if m.Instance != "" {
			out[n] += ":" + m.Instance
		} else if slices.ContainsFunc(members[:n], func(o chat.NewMember) bool { return strings.EqualFold(o.Role, m.Role) && o.Instance == "" }) {
			out[n] += fmt.Sprintf("-%d", n+1)
		}
	}
	return out
}

// SpeakInGroup writes a line of the conversation that made a chat, once for each call; one that begins with chat.GroupEnd ends the
// chat. It returns NotFound if the session has made no such chat, and Conflict if it is over.
func (s *Store) SpeakInGroup(ctx context.Context, id chat.GroupID, from chat.SessionKey, call chat.CallID, text string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		g, err := dbsqlc.Q.GroupLock(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && g.SessionKey != from {
			return fault.Errorf(fault.NotFound, "you have made no group chat %q", string(id))
		}
		if err != nil {
			return fmt.Errorf("lock group chat %s: %w", id, err)
		}
		lines, err := dbsqlc.Q.GroupLines(ctx, tx, id)
		if err != nil {
			return fmt.Errorf("read group chat %s: %w", id, err)
		}
		if slices.ContainsFunc(lines, func(l dbsqlc.GroupLine) bool { return l.Key == string(call) }) {
			return nil
		}
		if g.Ended != "" {
			return fault.Errorf(fault.Conflict, "group chat %s is over: make another one", id)
		}
		said, end := strings.CutPrefix(strings.TrimSpace(text), chat.GroupEnd)
		if err := lineOfMember(ctx, tx, g, groupchat.Moderator, string(call), strings.TrimSpace(said), "done"); err != nil || !end {
			return err
		}
		return endGroup(ctx, tx, g, groupchat.Closed)
	})
}

// EndGroup ends a chat at a user's request, and reports whether it was still open. NotFound: neither the session nor a
// subagent below it has made such a chat.
func (s *Store) EndGroup(ctx context.Context, id chat.GroupID, of chat.SessionKey) (ended bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		ended = false
		g, err := dbsqlc.Q.GroupLock(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.Errorf(fault.NotFound, "there is no group chat %q in this conversation", string(id))
		}
		if err != nil {
			return fmt.Errorf("lock group chat %s: %w", id, err)
		}
		above, err := positionOf(ctx, tx, g.SessionKey)
		if err != nil {
			return err
		}
		if g.SessionKey != of && above.root != of {
			return fault.Errorf(fault.NotFound, "there is no group chat %q in this conversation", string(id))
		}
		if g.Ended != "" {
			return nil
		}
		ended = true
		tx.WakeGroup(id)
		return endGroup(ctx, tx, g, groupchat.Closed)
	})
	return ended, err
}

// lineOfMember writes a line, once for each key, and wakes the chat after the commit.
func lineOfMember(ctx context.Context, t *pg.Tx, g dbsqlc.GroupChat, speaker int, key, said, outcome string) error {
	if _, err := dbsqlc.Q.GroupLineInsert(ctx, t, dbsqlc.GroupLineInsertParams{
		ID: g.ID, Speaker: int32(speaker), Key: key, Said: chat.Clean(said), Outcome: outcome,
	}); err != nil {
		return fmt.Errorf("write a line of group chat %s: %w", g.ID, err)
	}
	t.WakeGroup(g.ID)
	t.NotifyParent(g.SessionKey)
	return nil
}

// sayInGroup makes the answer of a member a line, in the transaction that ends its turn.
func sayInGroup(ctx context.Context, t *pg.Tx, id chat.GroupID, task dbsqlc.SubagentTask, answer string) error {
	g, err := dbsqlc.Q.GroupLock(ctx, t, id)
	if err != nil {
		return fmt.Errorf("lock group chat %s: %w", id, err)
	}
	n, err := dbsqlc.Q.GroupSpeaker(ctx, t, dbsqlc.GroupSpeakerParams{GroupID: id, SessionKey: task.SessionKey})
	if err != nil {
		return fmt.Errorf("find the member of group chat %s: %w", id, err)
	}
	outcome := string(task.Outcome)
	if outcome == string(chat.TurnDone) && (answer == "" || strings.EqualFold(answer, groupchat.Pass)) {
		answer, outcome = "", "passed"
	}
	return lineOfMember(ctx, t, g, int(n), string(task.CallID), truncateAnswer(answer), outcome)
}

// Group returns the session, user and topic of a chat, for the workflow that runs it. It returns NotFound if it was deleted.
func (s *Store) Group(ctx context.Context, id chat.GroupID) (key chat.SessionKey, user, topic string, err error) {
	row, err := dbsqlc.Q.GroupGet(ctx, s.db.Pool, id)
	if err != nil {
		return "", "", "", pg.Classify(fmt.Errorf("read group chat %s: %w", id, err))
	}
	return row.GroupChat.SessionKey, row.UserName, row.GroupChat.Topic, nil
}

// GroupsToStart takes open chats whose workflow was not checked for long.
func (s *Store) GroupsToStart(ctx context.Context) ([]chat.GroupID, error) {
	ids, err := dbsqlc.Q.GroupsToStart(ctx, s.db.Pool)
	return ids, pg.Classify(err)
}

const (
	// MaxGroups limits the listed chats of a conversation.
	MaxGroups = 20
	// maxGroupLines limits the shown lines of each.
	maxGroupLines = 100
)

// GroupsOf lists the group chats of a conversation and of the subagents below it, newest first.
func (s *Store) GroupsOf(ctx context.Context, key chat.SessionKey) ([]chat.Group, error) {
	rows, err := dbsqlc.Q.GroupsOf(ctx, s.db.Pool, dbsqlc.GroupsOfParams{SessionKey: string(key), N: MaxGroups})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list group chats: %w", err))
	}
	out := make([]chat.Group, len(rows))
	for i, g := range rows {
		if out[i], err = s.showGroup(ctx, g); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Store) showGroup(ctx context.Context, g dbsqlc.GroupChat) (chat.Group, error) {
	out := chat.Group{
		ID: g.ID, Topic: g.Topic, Rounds: int(g.MaxRounds), Ended: g.Ended, Total: int(g.Lines), CreatedAt: g.CreatedAt, EndedAt: g.EndedAt,
		Members: []chat.Member{}, Lines: []chat.GroupLine{},
	}
	members, err := dbsqlc.Q.GroupMembers(ctx, s.db.Pool, g.ID)
	if err != nil {
		return out, pg.Classify(fmt.Errorf("list the members of %s: %w", g.ID, err))
	}
	names := map[int32]string{}
	for _, m := range members {
		names[m.GroupMember.N] = m.GroupMember.Name
		out.Members = append(out.Members, chat.Member{Name: m.GroupMember.Name, Session: m.GroupMember.SessionKey})
	}
	lines, err := dbsqlc.Q.GroupLines(ctx, s.db.Pool, g.ID)
	if err != nil {
		return out, pg.Classify(fmt.Errorf("read group chat %s: %w", g.ID, err))
	}
	for _, l := range lines[max(0, len(lines)-maxGroupLines):] {
		name := ""
		if l.Speaker != groupchat.Moderator {
			name = cmp.Or(names[l.Speaker], "gone")
		}
		out.Lines = append(out.Lines, chat.GroupLine{Seq: int(l.Seq), Speaker: name, Said: l.Said, Outcome: l.Outcome, At: l.CreatedAt})
	}
	return out, nil
}
