package chat

import "time"

// ControlID numbers control records. Within a session a larger id is a later record.
type ControlID int64

// ControlKind is the kind of a control record.
type ControlKind string

// The kinds, one per layer of the context (history is append-only).
const (
	ControlMask    ControlKind = "mask"    // results of calls are shown as placeholders
	ControlCompact ControlKind = "compact" // a summary replaces the beginning of the conversation
	ControlEdit    ControlKind = "edit"    // the model removed or changed a part of its context
	ControlStale   ControlKind = "stale"   // an offloaded file has changed since it was read
	ControlRewind  ControlKind = "rewind"  // messages were removed from the conversation
	ControlUndo    ControlKind = "undo"    // an edit does not apply any more
	ControlReset   ControlKind = "reset"   // the conversation starts over
)

// Control is a record that changes the model's view of a conversation. The messages it is about stay unchanged. One of the pointers is set,
// that of its kind.
type Control struct {
	ID        ControlID   `json:"-"`
	Kind      ControlKind `json:"-"`
	Message   MessageID   `json:"-"` // the newest message it is about; of a compaction the last one that the summary replaces
	Turn      TurnID      `json:"-"` // the turn it was made in; empty outside of turns
	Key       string      `json:"-"` // unique in the session where it is not empty: a repeated activity adds no second record
	CreatedAt time.Time   `json:"-"`

	Masks      []Mask      `json:"masks,omitempty"`
	Compaction *Compaction `json:"compaction,omitempty"`
	Edit       *Edit       `json:"edit,omitempty"`
	Stale      *Stale      `json:"stale,omitempty"`
	Rewind     *Rewind     `json:"rewind,omitempty"`
	Undo       ControlID   `json:"undo,omitempty"`
	By         ControlID   `json:"by,omitempty"` // of an undo: the rewind that voided the edit; 0: a user undid it
	Reset      *Reset      `json:"reset,omitempty"`
}

// Mask hides the result of one call behind a placeholder.
type Mask struct {
	ID      string    `json:"id"` // mk_ and hexadecimal digits, unique in the session
	Message MessageID `json:"message"`
	Call    CallID    `json:"call"`
	Text    string    `json:"text"`  // the placeholder
	Bytes   int       `json:"bytes"` // size of the hidden text
}

// Triggers of a compression.
const (
	TriggerAuto     = "auto"     // 75 % of the context window are in use
	TriggerTooLong  = "too_long" // the provider refused the input
	TriggerExceeded = "exceeded" // the answer ran into the end of the context window
	TriggerManual   = "manual"   // a user asked, with /compact
)

// Origins of the summary of a compaction.
const (
	CompactedByModel = "model"   // written by a model and checked
	CompactedByRule  = "extract" // taken from the messages by rule, since no model wrote a usable one
)

// Compaction is a summary that replaces everything up to Control.Message.
type Compaction struct {
	Summary      string    `json:"summary"`
	Trigger      string    `json:"trigger"`
	Focus        string    `json:"focus,omitempty"` // the focus that a user asked for
	Method       string    `json:"method"`
	Previous     ControlID `json:"previous,omitempty"` // the compaction it builds on
	Model        string    `json:"model,omitempty"`
	Usage        Usage     `json:"usage"`
	TokensBefore int       `json:"tokens_before"` // of the whole request, estimated
	TokensAfter  int       `json:"tokens_after"`
	// StartedAt is nil in a record from before it was recorded.
	StartedAt *time.Time `json:"started_at,omitempty"`
}

// Actions of an edit.
const (
	EditDeleteTurn = "delete_turn"
	EditDelete     = "delete"
	EditTruncate   = "truncate"
	EditReplace    = "replace"
)

// Edit changes one message, one result or one turn as the model sees it.
type Edit struct {
	Action   string    `json:"action"`
	Turn     TurnID    `json:"turn,omitempty"`    // for delete_turn
	Message  MessageID `json:"message,omitempty"` // for the others
	Call     CallID    `json:"call,omitempty"`    // the result of this call and not the text of the message
	MaxChars int       `json:"max_chars,omitempty"`
	Old      string    `json:"old,omitempty"`
	New      string    `json:"new,omitempty"`
	Regex    bool      `json:"regex,omitempty"` // Old is an RE2 expression and New may hold $1
	Reason   string    `json:"reason,omitempty"`
}

// Stale marks a file that differs from the content of an offloaded result.
type Stale struct {
	Offload string `json:"offload"`
	Call    CallID `json:"call"`
	Path    string `json:"path"`
	Missing bool   `json:"missing,omitempty"` // the file is gone
}

// Rewind removed all messages from one on, as of then, from the conversation.
type Rewind struct {
	From MessageID `json:"from"`
	Back ControlID `json:"back,omitempty"` // the record whose messages were restored in their place; 0: none were
}

// Window is the input of a request to a model: the conversation since its last compaction, and the records that change how it is shown.
type Window struct {
	Session    SessionKey
	Compaction *Control // nil: none
	Asked      *Line    // the question of the turn in whose middle Lines begin; nil: they begin with a message of a user
	Lines      []Line   // after the compaction, oldest first, without rewound ones
	Controls   []Control
	Upto       ControlID // the newest record of the session
	Counted    ControlID // the newest one when the last answer was made; -1: no answer counted the current conversation
	Mode       string    // chosen for the session: one of Context*; empty: the installation's setting

	Answered Answered // the newest answer

	Pictures map[string]Picture // the shown ones, by hash

	// Content of reminders.
	Todos []Todo
	Tasks []Task // the running ones, only with their id and the beginning of their command

	Refusals Refusals
}

// Answered is how the newest answer of a conversation was requested. The zero value: there is none.
type Answered struct {
	At         time.Time
	Model      string
	Fill       float64   // as in Sent
	PrunedUpto MessageID // as in Sent
}

// Last returns the id of the newest message.
func (w Window) Last() MessageID {
	if n := len(w.Lines); n > 0 {
		return w.Lines[n-1].Message.ID
	}
	if w.Compaction != nil {
		return w.Compaction.Message
	}
	return 0
}

// Sent is the input of the request of a step besides its system prompt and tools, so that the request can be rebuilt.
type Sent struct {
	ControlUpto ControlID // the newest control record that was applied
	Compaction  ControlID // 0: none
	MessageUpto MessageID // the newest message
	Reminder    string    // text at the end, for this request only
	Fill        float64   // how full the context was, as part of the window, when results were pruned; 0: none were
	PrunedUpto  MessageID // the newest message considered for pruning; later ones stayed whole. 0: all of them
	// PicturesFrom is the first message whose pictures were shown; 0: none were.
	PicturesFrom MessageID
	// PicturesSkipped is how many of the first pictures of that message were left out: they exceeded the limit of a request.
	PicturesSkipped int
	Hash            []byte // SHA-256 of the whole request
	Bytes           int    // of all its texts
	Tokens          int    // expected token count of the provider
}

// SentStep is a finished step, with the full input of its request.
type SentStep struct {
	Sent

	Window Window // as of the step
	System string // system prompt of the turn; empty: not stored separately from Static
	Static string // system prompt and tools as sent; empty: not sent
	Model  string
	Usage  Usage // as reported by the provider; zero if the step ended without an answer
}

// Offload is a result that is too large for the conversation: the model sees Summary, which names ID.
type Offload struct {
	ID      string // ol_ and hexadecimal digits, unique in the root session
	Summary string
	Body    string
	Tool    string
	File    *FileState // the file that the body shows; nil otherwise
}

// FileState is the state of a file when it was read.
type FileState struct {
	Path   string
	Runner string // resolved name
	Size   int64
	Time   time.Time
	Hash   []byte // SHA-256 of its content
}

// OffloadedFile is an offloaded result that shows a file.
type OffloadedFile struct {
	ID   string // of the offload
	User UserID // owner of the session
	File FileState
}

// OffloadEntry is the one-line description of an offload for the list of recallable ones.
type OffloadEntry struct {
	ID    string
	Tool  string
	Path  string // of the file that it shows; empty otherwise
	Bytes int
}

// Note is a file of the model's long-term memory about a user.
type Note struct {
	Path      string    `json:"path"`
	Content   string    `json:"content"`
	UpdatedAt time.Time `json:"updated_at"`
}

// The context modes of a session.
const (
	ContextDefault = "default" // all layers
	ContextNone    = "none"    // nothing is masked or compressed unless a user asks
)

// PicturesOf returns the hashes of the pictures in the messages of a window from one message on, without the first skipped ones, each once;
// from 0: none. They may be more than are shown, if results were hidden since.
func (w Window) PicturesOf(from MessageID, skipped int) []string {
	var out []string
	if from == 0 {
		return nil
	}
	seen := map[string]bool{}
	for _, l := range w.Lines {
		if l.Message.ID < from {
			continue
		}
		refs := l.Message.AllPictures()
		if l.Message.ID == from {
			refs = refs[min(skipped, len(refs)):]
		}
		for _, r := range refs {
			if !seen[r.Hash] {
				seen[r.Hash] = true
				out = append(out, r.Hash)
			}
		}
	}
	return out
}
