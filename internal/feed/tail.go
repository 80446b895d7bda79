package feed

import (
	"unicode/utf8"

	"xbot/internal/chat"
)

// tailBytes bounds the output of a command that is published at once. Of a command that prints faster only the end of each span is shown:
// offsets reveal the gap, and the result has the output for the model.
const tailBytes = 8 << 10

// Tail publishes the output of a command. The caller must close it.
type Tail struct {
	pacer

	bus  *Bus
	key  chat.SessionKey
	next chat.Output // unpublished output, with the offset it starts at
}

// NewTail starts the output of a call, at its beginning.
func (b *Bus) NewTail(key chat.SessionKey, turn chat.TurnID, call chat.CallID) *Tail {
	t := &Tail{bus: b, key: key, next: chat.Output{Turn: turn, Call: call}}
	t.owner = t
	return t
}

// NewTaskTail starts the output of a background task, at an offset.
func (b *Bus) NewTaskTail(key chat.SessionKey, task chat.Task, turn chat.TurnID, offset int64) *Tail {
	t := b.NewTail(key, turn, task.Call)
	t.next.Task, t.next.Offset = task.ID, offset
	return t
}

// Print adds text that follows what was printed before.
func (t *Tail) Print(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next.Text += text
	if over := len(t.next.Text) - tailBytes; over > 0 {
		for over < len(t.next.Text) && !utf8.RuneStart(t.next.Text[over]) {
			over++
		}
		t.next.Text, t.next.Offset = t.next.Text[over:], t.next.Offset+int64(over)
	}
	t.schedule()
}

func (t *Tail) waits() bool { return t.next.Text != "" }

func (t *Tail) publish() {
	for t.waits() {
		piece := t.next
		piece.Text = cut(piece.Text, pieceBytes)
		t.bus.PublishOutput(t.key, piece)
		t.next.Offset += int64(len(piece.Text))
		t.next.Text = t.next.Text[len(piece.Text):]
	}
}
