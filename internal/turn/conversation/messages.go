package conversation

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// Page selects a part of a transcript. After and Before exclude each other; neither means the newest.
type Page struct {
	After, Before chat.MessageID
	Limit         int
	Rewound       bool // with the messages that were taken out
}

// Transcript is a part of a conversation, ascending, with the feed sequence that it matches.
type Transcript struct {
	Messages []chat.Message
	Queued   []chat.Queued
	Todos    []chat.Todo
	Seq      int64
	HasMore  bool
}

// Messages returns a page of the transcript with the queued messages and the feed cursor that matches. The cursor is read
// first: an event that commits in between is seen twice, by its message id, never lost.
func (s *Store) Messages(ctx context.Context, key chat.SessionKey, page Page) (Transcript, error) {
	session, err := dbsqlc.Q.SessionGet(ctx, s.db.Pool, key)
	if err != nil {
		return Transcript{}, pg.Classify(fmt.Errorf("read session: %w", err))
	}
	out := Transcript{Seq: session.FeedSeq}
	rows, err := s.MessageRows(ctx, key, page)
	if err != nil {
		return Transcript{}, err
	}
	if out.HasMore = len(rows) > page.Limit; out.HasMore {
		if page.After > 0 {
			rows = rows[:page.Limit]
		} else {
			rows = rows[1:]
		}
	}
	if out.Messages, err = s.WithCalls(ctx, rows); err != nil {
		return Transcript{}, err
	}
	pending, err := dbsqlc.Q.InboxPending(ctx, s.db.Pool, key)
	if err != nil {
		return Transcript{}, pg.Classify(fmt.Errorf("list queued messages: %w", err))
	}
	for _, p := range pending {
		out.Queued = append(out.Queued, chat.Queued{
			Inbox: p.ID, ClientMessageID: p.PlatformID, Text: WordsOf(p.Body, p.Options), Mode: p.Mode, Sender: p.Sender, Throttled: p.Throttled,
		})
	}
	if out.Todos, err = s.Todos(ctx, key); err != nil {
		return Transcript{}, err
	}
	return out, nil
}

// MessageRows returns up to Limit+1 rows, ascending; the surplus one means that there are more.
func (s *Store) MessageRows(ctx context.Context, key chat.SessionKey, page Page) ([]dbsqlc.Message, error) {
	limit := int32(page.Limit) + 1
	if page.After > 0 {
		rows, err := dbsqlc.Q.MessageListAfter(ctx, s.db.Pool, dbsqlc.MessageListAfterParams{SessionKey: key, ID: page.After, Limit: limit, Rewound: page.Rewound})
		return rows, pg.Classify(err)
	}
	before := page.Before
	if before == 0 {
		before = 1<<63 - 1
	}
	rows, err := dbsqlc.Q.MessageListBefore(ctx, s.db.Pool, dbsqlc.MessageListBeforeParams{SessionKey: key, ID: before, Limit: limit, Rewound: page.Rewound})
	for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
		rows[i], rows[j] = rows[j], rows[i]
	}
	return rows, pg.Classify(err)
}

// WithCalls returns the messages of rows with their tool calls and versions.
func (s *Store) WithCalls(ctx context.Context, rows []dbsqlc.Message) ([]chat.Message, error) {
	out := make([]chat.Message, len(rows))
	index := make(map[chat.MessageID]int, len(rows))
	ids := make([]int64, len(rows))
	for i, r := range rows {
		out[i] = MessageOf(r)
		index[r.ID] = i
		ids[i] = int64(r.ID)
	}
	calls, err := dbsqlc.Q.CallListOfMessages(ctx, s.db.Pool, ids)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list tool calls: %w", err))
	}
	for _, c := range calls {
		m := &out[index[c.MessageID]]
		m.ToolCalls = append(m.ToolCalls, CallOf(c))
	}
	return out, s.withBranches(ctx, out)
}

// MessageOf returns the message of a row.
func MessageOf(r dbsqlc.Message) chat.Message {
	m := chat.Message{
		ID: r.ID, Session: r.SessionKey, Role: r.Role, Origin: r.Origin, Sender: r.Sender, Silent: r.Silent, Undelivered: !r.Deliver, Content: r.Content, Reasoning: r.Reasoning, Pictures: r.Pictures,
		ClientMessageID: r.ClientMessageID, Model: r.Model, FinishReason: r.Finish, CreatedAt: r.CreatedAt,
		Place: chat.Place{Rewound: r.RewoundBy != nil},
	}
	if r.BranchOf != nil {
		m.BranchOf = chat.MessageID(*r.BranchOf)
	}
	m = Seen(m, r.Shown)
	if r.TurnID != nil {
		m.Turn = *r.TurnID
	}
	if r.Step != nil {
		m.Step = int(*r.Step)
	}
	if r.InboxID != nil {
		m.Inbox = *r.InboxID
	}
	if u := (chat.Usage{PromptTokens: int(r.PromptTokens), CachedTokens: int(r.CachedTokens), CompletionTokens: int(r.CompletionTokens)}); u != (chat.Usage{}) {
		m.Usage = &u
	}
	return m
}
