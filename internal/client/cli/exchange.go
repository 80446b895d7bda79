package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/mention"
	"xbot/internal/client/cli/story"
	"xbot/internal/client/cli/text"
	"xbot/internal/fault"
)

// restartAfter is how long the user's own server may be away before it is started again.
const restartAfter = 5 * time.Second

// ask is a question: the words of a user, in which @path names a file, and piped text, in which it names none.
type ask struct{ typed, piped string }

// exchange asks things in one session and follows the answers.
type exchange struct {
	conn    *connection
	notes   *notes
	session chat.Session
	shelf   chat.ListState // where a new session is kept
	story   *story.Story   // nil until the first question

	event func(chat.Event) error // gets every event, in order; may be nil
	// question is asked whether a call may run, once a call; known is false without an answer, and the exchange ends with the turn waiting. Nil:
	// there is never an answer.
	question func(*story.Call) (answer apiclient.Answer, known bool)
	asked    map[chat.CallID]bool            // questions that were answered here
	away     time.Time                       // since when the server is away; zero when it is not
	live     atomic.Pointer[chat.SessionKey] // set once the session exists, to stop its turn
	stopping atomic.Bool                     // the user has asked to stop
}

// outcome is how a question ended.
type outcome struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn_id,omitempty"`
	State   string          `json:"state"` // a chat.TurnState, or the outcome of a message that no turn took
	Text    string          `json:"text"`
	Notice  string          `json:"notice,omitempty"`
	Silent  bool            `json:"silent,omitempty"` // the model chose not to answer
	Steps   int             `json:"steps,omitempty"`
	Model   string          `json:"model,omitempty"`
	Usage   chat.Usage      `json:"usage"`
	// Questions are what the turn waits for answers to.
	Questions []chat.Inquiry `json:"questions,omitempty"`
	// Plan is what the turn waits for the approval of.
	Plan *chat.Plan `json:"plan,omitempty"`
}

func (o outcome) answered() bool { return o.State == string(chat.TurnDone) }

// ask sends a message and returns when its turn has ended. It waits for a server that is away, for as long as ctx. The
// message is sent once the feed is connected, so that nothing of the answer is missed.
func (e *exchange) ask(ctx context.Context, q ask) (outcome, error) {
	if err := e.begin(ctx); err != nil {
		return outcome{}, err
	}
	question, err := mention.Attach(ctx, e.conn.client, e.session.Key, q.typed)
	if err != nil {
		return outcome{}, err
	}
	question.Text = strings.TrimSpace(question.Text + "\n\n" + q.piped)
	var asked chat.InboxID
	for update := range e.conn.client.Watch(ctx, e.session.Key, e.story.Seq) {
		switch {
		case update.Lost != nil && update.Retry == 0:
			return outcome{}, update.Lost
		case update.Lost != nil:
			e.lost(ctx, update.Lost)
		case update.Hello != nil && update.Hello.Seq < e.story.Seq:
			return outcome{}, fault.Errorf(fault.Conflict, "the server knows less of this session than it told before; its data may have been restored from a backup")
		case update.Hello != nil && update.Hello.Gap && asked != 0:
			return outcome{}, fault.Errorf(fault.Conflict, "the connection was lost for so long that the server has not kept what it told meanwhile; read the conversation: xbot-cli --session %s", e.session.Key)
		case update.Hello != nil:
			e.back()
			e.story.Greet(*update.Hello)
			if asked == 0 {
				accepted, err := e.send(ctx, question)
				if err != nil {
					return outcome{}, err
				}
				asked = accepted.ID
			}
		default:
			if done, err := e.take(*update.Event, asked); err != nil || done != nil {
				return value(done), err
			}
			if done, err := e.permit(ctx, asked); err != nil || done != nil {
				return value(done), err
			}
		}
	}
	return outcome{}, context.Cause(ctx)
}

func (e *exchange) send(ctx context.Context, question mention.Message) (apiclient.Accepted, error) {
	waiting := func(err error, _ time.Duration) { e.lost(ctx, err) }
	accepted, err := e.conn.client.SendUntilAccepted(ctx, e.session.Key, rand.Text(), question.Text, waiting, question.Files...)
	if err == nil {
		e.back()
	}
	return accepted, err
}

func value(o *outcome) outcome {
	if o == nil {
		return outcome{}
	}
	return *o
}

// begin makes the session if it is new, and finds the place in its feed.
func (e *exchange) begin(ctx context.Context) (err error) {
	if e.story != nil {
		return nil
	}
	if e.session.Key == "" {
		where, err := e.conn.place.Of(ctx, e.session)
		if err != nil {
			return err
		}
		made := apiclient.NewTerminalSession(where.Cwd())
		made.Shelf = e.shelf
		if e.session, err = e.conn.client.CreateSession(ctx, made); err != nil {
			return err
		}
	}
	e.live.Store(new(e.session.Key))
	transcript, err := e.conn.client.ListMessages(ctx, e.session.Key, apiclient.ListMessagesParams{Limit: 1})
	if err != nil {
		return err
	}
	e.story = story.New(e.session, apiclient.Transcript{Seq: transcript.Seq})
	return nil
}

// take follows one event; the outcome is set when it ends the question.
func (e *exchange) take(event chat.Event, asked chat.InboxID) (*outcome, error) {
	if err := e.story.Apply(event); err != nil {
		return nil, err
	}
	if e.event != nil {
		if err := e.event(event); err != nil {
			return nil, err
		}
	}
	if event.Seq == 0 {
		return nil, nil
	}
	return e.ended(asked), nil
}

// stateWaiting is the state of an outcome whose turn waits for a user's permission.
const stateWaiting = "waiting"

// permit answers the question whether a call may run, if one is open in the turn of what was asked. Without an answer, the open question is the
// outcome.
func (e *exchange) permit(ctx context.Context, asked chat.InboxID) (*outcome, error) {
	call := e.story.Asking()
	if call == nil || e.asked[call.ID] || !e.claimed(asked) {
		return nil, nil
	}
	what := text.Line(call.Name + " " + call.Summary)
	if e.question != nil {
		if answer, known := e.question(call); known {
			return nil, e.answer(ctx, call, answer)
		}
	}
	if reason := text.Line(call.Approval.Reason); reason != "" {
		what += " (" + reason + ")"
	}
	out := outcome{Session: e.session.Key, Turn: e.story.Turn.ID, State: stateWaiting, Notice: what}
	if asked := call.Approval.Questions; len(asked) > 0 {
		out.Notice, out.Questions = "a question waits: "+text.Line(call.Summary), asked
	}
	out.Plan = call.Approval.Plan
	return &out, nil
}

// claimed reports whether the running turn is the one of a message.
func (e *exchange) claimed(asked chat.InboxID) bool {
	for _, entry := range e.story.Entries {
		if entry.Inbox == asked && asked != 0 {
			return e.story.Turn != nil && entry.Turn == e.story.Turn.ID
		}
	}
	return false
}

// answer sends an answer. A quicker answer of another client is reported, and is no error.
func (e *exchange) answer(ctx context.Context, call *story.Call, answer apiclient.Answer) error {
	if e.asked == nil {
		e.asked = map[chat.CallID]bool{}
	}
	e.asked[call.ID] = true
	_, err := e.conn.client.AnswerApproval(ctx, e.session.Key, call.ID, answer)
	switch kind := fault.KindOf(err); {
	case kind == fault.Conflict:
		e.notes.say("xbot-cli: %s", err)
		return nil
	case len(answer.Arguments) > 0 && (kind == fault.Invalid || kind == fault.Denied || kind == fault.TooLarge):
		e.notes.say("xbot-cli: %s", err)
		delete(e.asked, call.ID) // it continues to wait, and is asked about again
		return nil
	}
	return err
}

// ended returns how a question ended, nil while it has not.
func (e *exchange) ended(asked chat.InboxID) *outcome {
	var turn chat.TurnID
	for _, entry := range e.story.Entries {
		if entry.Inbox != asked || asked == 0 {
			continue
		}
		if entry.Origin == chat.OriginCommand {
			return e.carriedOut(entry)
		}
		if entry.Kind == story.Notice { // it was dropped
			return &outcome{Session: e.session.Key, State: entry.Outcome, Notice: entry.Content}
		}
		turn = entry.Turn
	}
	done := e.story.Ends[turn]
	if turn == "" || done == nil {
		return nil
	}
	o := &outcome{
		Session: e.session.Key, Turn: turn, State: string(done.State), Steps: done.Steps, Model: done.Model, Usage: done.Usage,
	}
	for _, entry := range e.story.Entries {
		switch {
		case entry.Turn != turn:
		case entry.Kind == story.Notice:
			o.Notice = entry.Content
		case entry.Silent:
			o.Text, o.Silent = "", true
		case entry.Kind == story.Assistant && len(entry.Calls) == 0:
			o.Text, o.Silent = entry.Content, false
		}
	}
	return o
}

// carriedOut returns the answer of a command, nil while there is none. Others may be answered before it. A command that
// had a turn may also end without one: it was stopped, or it failed.
func (e *exchange) carriedOut(command *story.Entry) *outcome {
	notice := ""
	for _, entry := range e.story.Entries {
		switch {
		case entry.Kind != story.Notice:
		case entry.Inbox == command.Inbox:
			return &outcome{Session: e.session.Key, State: string(chat.TurnDone), Text: entry.Content}
		case command.Turn != "" && entry.Turn == command.Turn && entry.Origin == "":
			notice = entry.Content
		}
	}
	if done := e.story.Ends[command.Turn]; done != nil {
		return &outcome{Session: e.session.Key, Turn: done.ID, State: string(done.State), Notice: notice}
	}
	return nil
}

// lost records that the server is away, and starts the user's own one again when that lasts.
func (e *exchange) lost(ctx context.Context, err error) {
	if e.away.IsZero() {
		e.away = time.Now()
	}
	e.notes.progress("The server is away (" + err.Error() + "); waiting for it")
	if e.conn.own == nil || time.Since(e.away) < restartAfter {
		return
	}
	if err := e.conn.own.Ensure(ctx, e.notes.progress); err != nil && !errors.Is(err, context.Cause(ctx)) {
		e.notes.say("xbot-cli: %s", err)
		e.away = time.Now() // not again at once
	}
}

func (e *exchange) back() {
	if !e.away.IsZero() {
		e.notes.clear()
		e.notes.detail("The server is back after %s.", text.Lasted(time.Since(e.away)))
		e.away = time.Time{}
	}
}

// stop asks the server to stop the turn of the question; found is false while nothing has been sent.
func (e *exchange) stop(ctx context.Context) (found bool) {
	key := e.live.Load()
	if key == nil {
		return false
	}
	e.stopping.Store(true)
	e.notes.detail("Stopping; Ctrl-C again leaves.")
	if err := stopTurn(ctx, e.conn.client, *key); err != nil && ctx.Err() == nil {
		e.notes.say("xbot-cli: stop: %s", err)
	}
	return true
}
