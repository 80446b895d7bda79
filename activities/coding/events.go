package coding

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/i18n"
	"xbot/internal/llm"
)

// Limits of the text that a turn stores.
const (
	maxText    = 200_000 // bytes of an answer
	maxThought = 100_000 // bytes of reasoning, earlier messages and works
)

// Inquiring is the name of the tool that asks a user.
const Inquiring = "AskUser"

// eventRecorder collects the events of an agent since the last question to a user, for the message that stores them.
type eventRecorder struct {
	ask     Ask
	round   int
	known   map[string]chat.ToolCall // calls of Inquiring, by the name of their request
	behind  map[string]bool          // those whose request is still to come in the log; events before it are stored already
	replies []reply
	asks    *codingagent.Request
	thread  string
	taken   bool // the agent has the text of the turn
	kept    bool // the thread is stored
	usage   codingagent.Usage

	speech
	text    strings.Builder
	thought strings.Builder
	did     []string        // the newest works, for models that answer later
	works   map[string]bool // works that were shown
}

// speech is the position in the messages of the agent.
type speech struct {
	spoke   bool             // a message has begun since the last answer of a user; the one before is stored with the question
	before  codingagent.Text // the message that was stored with the question
	message string           // id of the message that is being written

	deserted bool // the newest question was closed because the agent had ended
}

// reply is an answer for the agent.
type reply struct {
	request string
	answer  codingagent.Answer
}

func newEventRecorder(ask Ask, run codingagent.Run, known map[string]chat.ToolCall) eventRecorder {
	t := eventRecorder{ask: ask, round: run.Round, known: known, behind: map[string]bool{}, works: map[string]bool{}}
	for id := range known {
		t.behind[id] = true
	}
	return t
}

// wakes reports whether the follower has something to do.
func (t *eventRecorder) wakes() bool { return t.asks != nil || len(t.replies) > 0 || t.fresh() }

// fresh reports whether there is a thread to store: one that has the text of a turn, so that later turns can resume it.
func (t *eventRecorder) fresh() bool { return t.thread != "" && t.taken && !t.kept }

func (t *eventRecorder) take(e codingagent.Event) {
	if t.asks != nil {
		return // the step that follows reads the rest of the log again
	}
	switch e := e.(type) {
	case codingagent.Thread:
		if codingagent.IsThread(e.ID) {
			t.thread = e.ID
		}
	case codingagent.Taken:
		t.taken = true
	case codingagent.Usage:
		t.usage = e
	case codingagent.Text:
		t.write(e)
	case codingagent.Thought:
		t.think(e.Delta)
	case codingagent.Work:
		t.work(e)
	case codingagent.Request:
		t.request(e)
	}
}

// live reports whether events are new, and are shown to users.
func (t *eventRecorder) live() bool { return len(t.behind) == 0 && t.ask.Sink != nil }

// write takes a piece of a message. A message that another one follows becomes reasoning: only the last one is the answer.
func (t *eventRecorder) write(e codingagent.Text) {
	if e.Done && !t.spoke && e.Message == t.before.Message && e.Whole == t.before.Whole {
		return // the end of the message that was stored with the question
	}
	t.spoke = t.spoke || e.Delta != "" || e.Whole != ""
	if e.Message != t.message && t.text.Len() > 0 {
		t.note("\n" + t.text.String() + "\n")
		t.text.Reset()
		t.show("\n\n")
	}
	t.message = e.Message
	if e.Done {
		shown := t.text.String()
		if rest, ok := strings.CutPrefix(e.Whole, shown); ok {
			t.show(rest)
		}
		t.text.Reset()
		t.text.WriteString(clip(e.Whole, maxText))
		return
	}
	if t.text.Len()+len(e.Delta) <= maxText {
		t.text.WriteString(e.Delta)
		t.show(e.Delta)
	}
}

func (t *eventRecorder) show(piece string) {
	if t.live() && piece != "" {
		t.ask.Sink.Text(piece)
	}
}

func (t *eventRecorder) think(piece string) {
	t.note(piece)
	if t.live() {
		t.ask.Sink.Reasoning(piece)
	}
}

// note adds to the reasoning.
func (t *eventRecorder) note(piece string) {
	if t.thought.Len()+len(piece) <= maxThought {
		t.thought.WriteString(piece)
	}
}

// work shows a work of the agent when it begins, and again if it fails.
func (t *eventRecorder) work(e codingagent.Work) {
	sign := "› "
	switch {
	case e.Done && e.Failed:
		sign = "✗ "
	case t.works[e.ID]:
		return
	}
	if len(t.works) < maxWorks {
		t.works[e.ID] = true
	}
	line := "\n" + sign + e.Title
	if len(e.Files) > 0 && !strings.Contains(e.Title, e.Files[0]) {
		line += " " + strings.Join(e.Files, ", ")
	}
	t.think(line + "\n")
	t.did = append(t.did[max(0, len(t.did)+1-maxDeeds):], strings.TrimSpace(line))
}

// maxDeeds is the number of works that are stored for models that answer later; each is a line of at most 200 characters and file names.
const maxDeeds = 40

// maxWorks limits the works that are remembered as shown.
const maxWorks = 10_000

// request handles a request of the agent: it replies with the answer of a user, declines what may not be asked, or opens a question.
func (t *eventRecorder) request(r codingagent.Request) {
	id := t.name(r)
	call, known := t.known[id]
	if known {
		delete(t.behind, id)
		t.before = codingagent.Text{Message: t.message, Whole: t.text.String()}
		t.text.Reset() // stored with the question
		t.thought.Reset()
		t.message, t.did, t.spoke = "", nil, false
	}
	switch {
	case known && call.Approval != nil:
		t.deserted = call.Approval.AgentEnded()
		t.replies = append(t.replies, reply{r.ID, answered(r, *call.Approval)})
	case !t.ask.Inquires || !askable(r):
		if r.Approval != nil {
			t.think("\n✗ " + codingagent.Title(r.Approval.Title) + "\n")
		}
		t.replies = append(t.replies, reply{r.ID, codingagent.Answer{Declined: true}})
	default: // no call asks it yet
		t.asks = &r
	}
}

func roundOf(round int) string { return "agent." + strconv.Itoa(round) + "." }

// name identifies a request, as the provider id of the call that asks it.
func (t *eventRecorder) name(r codingagent.Request) string {
	sum := sha256.Sum256([]byte(r.ID))
	return roundOf(t.round) + hex.EncodeToString(sum[:12])
}

// soFar returns the answer up to now.
func (t *eventRecorder) soFar() llm.Answer {
	return llm.Answer{
		Text: t.text.String(), Reasoning: strings.TrimSpace(t.thought.String()), Finish: llm.FinishStop,
		Opaque: deeds(t.ask.Settings.Agent, t.did...),
	}
}

// answer returns the answer of the turn; reply is the last message as the agent repeats it at the end.
func (t *eventRecorder) answer(reply string) llm.Answer {
	out := t.soFar()
	if reply != "" && (t.spoke || len(t.known) == 0) {
		out.Text = clip(reply, maxText)
	}
	return out
}

// question returns the answer of a step that asks a user.
func (t *eventRecorder) question(lang i18n.Lang) llm.Answer {
	out := t.soFar()
	arguments, _ := json.Marshal(inquiry(t.ask.Settings.Agent, *t.asks, lang)) // plain values
	out.ToolCalls = []llm.ToolCall{{ID: t.name(*t.asks), Name: Inquiring, Arguments: string(arguments)}}
	out.Finish = llm.FinishToolCalls
	return out
}

// deeds encodes works of an agent; nil if there are none.
func deeds(agent string, did ...string) json.RawMessage {
	if len(did) == 0 {
		return nil
	}
	return codingagent.Encode(chat.Deeds{Agent: agent, Did: did})
}

// clip cuts a text to a number of bytes, between characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
