package consumer

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/conversation"
)

const (
	// maxMessages is how many rows of a conversation are read at once: the newest, or those before a message.
	maxMessages = 500
	// maxShown bounds arguments and results of tools in a transcript and in events, in bytes.
	maxShown = 8 << 10
)

// Message is a message of a consumer or of the service.
type Message struct {
	ID          string           `json:"id"`
	Role        chat.Role        `json:"role" enum:"user,assistant"`
	Content     string           `json:"content" doc:"Generated files are named as <<FILE:/generated/…>>."`
	Timestamp   time.Time        `json:"timestamp"`
	Reasoning   string           `json:"reasoning,omitempty"`
	ToolCalls   []ToolCall       `json:"tool_calls,omitempty"`
	Attachments []AttachmentBody `json:"attachments,omitempty"`
	Error       string           `json:"error,omitempty" doc:"Why there is no answer."`
	By          string           `json:"by,omitempty" enum:"person" doc:"An administrator wrote it instead of the agent."`
	Turn        chat.TurnID      `json:"turn_id,omitempty" doc:"Of what the agent wrote: the same for all messages of an answer."`
	Origin      string           `json:"origin,omitempty" enum:"task" doc:"Part of an answer started by a scheduled task or job, not by a message."`
	Stopped     bool             `json:"stopped,omitempty" doc:"The answer was stopped; the text written so far is kept."`
}

// ToolCall is a call of a tool with, once there is one, its result.
type ToolCall struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Args   string `json:"args" doc:"JSON as the model wrote it, at most 8 KiB of it; may be malformed."`
	Result string `json:"result,omitempty" doc:"At most 8 KiB of it."`
	OK     *bool  `json:"ok,omitempty"`
}

// userID returns the id of a message of a consumer, also while it waits.
func userID(id chat.InboxID) string { return fmt.Sprintf("u%d", id) }

// answerID returns the id of a message of the agent, or of an administrator in its place.
func answerID(id chat.MessageID) string { return fmt.Sprintf("a%d", id) }

// transcript is a part of a conversation as its consumer reads it, with the cursor that it is true at.
type transcript struct {
	messages []Message
	seq      int64
	more     bool        // there are older ones
	task     chat.TurnID // the answer that is being written to a task; empty: none is
}

// transcript reads the newest messages of a conversation, or those before one. If there are older ones it is not empty: a request for those
// names its first message.
func (a *API) transcript(ctx context.Context, c service.Conversation, before chat.MessageID) (transcript, error) {
	t, err := a.Conversations.Messages(ctx, c.Session, conversation.Page{Limit: maxMessages, Before: before})
	if err != nil {
		return transcript{}, err
	}
	if before > 0 {
		t.Queued = nil
	}
	for t = wholeTurns(t); t.HasMore && !slices.ContainsFunc(t.Messages, shows); t = wholeTurns(t) {
		older, err := a.Conversations.Messages(ctx, c.Session, conversation.Page{Limit: maxMessages, Before: t.Messages[0].ID})
		if err != nil {
			return transcript{}, err
		}
		t.Messages, t.HasMore = older.Messages, older.HasMore
	}
	messages, task, err := a.messagesOf(ctx, c, t)
	return transcript{messages, t.Seq, t.HasMore, task}, err
}

// wholeTurns leaves the beginning of a part out where it is of a turn that may have begun before it: the next part has all of the turn.
func wholeTurns(t conversation.Transcript) conversation.Transcript {
	if !t.HasMore || t.Messages[0].Turn == "" {
		return t
	}
	from := 0
	for i, m := range t.Messages {
		if m.Turn == t.Messages[0].Turn {
			from = i + 1
		}
	}
	if from < len(t.Messages) { // else it is one turn, which is too long
		t.Messages = t.Messages[from:]
	}
	return t
}

// rowOf finds the row of a message by its id for consumers.
func (a *API) rowOf(ctx context.Context, c service.Conversation, id string) (chat.MessageID, error) {
	if id == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(id[1:], 10, 64)
	if err != nil || id[0] == 'a' {
		return chat.MessageID(n), err
	}
	at, err := a.Messages.Place(ctx, c.Session, chat.InboxID(n))
	if fault.Is(err, fault.NotFound) {
		return 0, fault.Errorf(fault.NotFound, "the conversation has no message %s, or it waits; before must be the id of a message that was read", id)
	}
	return at.Message, err
}

// messagesOf returns the messages of rows for a consumer, and the answer that is being written to a task.
func (a *API) messagesOf(ctx context.Context, c service.Conversation, t conversation.Transcript) (said []Message, task chat.TurnID, err error) {
	var written []chat.InboxID
	var turns []chat.TurnID
	for _, m := range t.Messages {
		if m.Inbox != 0 {
			written = append(written, m.Inbox)
		}
		if m.Turn != "" && (len(turns) == 0 || turns[len(turns)-1] != m.Turn) {
			turns = append(turns, m.Turn)
		}
	}
	for _, q := range t.Queued {
		written = append(written, q.Inbox)
	}
	sent, err := a.Services.Sent(ctx, c.Session, written)
	if err != nil {
		return nil, "", err
	}
	states, err := a.Services.TurnStates(ctx, c.Session, turns)
	if err != nil {
		return nil, "", err
	}
	r := reading{sent: sent, states: states, out: []Message{}}
	r.read(t)
	if states[r.task] != chat.TurnRunning {
		r.task = ""
	}
	return r.out, r.task, nil
}

// reading makes messages for consumers of those of a conversation.
type reading struct {
	sent   map[chat.InboxID]servicestore.Sent
	states map[chat.TurnID]chat.TurnState
	out    []Message

	lang i18n.Lang
	turn reply
	task chat.TurnID // the last turn that a scheduled task or job has begun
}

// reply is the turn that is being read.
type reply struct {
	id     chat.TurnID
	asked  bool   // it answers a message of the consumer, and is no task
	said   int    // index of its last message; -1: it has none
	notice string // the last notice of the product about it
}

func (r *reading) read(t conversation.Transcript) {
	last := map[chat.TurnID]int{} // administrators may write while a turn runs
	for i, m := range t.Messages {
		last[m.Turn] = i
	}
	for i, m := range t.Messages {
		if m.Turn != "" && m.Turn != r.turn.id {
			r.turn = reply{id: m.Turn, said: -1}
		}
		r.message(m)
		if m.Turn != "" && last[m.Turn] == i {
			r.close(m.CreatedAt)
		}
	}
	for _, q := range t.Queued {
		r.user(q.Inbox)
	}
}

func (r *reading) message(m chat.Message) {
	switch {
	case isSent(m):
		if r.user(m.Inbox) && m.Turn != "" {
			r.turn.asked = true
		}
	case m.Role == chat.RoleUser && m.Origin == chat.OriginCron:
		r.task = m.Turn
	case isReply(m):
		if m.Turn != "" {
			r.turn.said = len(r.out)
		}
		r.out = append(r.out, r.assistant(m))
	case m.Role == chat.RoleNotice && m.Origin == "" && m.Turn != "":
		r.turn.notice = m.Content
	}
}

// isSent reports whether m is a message of the consumer.
func isSent(m chat.Message) bool {
	return m.Role == chat.RoleUser && m.Inbox != 0 && !m.Rewound && (m.Origin == "" || m.Origin == chat.OriginSuperseded)
}

// isReply reports whether m is a reply of the agent or an administrator.
func isReply(m chat.Message) bool { return m.Role == chat.RoleAssistant && !m.Silent }

func shows(m chat.Message) bool { return isSent(m) || isReply(m) }

// user reads a message of the consumer, unless it is being deleted.
func (r *reading) user(id chat.InboxID) (known bool) {
	s, known := r.sent[id]
	if !known {
		return false
	}
	r.lang = i18n.Of(s.Text)
	m := Message{ID: userID(id), Role: chat.RoleUser, Content: s.Text, Timestamp: s.At}
	for _, f := range s.Files {
		m.Attachments = append(m.Attachments, attachmentBody(f))
	}
	if len(s.Files) > 0 && s.Text == onlyFiles(s.Files) {
		m.Content = ""
	}
	r.out = append(r.out, m)
	return true
}

func (r *reading) assistant(m chat.Message) Message {
	out := Message{ID: answerID(m.ID), Role: chat.RoleAssistant, Content: m.Content, Timestamp: m.CreatedAt, Reasoning: m.Reasoning, Turn: m.Turn, Origin: r.origin(m)}
	if m.Origin == chat.OriginPerson {
		out.By = byPerson
	}
	for _, c := range m.ToolCalls {
		call := ToolCall{ID: string(c.ID), Name: c.Name, Args: cut(c.Arguments)}
		if c.State == chat.CallDone {
			call.Result, call.OK = cut(c.Result), new(!c.IsError)
		}
		out.ToolCalls = append(out.ToolCalls, call)
	}
	return out
}

// origin returns the source of a message of the agent.
func (r *reading) origin(m chat.Message) string {
	if m.Turn != "" && m.Turn == r.task && !r.turn.asked {
		return originTask
	}
	return ""
}

// close adds how the turn that was read ended, if it did not end well. A task without output shows nothing.
func (r *reading) close(at time.Time) {
	t := r.turn
	stopped := r.states[t.id] == chat.TurnStopped
	failed := r.states[t.id] == chat.TurnFailed || r.states[t.id] == chat.TurnLost
	if !stopped && !failed || t.said < 0 && !t.asked {
		return
	}
	if t.said < 0 {
		t.said = len(r.out)
		r.out = append(r.out, Message{ID: "t" + string(t.id), Role: chat.RoleAssistant, Timestamp: at})
	}
	words := &r.out[t.said]
	if words.Stopped = stopped; failed {
		words.Error = sentence(r.lang, t.notice)
	}
}

// AttachmentBody is a file that a consumer sent.
type AttachmentBody struct {
	Path string `json:"path" doc:"For /conversations/{id}/attachments/{path}."`
	Name string `json:"name"`
	Type string `json:"type" doc:"Media type by its name; what is sent to browsers follows from what it holds."`
	Size int64  `json:"size" doc:"Bytes."`
}

func attachmentBody(f servicestore.SentFile) AttachmentBody {
	if f.Path == "" && f.Picture != nil {
		return AttachmentBody{Path: pictureFolder + f.Picture.Hash, Name: f.Name, Type: f.Picture.MediaType, Size: f.Size}
	}
	inside := strings.TrimPrefix(f.Path, attachmentsFolder+"/")
	return AttachmentBody{Path: inside, Name: path.Base(inside), Type: typeOf(inside), Size: f.Size}
}

// onlyFiles returns the text of a message that has only files.
func onlyFiles(files []servicestore.SentFile) string {
	named := make([]chat.Attachment, len(files))
	for i, f := range files {
		named[i] = chat.Attachment{Kind: kindOf(f.Picture != nil && f.Path == ""), Name: f.Name}
	}
	return strings.TrimSpace(chat.AttachmentLines(named))
}

func kindOf(picture bool) string {
	if picture {
		return "image"
	}
	return "file"
}

// cut returns as much of a text as is shown.
func cut(text string) string {
	if shown := head(text, maxShown); len(shown) < len(text) {
		return shown + "…"
	}
	return text
}

// head returns the beginning of a text, in whole characters.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := max(most, 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// told maps notices that mean something to outsiders to their wording for them. All other notices share one sentence.
var told = []struct {
	as i18n.ID
	of []i18n.ID
}{
	{i18n.ConsumerTooLong, []i18n.ID{i18n.ModelTooLong}},
	{i18n.ConsumerSteps, []i18n.ID{i18n.StepLimit, i18n.ModelLoops}},
	{i18n.ConsumerBusy, []i18n.ID{i18n.ModelFailed, i18n.ProviderWaits}},
	{i18n.ConsumerRefused, []i18n.ID{i18n.ModelRefused, i18n.ModelRefusedPlain, i18n.ModelFiltered, i18n.ModelCutShort}},
}

// sentence returns the wording for outsiders of a notice about a failed turn. The notice may name models, settings and machines.
func sentence(lang i18n.Lang, notice string) string {
	for _, t := range told {
		if slices.ContainsFunc(t.of, func(id i18n.ID) bool { return i18n.Is(notice, id) }) {
			return i18n.Say(lang, t.as)
		}
	}
	return i18n.Say(lang, i18n.ConsumerFailed)
}
