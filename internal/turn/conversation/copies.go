package conversation

import (
	"slices"

	"xbot/internal/chat"
	"xbot/internal/turn/dbsqlc"
)

// copies maps the ids of a conversation's rows to those in its copy.
type copies struct {
	key      chat.SessionKey // of the copy
	messages map[chat.MessageID]chat.MessageID
	turns    map[chat.TurnID]chat.TurnID
	controls map[chat.ControlID]chat.ControlID
	// compaction is the newest one that was copied since the reset; nil if none was.
	compaction *chat.ControlID
	// reset is the newest one that was copied; nil if none was.
	reset *chat.ControlID

	oldMessages, newMessages []int64 // ascending, in pairs
	messageTurns             []string
	oldTurns, newTurns       []string
	oldControls              []chat.ControlID // ascending
}

func newCopies(key chat.SessionKey) *copies {
	return &copies{
		key: key, messages: map[chat.MessageID]chat.MessageID{}, turns: map[chat.TurnID]chat.TurnID{}, controls: map[chat.ControlID]chat.ControlID{},
	}
}

// addMessage adds a message, in ascending order, and its turn.
func (c *copies) addMessage(r dbsqlc.ForkMessagesRow, id int64) {
	turn := chat.TurnID("")
	if r.TurnID != nil {
		var known bool
		if turn, known = c.turns[*r.TurnID]; !known {
			turn = ForkedTurn(c.key, *r.TurnID)
			c.turns[*r.TurnID] = turn
			c.oldTurns, c.newTurns = append(c.oldTurns, string(*r.TurnID)), append(c.newTurns, string(turn))
		}
	}
	c.messages[r.ID] = chat.MessageID(id)
	c.oldMessages, c.newMessages = append(c.oldMessages, int64(r.ID)), append(c.newMessages, id)
	c.messageTurns = append(c.messageTurns, string(turn))
}

// messageBefore returns the copy of the newest message up to the given one, 0 if there is none.
func (c *copies) messageBefore(id chat.MessageID) chat.MessageID {
	at, found := slices.BinarySearch(c.oldMessages, int64(id))
	if !found {
		at--
	}
	if at < 0 {
		return 0
	}
	return chat.MessageID(c.newMessages[at])
}

// controlBefore does the same for control records.
func (c *copies) controlBefore(id chat.ControlID) chat.ControlID {
	at, found := slices.BinarySearch(c.oldControls, id)
	if !found {
		at--
	}
	if at < 0 {
		return 0
	}
	return c.controls[c.oldControls[at]]
}

// call returns the id of a call in the copy; ok is false if the copy does not have it.
func (c *copies) call(id chat.CallID) (chat.CallID, bool) {
	turn, step, n, ok := id.Split()
	if !ok {
		return "", false
	}
	made, ok := c.turns[turn]
	return chat.NewCallID(made, step, n), ok
}

// control returns a record for the copy, under the given id. Records have to come in ascending order. ok is
// false for those of turns that are not copied, and for those that refer to nothing in the copy.
func (c *copies) control(old chat.Control, id chat.ControlID) (made chat.Control, ok bool) {
	made = old
	made.ID, made.Message = id, c.messageBefore(old.Message)
	if old.Turn != "" {
		if made.Turn, ok = c.turns[old.Turn]; !ok {
			return made, false
		}
	}
	if made.Message == 0 || !c.body(&made) {
		return made, false
	}
	c.controls[old.ID] = id
	c.oldControls = append(c.oldControls, old.ID)
	switch made.Kind {
	case chat.ControlCompact:
		c.compaction = &id
	case chat.ControlReset:
		c.reset, c.compaction = &id, nil
	}
	return made, true
}

// body replaces the ids in the body of a record by those of the copy.
func (c *copies) body(made *chat.Control) (ok bool) {
	switch made.Kind {
	case chat.ControlMask:
		made.Masks = c.masks(made.Masks)
		return len(made.Masks) > 0
	case chat.ControlCompact:
		if made.Compaction == nil {
			return false
		}
		made.Compaction.Previous = c.controls[made.Compaction.Previous]
		return true
	case chat.ControlEdit:
		return made.Edit != nil && c.edit(made.Edit)
	case chat.ControlStale:
		if made.Stale == nil {
			return false
		}
		made.Stale.Call, ok = c.call(made.Stale.Call)
		return ok
	case chat.ControlReset:
		return made.Reset != nil
	case chat.ControlUndo:
		made.Undo, ok = c.controls[made.Undo]
		return ok
	}
	return false
}

func (c *copies) masks(old []chat.Mask) (out []chat.Mask) {
	for _, m := range old {
		message, known := c.messages[m.Message]
		call, ok := c.call(m.Call)
		if known && ok {
			m.Message, m.Call = message, call
			out = append(out, m)
		}
	}
	return out
}

func (c *copies) edit(e *chat.Edit) (ok bool) {
	if e.Turn != "" {
		if e.Turn, ok = c.turns[e.Turn]; !ok {
			return false
		}
	}
	if e.Message != 0 {
		if e.Message, ok = c.messages[e.Message]; !ok {
			return false
		}
	}
	if e.Call != "" {
		if e.Call, ok = c.call(e.Call); !ok {
			return false
		}
	}
	return true
}
