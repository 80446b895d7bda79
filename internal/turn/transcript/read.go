package transcript

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Bounds of the input.
const (
	maxLine    = 16 << 20
	maxEntries = 200_000
	maxNotes   = 20
)

// Read reads a conversation. Messages are numbered from 1, and control records refer to those numbers. notes list the omitted entries. Input
// that is no transcript of this version is Invalid.
func Read(r io.Reader) (t Transcript, notes []string, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	h, err := readHeader(lines)
	if err != nil {
		return t, nil, err
	}
	entries, err := readEntries(lines)
	if err != nil {
		return t, nil, err
	}
	in := &reader{t: Transcript{ID: h.ID, Title: h.Title, Cwd: h.Cwd, Created: h.Timestamp}, calls: map[string]callIndex{}, seen: map[string]bool{}}
	for _, e := range path(entries) {
		in.take(e)
	}
	in.resolveCompactions()
	return in.t, in.notes, nil
}

func readHeader(lines *bufio.Scanner) (h header, err error) {
	if !next(lines) {
		if err := scanned(lines); err != nil {
			return h, err
		}
		return h, fault.Errorf(fault.Invalid, "the transcript is empty; its first line describes the session")
	}
	if err := json.Unmarshal(lines.Bytes(), &h); err != nil || h.Type != typeSession {
		return h, fault.Errorf(fault.Invalid, `line 1 does not describe a session; it begins with {"type":"session","version":%d,…`, Version)
	}
	if h.Version != Version {
		return h, fault.Errorf(fault.Invalid, "the transcript has version %d; version %d can be read", h.Version, Version)
	}
	return h, nil
}

func readEntries(lines *bufio.Scanner) (out []entry, err error) {
	for n := 2; next(lines); n++ {
		if len(out) == maxEntries {
			return nil, fault.Errorf(fault.TooLarge, "the transcript has more than %d entries", maxEntries)
		}
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fault.Errorf(fault.Invalid, "entry %d of the transcript is not readable: %s", n, reason(err))
		}
		out = append(out, e)
	}
	return out, scanned(lines)
}

// next advances to a line that is not blank.
func next(lines *bufio.Scanner) bool {
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) != "" {
			return true
		}
	}
	return false
}

func scanned(lines *bufio.Scanner) error {
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fault.Errorf(fault.TooLarge, "a line of the transcript is longer than %d MiB", maxLine>>20)
	}
	if lines.Err() != nil {
		return fmt.Errorf("read transcript: %w", lines.Err())
	}
	return nil
}

func reason(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("%s is a %s", wrong.Field, wrong.Value)
	}
	return err.Error()
}

// path returns the entries that lead to the last one. Without parents they form a sequence.
func path(entries []entry) []entry {
	index := map[string]int{}
	tree := false
	for i, e := range entries {
		if e.ID != "" {
			index[e.ID] = i
		}
		tree = tree || e.ParentID != nil
	}
	if !tree || len(entries) == 0 {
		return entries
	}
	var back []entry
	for i := len(entries) - 1; ; {
		back = append(back, entries[i])
		if entries[i].ParentID == nil {
			break
		}
		parent, known := index[*entries[i].ParentID]
		if !known || parent >= i { // an entry follows its parent; anything else would be a cycle
			break
		}
		i = parent
	}
	out := make([]entry, len(back))
	for i, e := range back {
		out[len(back)-1-i] = e
	}
	return out
}

// callIndex is the position of a call.
type callIndex struct{ message, call int }

// reader turns entries into a conversation.
type reader struct {
	t     Transcript
	calls map[string]callIndex
	kept  []string // the first entries that compactions keep, in the order of the controls
	ids   []string // entries of the messages
	seen  map[string]bool
	notes []string
}

func (r *reader) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !r.seen[text] && len(r.notes) < maxNotes {
		r.seen[text] = true
		r.notes = append(r.notes, text)
	}
}

func (r *reader) take(e entry) {
	switch e.Type {
	case typeMessage:
		r.message(e)
	case typeCompaction:
		r.control(e, chat.Control{Kind: chat.ControlCompact, Compaction: &chat.Compaction{
			Summary: e.Summary, Trigger: chat.TriggerManual, Method: chat.CompactedByModel, TokensBefore: max(e.TokensBefore, 0),
		}})
	case typeReset:
		r.control(e, chat.Control{Kind: chat.ControlReset, Reset: &chat.Reset{Reason: chat.ResetNew}})
	case typeBranchSummary:
		if e.Summary != "" {
			r.add(e, chat.Message{Role: chat.RoleUser, Content: "[Summary of another branch]\n" + e.Summary})
		}
	case typeCustomMessage:
		if text := e.Content.texts(); text != "" {
			r.add(e, chat.Message{Role: chat.RoleUser, Content: text})
		}
	case typeCustom:
		r.custom(e)
	case typeSessionInfo:
		r.t.Title = e.Name
	case typeModelChange, typeThinkLevel, typeLabel: // answers name their model
	default:
		r.note("entries of type %q were left out", clip(e.Type))
	}
}

func (r *reader) message(e entry) {
	m := e.Message
	if m == nil {
		r.note("a message without content was left out")
		return
	}
	if len(m.Pictures) > 0 {
		r.note("pictures were left out: an export names them and does not hold them")
	}
	switch m.Role {
	case roleUser:
		r.add(e, chat.Message{Role: chat.RoleUser, Content: m.Content.texts(), Sender: m.Sender, Origin: knownOrigin(m.Origin)})
	case roleAssistant:
		r.answer(e, m)
	case roleToolResult:
		r.result(e, m)
	default:
		r.note("messages of role %q were left out", clip(m.Role))
	}
}

// knownOrigin returns an origin if it is allowed in a conversation that the model sees.
func knownOrigin(origin string) string {
	if chat.IsSystemOrigin(origin) {
		return origin
	}
	switch origin {
	case chat.OriginSuperseded, chat.OriginSummarized, chat.OriginOverheard, chat.OriginContinue:
		return origin
	}
	return ""
}

func (r *reader) answer(e entry, m *message) {
	out := chat.Message{
		Role: chat.RoleAssistant, Content: m.Content.texts(), Reasoning: m.Content.thoughts(), FinishReason: finishes[m.StopReason],
		Model: strings.TrimPrefix(m.Provider+"/"+m.Model, "/"),
	}
	if m.Model == "" {
		out.Model = ""
	}
	if u := m.Usage; u != nil {
		out.Usage = &chat.Usage{PromptTokens: max(u.Input+u.CacheRead+u.CacheWrite, 0), CachedTokens: max(u.CacheRead, 0), CompletionTokens: max(u.Output, 0)}
	}
	for _, b := range m.Content {
		if b.Type != "toolCall" {
			continue
		}
		r.calls[b.ID] = callIndex{len(r.t.Messages), len(out.ToolCalls)}
		out.ToolCalls = append(out.ToolCalls, chat.ToolCall{Name: b.Name, Arguments: textOf(b.Arguments), State: chat.CallOpen})
	}
	r.add(e, out)
}

func (r *reader) result(e entry, m *message) {
	at, known := r.calls[m.ToolCallID]
	if !known {
		r.note("results of calls that nobody made were left out")
		return
	}
	delete(r.calls, m.ToolCallID) // providers repeat their ids: the next result is of the next call
	call := &r.t.Messages[at.message].ToolCalls[at.call]
	call.State, call.Result, call.IsError = chat.CallDone, m.Content.texts(), m.IsError
	if !e.Timestamp.IsZero() {
		call.FinishedAt = &e.Timestamp
	}
}

func (r *reader) custom(e entry) {
	if e.CustomType != noticeType || e.Data == nil {
		return // state of programs, never part of the conversation
	}
	m := chat.Message{Role: chat.RoleNotice, Content: e.Data.Content}
	if e.Data.Role == chat.RoleUser {
		m.Role, m.Origin = chat.RoleUser, chat.OriginCommand
	}
	r.add(e, m)
}

func (r *reader) add(e entry, m chat.Message) {
	m.ID, m.CreatedAt = chat.MessageID(len(r.t.Messages)+1), e.Timestamp
	if m.CreatedAt.IsZero() {
		m.CreatedAt = r.t.Created
	}
	r.t.Messages = append(r.t.Messages, m)
	r.ids = append(r.ids, e.ID)
}

func (r *reader) control(e entry, c chat.Control) {
	c.CreatedAt, c.Message = e.Timestamp, chat.MessageID(len(r.t.Messages))
	r.t.Controls = append(r.t.Controls, c)
	r.kept = append(r.kept, e.FirstKeptEntryID)
}

// resolveCompactions finds the messages that compactions replace: those before the first that they keep.
func (r *reader) resolveCompactions() {
	index := map[string]int{}
	for i, id := range r.ids {
		if _, twice := index[id]; id != "" && !twice {
			index[id] = i
		}
	}
	controls := r.t.Controls[:0]
	for i, c := range r.t.Controls {
		if at, ok := index[r.kept[i]]; ok && c.Compaction != nil && at < int(c.Message) {
			c.Message = chat.MessageID(at)
		}
		if c.Message > 0 { // a record without messages has no effect
			controls = append(controls, c)
		}
	}
	r.t.Controls = controls
}

func clip(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}
