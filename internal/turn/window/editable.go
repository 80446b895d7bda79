package window

import (
	"slices"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// protected is how many of the newest messages cannot be edited.
const protected = 3

// Editable returns the lines that edits can name, as the model sees them: View before groups collapse, and without lines that have no row.
func Editable(w chat.Window) []chat.Line {
	f := newFold(w)
	f.edit(w.Controls)
	f.warn(w.Controls)
	masks := masksOf(w.Controls)
	for _, l := range f.lines {
		for i := range l.Message.ToolCalls {
			if m, ok := masks[l.Message.ToolCalls[i].ID]; ok && !f.removed[m.Call] {
				l.Message.ToolCalls[i].Result, l.Message.ToolCalls[i].Pictures = m.Text, nil
			}
		}
	}
	return f.lines
}

// CheckEdit validates an edit and completes it: the newest message it is about becomes the message of the record. freed is how many
// characters fewer the model sees; negative: more. An edit that would change nothing, that names a missing target, or that touches a
// protected one is refused with a sentence for the model.
func CheckEdit(w chat.Window, e chat.Edit) (c chat.Control, freed int, err error) {
	lines := Editable(w)
	c = chat.Control{Kind: chat.ControlEdit, Message: e.Message, Edit: &e}
	if e.Action == chat.EditDeleteTurn {
		c.Message, err = checkTurn(lines, e.Turn)
	} else {
		err = checkTarget(lines, e, Masked(w.Controls))
	}
	if err != nil {
		return c, 0, err
	}
	after := w
	after.Controls = append(slices.Clone(w.Controls), c)
	changed := Editable(after)
	freed = weight(lines) - weight(changed)
	if freed == 0 && sameLines(lines, changed) {
		return c, 0, fault.Errorf(fault.Invalid, "nothing would change%s", whyNothing(e))
	}
	if -freed > maxGrowth {
		return c, 0, fault.Errorf(fault.TooLarge, "the text would grow by %d characters; at most %d are allowed", -freed, maxGrowth)
	}
	return c, freed, nil
}

// maxGrowth bounds what one replacement may add, in characters.
const maxGrowth = 10_000

func whyNothing(e chat.Edit) string {
	switch e.Action {
	case chat.EditReplace:
		return ": old_text does not occur there, or far too often"
	case chat.EditTruncate:
		return ": the text is that short already"
	}
	return ""
}

// checkTurn returns the newest message of a turn that may be removed.
func checkTurn(lines []chat.Line, turn chat.TurnID) (chat.MessageID, error) {
	newest := chat.MessageID(0)
	for i, l := range lines {
		if l.Message.Turn != turn {
			continue
		}
		if Protected(lines, i) {
			return 0, fault.Errorf(fault.Denied, "this turn cannot be deleted: it holds one of the newest messages; edit its older results instead")
		}
		newest = l.Message.ID
	}
	if newest == 0 {
		return 0, fault.Errorf(fault.NotFound, "nothing of that turn is in the context")
	}
	return newest, nil
}

func checkTarget(lines []chat.Line, e chat.Edit, masked func(chat.CallID) bool) error {
	at := slices.IndexFunc(lines, func(l chat.Line) bool { return l.Message.ID == e.Message })
	switch {
	case at < 0:
		return fault.Errorf(fault.NotFound, "m%d is not in the context; use list to see what is", e.Message)
	case Protected(lines, at):
		return fault.Errorf(fault.Denied, "m%d is protected: the newest %d messages and the message of the running turn cannot be edited", e.Message, protected)
	case e.Call != "" && e.Action != chat.EditDelete && masked(e.Call):
		return fault.Errorf(fault.Invalid, "this result is masked already and takes no room; delete removes its placeholder, too")
	}
	return nil
}

// Protected reports whether a line is one of the newest messages, or the newest message of a user, which the running turn answers.
func Protected(lines []chat.Line, at int) bool {
	if at >= len(lines)-protected {
		return true
	}
	return lines[at].Message.Role == chat.RoleUser &&
		!slices.ContainsFunc(lines[at+1:], func(l chat.Line) bool { return l.Message.Role == chat.RoleUser })
}

// Weight counts the characters of a line as the model sees it.
func Weight(l chat.Line) int {
	n := utf8.RuneCountInString(l.Message.Content)
	for _, c := range l.Message.ToolCalls {
		n += CallWeight(c)
	}
	return n
}

// CallWeight counts the characters of a call and its result.
func CallWeight(c chat.ToolCall) int {
	return utf8.RuneCountInString(c.Arguments) + utf8.RuneCountInString(c.Result)
}

func sameLines(a, b []chat.Line) bool {
	return slices.EqualFunc(a, b, func(x, y chat.Line) bool {
		return x.Message.ID == y.Message.ID && x.Message.Content == y.Message.Content &&
			slices.EqualFunc(x.Message.ToolCalls, y.Message.ToolCalls, func(c, d chat.ToolCall) bool {
				return c.ID == d.ID && c.Arguments == d.Arguments && c.Result == d.Result
			})
	})
}
