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

// Bounds of what is kept of a turn: an agent writes what it likes.
const (
	maxText    = 200_000 // bytes of an answer
	maxThought = 100_000 // bytes of what it thought and did before
)

// Inquiring is the tool by which people are asked.
const Inquiring = "AskUser"

// told is what an agent has said since the last question to a person, as far as it is to be kept.
type told struct {
	ask     Ask
	round   int
	known   map[string]chat.ToolCall // by which people were asked, by what their answers belong to
	behind  map[string]bool          // those of them that the log has not come to yet; what stands before is kept already
	replies []reply
	asks    *codingagent.Request
	thread  string
	taken   bool // the agent has what it was asked
	kept    bool // the thread is written down
	usage   codingagent.Usage

	speech
	text    strings.Builder
	thought strings.Builder
	did     []string        // the newest works, for models that answer later
	works   map[string]bool // that are shown already
}

// speech is where the agent is in what it says.
type speech struct {
	spoke   bool             // it has said something since the last answer of a person; before, its last message stands with the question
	before  codingagent.Text // the message before that answer, as it was kept with the question
	message string           // whose text is being written
}

// reply is an answer that is to be given to the agent.
type reply struct {
	request string
	answer  codingagent.Answer
}

func newTold(ask Ask, run codingagent.Run, known map[string]chat.ToolCall) told {
	t := told{ask: ask, round: run.Round, known: known, behind: map[string]bool{}, works: map[string]bool{}}
	for id := range known {
		t.behind[id] = true
	}
	return t
}

// wakes reports whether somebody has to act on what was said.
func (t *told) wakes() bool { return t.asks != nil || len(t.replies) > 0 || t.fresh() }

// fresh reports whether there is a thread to write down: one that was given something, and so can be gone on with.
func (t *told) fresh() bool { return t.thread != "" && t.taken && !t.kept }

func (t *told) take(e codingagent.Event) {
	if t.asks != nil {
		return // it waits; what comes beside is read again by the step that goes on
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

// live reports whether what is said is new to people.
func (t *told) live() bool { return len(t.behind) == 0 && t.ask.Sink != nil }

// write takes a piece of a message. One that another follows was no answer, but what the agent said on its way.
func (t *told) write(e codingagent.Text) {
	if e.Done && !t.spoke && e.Message == t.before.Message && e.Whole == t.before.Whole {
		return // closed only now
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

func (t *told) show(piece string) {
	if t.live() && piece != "" {
		t.ask.Sink.Text(piece)
	}
}

func (t *told) think(piece string) {
	t.note(piece)
	if t.live() {
		t.ask.Sink.Reasoning(piece)
	}
}

// note keeps what is no answer.
func (t *told) note(piece string) {
	if t.thought.Len()+len(piece) <= maxThought {
		t.thought.WriteString(piece)
	}
}

// work shows what the agent does: once when it begins, and again where it fails.
func (t *told) work(e codingagent.Work) {
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

// maxDeeds is how many works a model is told of that answers later; each is a line of at most 200 characters and names.
const maxDeeds = 40

// maxWorks bounds the works that are told apart.
const maxWorks = 10_000

// request takes what the agent wants to know. What a person has answered is answered, what nobody may be asked is declined.
func (t *told) request(r codingagent.Request) {
	id := t.name(r)
	call, known := t.known[id]
	if known {
		delete(t.behind, id)
		t.before = codingagent.Text{Message: t.message, Whole: t.text.String()}
		t.text.Reset() // it is kept with the question
		t.thought.Reset()
		t.message, t.did, t.spoke = "", nil, false
	}
	switch {
	case known && call.Approval != nil:
		t.replies = append(t.replies, reply{r.ID, answered(r, *call.Approval)})
	case !t.ask.Inquires || !askable(r):
		if r.Approval != nil {
			t.think("\n✗ " + codingagent.Title(r.Approval.Title) + "\n")
		}
		t.replies = append(t.replies, reply{r.ID, codingagent.Answer{Declined: true}})
	default: // nobody was asked yet, or the question was taken back before anybody saw it
		t.asks = &r
	}
}

func roundOf(round int) string { return "agent." + strconv.Itoa(round) + "." }

// name is by what the answer to a request is found again.
func (t *told) name(r codingagent.Request) string {
	sum := sha256.Sum256([]byte(r.ID))
	return roundOf(t.round) + hex.EncodeToString(sum[:12])
}

// soFar is what was said until now.
func (t *told) soFar() llm.Answer {
	return llm.Answer{
		Text: t.text.String(), Reasoning: strings.TrimSpace(t.thought.String()), Finish: llm.FinishStop,
		Opaque: deeds(t.ask.Settings.Agent, t.did...),
	}
}

// answer is what the turn comes to.
func (t *told) answer(reply string) llm.Answer {
	out := t.soFar()
	if reply != "" && (t.spoke || len(t.known) == 0) {
		out.Text = clip(reply, maxText)
	}
	return out
}

// question is the answer of a step that asks a person.
func (t *told) question(lang i18n.Lang) llm.Answer {
	out := t.soFar()
	arguments, _ := json.Marshal(inquiry(t.ask.Settings.Agent, *t.asks, lang)) // plain values
	out.ToolCalls = []llm.ToolCall{{ID: t.name(*t.asks), Name: Inquiring, Arguments: string(arguments)}}
	out.Finish = llm.FinishToolCalls
	return out
}

// deeds writes down what an agent did; nothing, where it did nothing.
func deeds(agent string, did ...string) json.RawMessage {
	if len(did) == 0 {
		return nil
	}
	return codingagent.Encode(chat.Deeds{Agent: agent, Did: did})
}

// clip bounds a text, in whole characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
