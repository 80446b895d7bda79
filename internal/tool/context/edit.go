package context

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/turn/window"
	"xbot/runner/pattern"
)

//go:embed contextedit.md
var editDoc string

// Limits of an edit.
const (
	defaultChars = 200  // that truncate leaves
	maxPattern   = 2000 // characters of old_text and of new_text
	maxAudit     = 100  // edits that are looked at
)

// Records keeps conversations and the records that change how they are shown.
type Records interface {
	Window(ctx context.Context, session chat.SessionKey) (chat.Window, error)
	Edits(ctx context.Context, session chat.SessionKey, most int) ([]chat.Control, error) // newest first
	Control(ctx context.Context, session chat.SessionKey, key string) (c chat.Control, found bool, err error)
	AddControl(ctx context.Context, session chat.SessionKey, c chat.Control) (stored chat.Control, added bool, err error)
}

type editParams struct {
	Action   string `json:"action" jsonschema:"list, delete_turn, delete, truncate, replace or undo"`
	Target   string `json:"target,omitempty" jsonschema:"m12, its second result m12.2, or for undo the edit e5"`
	MaxChars int    `json:"max_chars,omitempty"`
	OldText  string `json:"old_text,omitempty"`
	NewText  string `json:"new_text,omitempty"`
	Regex    bool   `json:"regex,omitempty" jsonschema:"RE2, with $1"`
	Reason   string `json:"reason,omitempty"`
}

type edit struct{ records Records }

// NewEdit returns the tool context_edit. An edit is a record that is written before success is reported; nothing of the
// conversation is lost. A call that runs again finds its record.
func NewEdit(records Records) tool.Tool {
	return tool.DefineQuick("context_edit", chat.ClassIdempotent, editDoc, edit{records}, tool.Inward)
}

func (edit) Summary(p editParams) string { return strings.TrimSpace(p.Action + " " + p.Target) }

func (e edit) Run(ctx context.Context, call tool.Call, p editParams) (chat.ToolResult, error) {
	w, err := e.records.Window(ctx, call.Session)
	if err != nil {
		return tool.FromError(err)
	}
	action := strings.ToLower(strings.TrimSpace(p.Action))
	if action == "list" {
		return e.list(ctx, call, w, p)
	}
	key := "edit/" + string(call.ID)
	if c, found, err := e.records.Control(ctx, call.Session, key); err != nil || found {
		return report(c, 0, err)
	}
	c, freed, err := e.plan(ctx, call, w, action, p)
	if err != nil {
		return tool.FromError(err)
	}
	c.Key = key
	if turn, _, _, ok := call.ID.Split(); ok {
		c.Turn = turn
	}
	c, _, err = e.records.AddControl(ctx, call.Session, c)
	return report(c, freed, err)
}

// report describes what was recorded. freed is 0 if it is not known any more.
func report(c chat.Control, freed int, err error) (chat.ToolResult, error) {
	if err != nil {
		return tool.FromError(fmt.Errorf("the context was not changed: %w", err))
	}
	if c.Kind == chat.ControlUndo {
		return tool.Textf("Edit e%d holds no more.", c.Undo), nil
	}
	said := fmt.Sprintf("Done: edit e%d, %s.", c.ID, describe(c))
	if freed > 0 {
		said += fmt.Sprintf(" %s are free.", tool.Count(freed, "character"))
	}
	return tool.Text(said + " undo takes it back."), nil
}

// plan makes the record of an edit, or explains why it cannot be made.
func (e edit) plan(ctx context.Context, call tool.Call, w chat.Window, action string, p editParams) (chat.Control, int, error) {
	switch action {
	case "undo":
		c, err := e.undo(ctx, call, p.Target)
		return c, 0, err
	case chat.EditDeleteTurn, chat.EditDelete, chat.EditTruncate, chat.EditReplace:
	default:
		return chat.Control{}, 0, fault.Errorf(fault.Invalid, "action must be list, delete_turn, delete, truncate, replace or undo")
	}
	line, callID, err := find(w, p.Target)
	if err != nil {
		return chat.Control{}, 0, err
	}
	edit := chat.Edit{Action: action, Reason: tool.OneLine(p.Reason, maxReason)}
	switch action {
	case chat.EditDeleteTurn:
		edit.Turn = line.Turn
	case chat.EditReplace:
		if err := checkPattern(p); err != nil {
			return chat.Control{}, 0, err
		}
		edit.Old, edit.New, edit.Regex = p.OldText, p.NewText, p.Regex
	case chat.EditTruncate:
		if edit.MaxChars = p.MaxChars; p.MaxChars <= 0 {
			edit.MaxChars = defaultChars
		}
	}
	if action != chat.EditDeleteTurn {
		edit.Message, edit.Call = line.ID, callID
	}
	return window.CheckEdit(w, edit)
}

const maxReason = 200 // characters

func checkPattern(p editParams) error {
	switch {
	case p.OldText == "":
		return fault.Errorf(fault.Invalid, "old_text is empty; give the text to replace")
	case strings.ContainsRune(p.OldText+p.NewText, 0):
		return fault.Errorf(fault.Invalid, "old_text and new_text cannot hold a NUL character")
	case utf8.RuneCountInString(p.OldText) > maxPattern || utf8.RuneCountInString(p.NewText) > maxPattern:
		return fault.Errorf(fault.TooLarge, "old_text and new_text may have %d characters each", maxPattern)
	case !p.Regex:
		return nil
	}
	if _, err := pattern.CompileExpression(p.OldText); err != nil {
		return fault.Errorf(fault.Invalid, "old_text is not a regular expression (RE2): %w", err)
	}
	return nil
}

// target matches the names of messages, their results and edits: m12, m12.2, e5.
var target = regexp.MustCompile(`^m(\d{1,18})(?:\.(\d{1,4}))?$`)

// find returns the message that a target names and, if it names a result, the call.
func find(w chat.Window, name string) (chat.Message, chat.CallID, error) {
	parts := target.FindStringSubmatch(strings.ToLower(strings.TrimSpace(name)))
	if parts == nil {
		return chat.Message{}, "", fault.Errorf(fault.Invalid, "target must name a message, as m12, or a result of it, as m12.1; list shows them")
	}
	id, _ := strconv.ParseInt(parts[1], 10, 64) // at most 18 digits
	for _, l := range window.Editable(w) {
		if l.Message.ID != chat.MessageID(id) {
			continue
		}
		if parts[2] == "" {
			return l.Message, "", nil
		}
		n, _ := strconv.Atoi(parts[2]) // at most 4 digits
		if n < 1 || n > len(l.Message.ToolCalls) {
			return chat.Message{}, "", fault.Errorf(fault.NotFound, "m%d has %s", id, tool.Count(len(l.Message.ToolCalls), "result"))
		}
		return l.Message, l.Message.ToolCalls[n-1].ID, nil
	}
	return chat.Message{}, "", fault.Errorf(fault.NotFound, "m%d is not in the context; list shows what is", id)
}

// undo makes the record that takes an edit back.
func (e edit) undo(ctx context.Context, call tool.Call, name string) (chat.Control, error) {
	id, err := strconv.ParseInt(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), "e"), 10, 64)
	if err != nil {
		return chat.Control{}, fault.Errorf(fault.Invalid, "target must name an edit, as e5; list shows them")
	}
	edits, err := e.records.Edits(ctx, call.Session, maxAudit)
	if err != nil {
		return chat.Control{}, err
	}
	undone := undone(edits)
	for _, c := range edits {
		if c.Kind != chat.ControlEdit || c.ID != chat.ControlID(id) {
			continue
		}
		if undone[c.ID] {
			return chat.Control{}, fault.Errorf(fault.Conflict, "edit e%d was taken back before", id)
		}
		return chat.Control{Kind: chat.ControlUndo, Message: c.Message, Undo: c.ID}, nil
	}
	return chat.Control{}, fault.Errorf(fault.NotFound, "there is no edit e%d in this conversation", id)
}

func undone(edits []chat.Control) map[chat.ControlID]bool {
	out := map[chat.ControlID]bool{}
	for _, c := range edits {
		if c.Kind == chat.ControlUndo {
			out[c.Undo] = true
		}
	}
	return out
}
