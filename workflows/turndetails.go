package workflows

import (
	"strconv"
	"strings"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/turn"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// detailLines bounds the details that an operator sees of a turn; older lines are left out.
const detailLines = 30

// turnDetails is the turn as an operator reads it in the Temporal UI: a heading and a list of steps, kept as the current details of the run. What
// users, models and providers wrote in it is no Markdown. It costs no event. A list and not a table, since the UI does not draw tables.
type turnDetails struct {
	head  string
	lines []string
	now   string
	waits []*wait
	left  int // lines that were left out
	token int
	steps int
}

func (s *turnDetails) begin(ctx workflow.Context, session chat.SessionKey, c turn.ClaimOutput) {
	s.head = "**" + markdown.Escaped(strings.Join(nonempty(c.Channel, c.User, c.Words), " · ")) + "** · [conversation](" + ConversationPath(session) + ")"
	s.show(ctx, "claimed message "+strconv.FormatInt(int64(c.Inbox), 10))
}

func (s *turnDetails) stepStarted(ctx workflow.Context, step int) {
	s.show(ctx, "step "+strconv.Itoa(step+1)+": the model thinks")
}

// providerAway returns the wait for a provider: since when and why.
func providerAway(ctx workflow.Context, why string) wait {
	since := workflow.Now(ctx).UTC().Format("2006-01-02 15:04:05 MST")
	return wait{WaitsModel, "the model provider, which cannot be reached (" + why + "), since " + since +
		". It goes on by itself; the attempts of the pending activity say when it is asked again"}
}

// waitsFor returns the newest wait as AttrWaits has it.
func (s *turnDetails) waitsFor() string {
	if len(s.waits) == 0 {
		return ""
	}
	return s.waits[len(s.waits)-1].what
}

func (s *turnDetails) stepEnded(ctx workflow.Context, out turn.GenerateOutput) {
	s.token += out.Tokens
	s.steps++
	if out.Finish != "" {
		s.add("generate", strings.Join(nonempty(out.Finish, markdown.Escaped(out.Fault)), ": "), strconv.Itoa(out.Tokens)+" tokens")
		s.now = ""
	}
	s.show(ctx, "")
}

func (s *turnDetails) callStarted(ctx workflow.Context, c turn.CallOutput) {
	s.show(ctx, "runs "+markdown.Escaped(c.Name))
}

func (s *turnDetails) callEnded(ctx workflow.Context, c turn.CallOutput, failed bool) {
	state := "done"
	if failed {
		state = "error"
	}
	s.add(c.Name, state, c.Summary)
	s.show(ctx, "")
}

func (s *turnDetails) end(ctx workflow.Context, state chat.TurnState) {
	s.show(ctx, string(state)+", "+strconv.Itoa(s.token)+" tokens")
}

// ended shows how the turn ended, why, and its usage.
func (s *turnDetails) ended(ctx workflow.Context, r *TurnResult) {
	how := "**" + markdown.Escaped(strings.Join(nonempty(string(r.Outcome), r.Reason), ": ")) + "**"
	if r.Reason == string(r.Outcome) {
		how = "**" + markdown.Escaped(r.Reason) + "**"
	}
	cost := ""
	if r.CostUSD != nil {
		cost = "$" + strconv.FormatFloat(*r.CostUSD, 'f', 4, 64)
	}
	s.show(ctx, strings.Join(nonempty(how, meaning(r), strconv.FormatInt(r.Tokens, 10)+" tokens", cost, r.Model), " · "))
}

// meaning explains to an operator why a turn failed.
func meaning(r *TurnResult) string {
	if r.Outcome != chat.TurnFailed {
		return ""
	}
	switch r.Reason {
	case string(fault.Denied):
		return "the model provider refused the request: look at its key and its rights"
	case string(fault.RateLimited):
		return "the model provider had no room for the request"
	case string(fault.Unavailable):
		return "the model provider or a part of xbot could not be reached"
	case string(fault.TooLarge):
		return "the conversation did not fit into the model's context"
	case string(fault.Internal):
		return "a fault in xbot: the log of the worker names it"
	case activities.CrashedType:
		return "not retried, since worker processes crashed while it ran: xbot doctor and the log of the worker name the cause"
	case reasonLoop:
		return "the model repeated the same calls"
	case reasonStepLimit:
		return "the model needed more steps than are allowed"
	}
	return ""
}

func (s *turnDetails) add(what, state, detail string) {
	if len(s.lines) == detailLines {
		s.lines = s.lines[1:]
		s.left++
	}
	s.lines = append(s.lines, "- **"+markdown.Escaped(what)+"** · "+strings.Join(nonempty(state, markdown.Escaped(detail)), " · "))
}

func (s *turnDetails) show(ctx workflow.Context, now string) {
	if now != "" {
		s.now = now
	}
	text := []string{s.head, s.now}
	for _, w := range s.waits {
		text = append(text, "waiting for "+markdown.Escaped(w.say))
	}
	if len(s.lines) > 0 {
		text = append(text, strings.Join(s.lines, "\n"))
	}
	if s.left > 0 {
		text = append(text, strconv.Itoa(s.left)+" earlier lines are left out.")
	}
	workflow.SetCurrentDetails(ctx, strings.Join(text, "\n\n"))
}

func nonempty(parts ...string) []string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}

// description names the user of the turn and links its conversation, for the details of the runs that it starts.
func (t *turnRun) description() string {
	return strings.Join(nonempty(markdown.Escaped(t.claimed.User), "[conversation]("+ConversationPath(t.in.Session)+")"), " · ")
}
