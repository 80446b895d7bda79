package engine

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/transcript"
)

// Import creates a session from an exported conversation of this installation or another. Each message of a user begins a finished
// turn. A key in use is a Conflict, and so is an owner who has as many sessions as allowed. Nothing of it counts as usage.
func (s *Store) Import(ctx context.Context, n conversation.NewSession, t transcript.Transcript) (chat.Session, error) {
	created, err := s.stores.Conversations.CreateSession(ctx, n)
	if err != nil {
		return chat.Session{}, err
	}
	if !created {
		return chat.Session{}, fault.Errorf(fault.Conflict, "there is a session %q already", n.Key)
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		in := &importing{Tx: tx, key: n.Key, ids: map[chat.MessageID]chat.MessageID{}}
		for i, messages := range turnsOf(t.Messages) {
			turn := conversation.ForkedTurn(n.Key, chat.TurnID(strconv.Itoa(i))) // new ids: those of the export may be in use
			if err := in.turn(ctx, turn, messages); err != nil {
				return err
			}
		}
		return in.ends(ctx, t)
	})
	if err != nil {
		if gone := s.stores.Agents.DeleteSession(context.WithoutCancel(ctx), n.Key); gone != nil {
			return chat.Session{}, fmt.Errorf("%w (and the empty session was not removed: %w)", err, gone)
		}
		return chat.Session{}, err
	}
	made, _, err := s.stores.Conversations.Session(ctx, n.Key)
	return made, err
}

// turnsOf cuts a conversation before each message of a user that follows something else.
func turnsOf(messages []chat.Message) (out [][]chat.Message) {
	for i, m := range messages {
		asks := m.Role == chat.RoleUser && m.Origin != chat.OriginCommand
		if i == 0 || asks && messages[i-1].Role != chat.RoleUser {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], m)
	}
	return out
}

// importing writes the rows of an imported conversation.
type importing struct {
	*pg.Tx
	key chat.SessionKey
	ids map[chat.MessageID]chat.MessageID // ids in the export to ids here
}

func (in *importing) turn(ctx context.Context, turn chat.TurnID, messages []chat.Message) error {
	p := dbsqlc.ImportTurnParams{ID: turn, SessionKey: in.key, StartedAt: messages[0].CreatedAt, EndedAt: &messages[len(messages)-1].CreatedAt}
	for _, m := range messages {
		if m.Role != chat.RoleAssistant {
			continue
		}
		p.Steps++
		p.Model = chat.Clean(m.Model)
		if u := m.Usage; u != nil {
			p.PromptTokens, p.CachedTokens, p.CompletionTokens = p.PromptTokens+int32(u.PromptTokens), p.CachedTokens+int32(u.CachedTokens), p.CompletionTokens+int32(u.CompletionTokens)
		}
	}
	if err := dbsqlc.Q.ImportTurn(ctx, in, p); err != nil {
		return fmt.Errorf("import turn: %w", err)
	}
	step := 0
	for _, m := range messages {
		if err := in.message(ctx, turn, step, m); err != nil {
			return err
		}
		if m.Role == chat.RoleAssistant {
			step++
		}
	}
	return nil
}

func (in *importing) message(ctx context.Context, turn chat.TurnID, step int, m chat.Message) error {
	p := dbsqlc.ImportMessageParams{
		SessionKey: in.key, TurnID: &turn, Role: m.Role, Content: chat.Clean(m.Content), Reasoning: chat.Clean(m.Reasoning), Model: chat.Clean(m.Model), Finish: m.FinishReason,
		CreatedAt: m.CreatedAt, Origin: m.Origin, Sender: chat.Clean(m.Sender), DisplayOnly: m.Role == chat.RoleNotice || m.Origin == chat.OriginCommand,
	}
	p.Words = conversation.SearchWords(m.Role, p.DisplayOnly, p.Content)
	switch {
	case m.Role == chat.RoleAssistant:
		p.Step = new(int32(step))
	case !p.DisplayOnly:
		p.Preface = chat.Preface(m.CreatedAt, "")
	}
	if u := m.Usage; u != nil {
		p.PromptTokens, p.CachedTokens, p.CompletionTokens = int32(u.PromptTokens), int32(u.CachedTokens), int32(u.CompletionTokens)
	}
	row, err := dbsqlc.Q.ImportMessage(ctx, in, p)
	if err != nil {
		return fmt.Errorf("import message: %w", err)
	}
	id := chat.MessageID(row)
	in.ids[m.ID] = id
	for n, c := range m.ToolCalls {
		if c.State != chat.CallDone {
			c.Result, c.IsError = i18n.Say(i18n.English, i18n.CallUnknown), true
		}
		if c.FinishedAt == nil {
			c.FinishedAt = &m.CreatedAt
		}
		if err := dbsqlc.Q.ImportCall(ctx, in, dbsqlc.ImportCallParams{
			ID: chat.NewCallID(turn, step, n), SessionKey: in.key, TurnID: turn, Step: int32(step), N: int32(n), MessageID: id, Name: chat.Clean(c.Name),
			Arguments: chat.Clean(c.Arguments), Result: chat.Clean(c.Result), IsError: c.IsError, StartedAt: c.FinishedAt,
		}); err != nil {
			return fmt.Errorf("import call: %w", err)
		}
	}
	return nil
}

// ends writes the control records, and the beginning of the conversation for the model.
func (in *importing) ends(ctx context.Context, t transcript.Transcript) error {
	p := dbsqlc.ImportEndsParams{Key: in.key, CreatedAt: t.Created, LastInteractionAt: t.Created}
	if p.CreatedAt.IsZero() {
		p.CreatedAt, p.LastInteractionAt = time.Now(), time.Now()
	}
	for _, c := range t.Controls {
		if c.Compaction != nil {
			c.Compaction.Summary = chat.Clean(c.Compaction.Summary)
		}
		body, err := conversation.EncodeControl(c)
		if err != nil {
			return err
		}
		id, err := dbsqlc.Q.ImportControl(ctx, in, dbsqlc.ImportControlParams{
			SessionKey: in.key, Kind: c.Kind, MessageID: in.ids[c.Message], Body: body, CreatedAt: c.CreatedAt,
		})
		if err != nil {
			return fmt.Errorf("import control record: %w", err)
		}
		if c.Kind == chat.ControlReset {
			p.ResetID, p.CompactionID = &id, nil
		} else {
			p.CompactionID = &id
		}
	}
	for _, m := range t.Messages {
		if m.Role == chat.RoleUser && m.CreatedAt.After(p.LastInteractionAt) {
			p.LastInteractionAt = m.CreatedAt
		}
	}
	if err := dbsqlc.Q.ImportEnds(ctx, in, p); err != nil {
		return fmt.Errorf("import session: %w", err)
	}
	return nil
}
