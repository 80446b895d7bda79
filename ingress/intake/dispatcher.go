// Package intake accepts the texts of users: it commits a message, a command or an answer as a row, and wakes the turn
// that is to handle it. Accepted means committed: a failed wake never fails an accepted row, the relay repeats it.
package intake

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/command"
	"xbot/internal/turn/engine"
	"xbot/internal/user/users"
)

// MaxTextBytes bounds one message.
const MaxTextBytes = 200_000

// MaxIDBytes bounds the id that a client gives a message.
const MaxIDBytes = 128

// Calls reads tool calls that wait for a user, and records the answers.
type Calls interface {
	AllowTurn(ctx context.Context, p calls.TurnPermit) (chat.Turn, error)
	Answer(ctx context.Context, a calls.Answer) (chat.ToolCall, error)
	AnswerAll(ctx context.Context, a calls.Answer) ([]chat.ToolCall, error)
	Call(ctx context.Context, id chat.CallID) (chat.Call, error)
	ShownAt(ctx context.Context, id chat.CallID, channel string, account string, at chat.Address) (bool, error)
	Waiting(ctx context.Context, a calls.Answer) (call chat.ToolCall, key chat.SessionKey, answered bool, err error)
}

// Conversations reads sessions.
type Conversations interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
}

// Inbox reports who wrote the messages of a conversation.
type Inbox interface {
	// WroteToTurn reports whether a user wrote a message that the running turn of a conversation answers; if none runs, whether they wrote
	// one that waits, or none waits.
	WroteToTurn(ctx context.Context, key chat.SessionKey, user chat.UserID) (bool, error)
	// OthersWrote reports whether another user wrote to the bot in a conversation, on a platform.
	OthersWrote(ctx context.Context, key chat.SessionKey, user chat.UserID) (bool, error)
}

// Turns runs the transactions of turns.
type Turns interface {
	Accept(ctx context.Context, in engine.NewRow) (engine.Accepted, error)
	AcceptBang(ctx context.Context, in engine.NewRow, command string) (engine.Accepted, error)
	// AcceptPair commits two in one transaction, the second behind the first.
	AcceptPair(ctx context.Context, first, second engine.NewRow) (a, b engine.Accepted, err error)
	// AcceptedBefore finds the accepted rows of a message that is delivered again. It returns Conflict if it was another one.
	AcceptedBefore(ctx context.Context, in engine.NewRow) (known engine.Accepted, found bool, err error)
	AnswerInWords(ctx context.Context, in engine.NewRow, a calls.Answer, notice string) (engine.Accepted, error)
	Busy(ctx context.Context, key chat.SessionKey) (bool, error)
	Command(ctx context.Context, in engine.NewRow, answer func(context.Context) (string, error)) (engine.Accepted, error)
	Delivered(ctx context.Context, in engine.NewRow) (known engine.Delivered, found bool, err error)
	EditWaiting(ctx context.Context, key chat.SessionKey, id chat.InboxID, text string) error
	OpenQuestion(ctx context.Context, key chat.SessionKey, user chat.UserID) (call chat.ToolCall, open bool, err error)
	RecallWaiting(ctx context.Context, key chat.SessionKey, id chat.InboxID) error
	Stop(ctx context.Context, in engine.NewRow, lang i18n.Lang) (engine.Stopped, error)
	StopTurn(ctx context.Context, in engine.NewRow, turn chat.TurnID) (runs bool, err error)
}

// Users reads users and their languages.
type Users interface {
	// Speaks returns the language for an answer to a command of a user in a conversation.
	Speaks(ctx context.Context, user chat.UserID, key chat.SessionKey, text string) (i18n.Lang, error)
	UserByID(ctx context.Context, user chat.UserID) (users.User, error)
}

// Dispatcher accepts messages and stops.
type Dispatcher struct {
	Calls Calls
	Turns Turns
	// Wakes wakes workflows without delaying the answer to the sender: the row is committed by then.
	Wakes    interface{ Wake(wakes ...chat.Wake) }
	Commands *Commands // nil: only /stop; everything else goes to the model
	Policies Policies  // how messages wait; nil: by the defaults of the store
	Judge    Judge     // of calls that users change; nil: none can be changed
	Clock    Clock     // nil: that of the machine

	debouncer debouncer
}

// Judge validates a call that a user has changed. Change returns nil if the arguments are the same as before.
type Judge interface {
	Change(ctx context.Context, call chat.Call, arguments json.RawMessage) (*chat.Change, error)
}

// Message is a message as a channel delivered it, from a user who may write to the session. Its Queue has the settings of
// the session; Dispatcher.Message sets the rest.
type Message struct {
	engine.NewRow
	ChatType    chat.ChatType // of the session
	UserName    string
	Lang        i18n.Lang       // of answers to commands; set by Dispatcher.Message
	Peer        chat.Peer       // the sender on a platform; empty where users sign in
	ChatSession chat.SessionKey // the own conversation of the chat it was written in, which may continue another one; empty where there is no chat
	// Before and After surround a message for the model: what it answers to, and the names of its files. They are no part of
	// a command.
	Before, After string
	// Wrote is the text that the user wrote if Text is only its meaning; empty: Text. It determines their language.
	Wrote string
	// Aside: the message does not mention the bot, in a chat in which the bot reads all messages.
	Aside bool
}

// TextForModel returns a text as the model reads it.
func (in Message) TextForModel(text string) string { return in.Before + text + in.After }

// Message accepts a message, carries out the command that it is, or takes it as the answer that a turn waits for.
func (d *Dispatcher) Message(ctx context.Context, in Message) (engine.Accepted, error) {
	if err := Check(in); err != nil {
		return engine.Accepted{}, err
	}
	in, err := d.ApplyResetPolicy(ctx, in)
	if err != nil {
		return engine.Accepted{}, err
	}
	in.Wrote = cmp.Or(in.Wrote, in.Text)
	if in.Text = command.Translate(in.Text); command.Word(in.Text) != "" && in.To != nil {
		return d.word(ctx, in)
	}
	return d.read(ctx, in)
}

// read carries out a text as the command, answer or message that it is.
func (d *Dispatcher) read(ctx context.Context, in Message) (engine.Accepted, error) {
	if as, resumes, err := d.resume(ctx, in); err != nil || resumes {
		if err != nil {
			return engine.Accepted{}, err
		}
		return d.accept(ctx, as)
	}
	r, err := d.Commands.Parse(ctx, in)
	if err != nil {
		return engine.Accepted{}, err
	}
	if got, taken, err := d.answerText(ctx, in, r); err != nil || taken {
		return got, err
	}
	return d.execute(ctx, in, r)
}

// speaks returns the language in which a command is answered.
func (d *Dispatcher) speaks(ctx context.Context, in Message) (i18n.Lang, error) {
	if d.Commands == nil {
		return i18n.LanguageHints{Text: cmp.Or(in.Wrote, in.Text)}.Lang(), nil
	}
	return d.Commands.people.Users.Speaks(ctx, in.User, in.Session, cmp.Or(in.Wrote, in.Text))
}

// bang accepts a bang command and has it carried out outside the conversation.
func (d *Dispatcher) bang(ctx context.Context, in Message, cmd string) (engine.Accepted, error) {
	got, err := d.Turns.AcceptBang(ctx, in.NewRow, cmd)
	if err == nil {
		d.Wakes.Wake(chat.Wake{Kind: chat.WakeBang, ID: strconv.FormatInt(int64(got.ID), 10)})
	}
	return got, err
}

// Stop stops the running turn of a session and clears its queue.
func (d *Dispatcher) Stop(ctx context.Context, in Message) (engine.Stopped, error) {
	var err error
	if in.Lang, err = d.speaks(ctx, in); err != nil {
		return engine.Stopped{}, err
	}
	return d.stop(ctx, in)
}

func (d *Dispatcher) stop(ctx context.Context, in Message) (engine.Stopped, error) {
	got, err := d.Turns.Stop(ctx, in.NewRow, in.Lang)
	if err == nil && got.Turn != "" {
		d.wake(in, false)
	}
	return got, err
}

// StopTurn stops one turn of a session, if it runs, and nothing that waits behind it. The same id stops it once.
func (d *Dispatcher) StopTurn(ctx context.Context, in Message, turn chat.TurnID) (runs bool, err error) {
	if runs, err = d.Turns.StopTurn(ctx, in.NewRow, turn); err == nil && runs {
		d.wake(in, false)
	}
	return runs, err
}

// Close leaves the bursts that are not over to the relay.
func (d *Dispatcher) Close() { d.debouncer.close() }

// wake wakes the turn of a session. idle: its commit saw no turn, and no message before it.
func (d *Dispatcher) wake(in Message, idle bool) {
	d.Wakes.Wake(chat.Wake{Kind: chat.WakeTurn, ID: string(in.Session), Channel: in.Channel, User: in.User, UserName: in.UserName, Text: in.Text, Idle: idle})
}

// fetch has the files of a message fetched.
func (d *Dispatcher) fetch(id chat.InboxID) {
	d.Wakes.Wake(chat.Wake{Kind: chat.WakeFetch, ID: strconv.FormatInt(int64(id), 10)})
}

// Check refuses a message that cannot be answered.
func Check(in Message) error {
	switch {
	case in.PlatformID == "" || len(in.PlatformID) > MaxIDBytes:
		return fault.Errorf(fault.Invalid, "client_message_id must have between 1 and %d bytes", MaxIDBytes)
	case chat.Clean(in.PlatformID) != in.PlatformID:
		return fault.Errorf(fault.Invalid, "client_message_id must be valid UTF-8 without NUL")
	}
	return checkText(in.Text)
}

func checkText(text string) error {
	switch {
	case len(text) > MaxTextBytes:
		return fault.Errorf(fault.TooLarge, "the message has %d bytes; at most %d are accepted", len(text), MaxTextBytes)
	case len(chat.Clean(text)) == 0:
		return fault.Errorf(fault.Invalid, "the message is empty")
	}
	return nil
}
