package tui

import (
	"context"
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/story"
	"xbot/internal/client/cli/text"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/question"
)

// ReadAnswer reads a user's answer to the question whether a call may run: y or n, with a note behind it if they like, y with other arguments, a for
// always, or a bare yes or no. Nothing else is an answer, so that a message is never taken for one.
func ReadAnswer(typed string) (answer apiclient.Answer, ok bool) {
	word, note, _ := strings.Cut(strings.TrimSpace(typed), " ")
	note = strings.TrimSpace(note)
	switch word = strings.ToLower(word); {
	case word == "y" && strings.HasPrefix(note, "{"):
		return apiclient.Answer{Decision: apiclient.Allow, Arguments: asJSON(note)}, true
	case word == "y", word == "yes" && note == "":
		return apiclient.Answer{Decision: apiclient.Allow, Note: note}, true
	case word == "n", word == "no" && note == "":
		return apiclient.Answer{Decision: apiclient.Deny, Note: note}, true
	case (word == "a" || word == "always") && note == "":
		return apiclient.Answer{Decision: apiclient.Allow, Always: true}, true
	}
	switch allow, bare := question.YesOrNo(typed); {
	case bare && allow:
		return apiclient.Answer{Decision: apiclient.Allow}, true
	case bare:
		return apiclient.Answer{Decision: apiclient.Deny}, true
	}
	return apiclient.Answer{}, false
}

// ReadPlanAnswer reads what a user types to a plan: as ReadAnswer, in a word more, y with the steps that it is to have below it, a line
// each, or what should be different, with which it is sent back. A slash command is no answer.
func ReadPlanAnswer(plan chat.Plan, typed string) (answer apiclient.Answer, ok bool) {
	typed = strings.TrimSpace(typed)
	if word, steps, more := strings.Cut(typed, "\n"); more && strings.EqualFold(strings.TrimSpace(word), "y") {
		plan.Steps = question.ReadSteps(steps)
		edited, err := json.Marshal(plan)
		return apiclient.Answer{Decision: apiclient.Allow, Arguments: edited}, err == nil
	}
	if answer, ok = ReadAnswer(typed); ok && !answer.Always {
		return answer, true
	}
	if typed == "" || command.Slashed(typed) {
		return apiclient.Answer{}, false
	}
	return apiclient.Answer{Decision: apiclient.Deny, Note: typed}, true
}

// asJSON returns a text that is to be JSON. One that is none becomes a JSON string, which the server refuses with a sentence.
func asJSON(text string) json.RawMessage {
	if raw := json.RawMessage(text); json.Valid(raw) {
		return raw
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage("null") // it cannot happen to a string
	}
	return quoted
}

// answer sends what was typed as the answer to the open question; done is false when it is none.
func (m *model) answer(typed string) (cmd tea.Cmd, done bool) {
	asking := m.story.Asking()
	if asking == nil {
		return nil, false
	}
	answer, ok := ReadAnswer(typed)
	if plan := asking.Approval.Plan; plan != nil {
		if strings.EqualFold(strings.TrimSpace(typed), "e") {
			m.setInput("y\n" + question.Steps(*plan))
			return nil, true
		}
		answer, ok = ReadPlanAnswer(*plan, typed)
	}
	if asked := asking.Approval.Questions; len(asked) > 0 {
		if ok = !command.Slashed(typed); ok {
			answers, err := question.Read(asked, typed)
			if err != nil {
				m.complain(err.Error())
				return nil, true
			}
			answer = apiclient.Answer{Decision: apiclient.Allow, Answers: answers}
		}
	}
	if !ok {
		return nil, false
	}
	key, call := m.session.Key, asking.ID
	return request(m, func(ctx context.Context) (any, error) {
		return m.o.Client.AnswerApproval(ctx, key, call, answer)
	}, m.complaining("")), true
}

// questionLine returns how to answer the open question, and which call that answers: several may wait.
func (m *model) questionLine(call *story.Call) string {
	if asked := call.Approval.Questions; len(asked) > 0 {
		return "? " + question.How(i18n.English, asked) + " /deny declines · " + text.Line(call.Summary)
	}
	if call.Approval.Plan != nil {
		return strings.TrimSuffix("? y approves the plan · e edits its steps · n or what should be different sends it back · "+text.Line(call.Summary), " · ")
	}
	return strings.TrimSuffix("? May "+text.Line(call.Name)+" run?  "+HowToAnswer(call, " · ")+" · "+text.Line(call.Summary), " · ")
}

// HowToAnswer returns the words that answer the question whether a call may run.
func HowToAnswer(call *story.Call, between string) string {
	if call.Approval.Plan != nil {
		return "y approves the plan" + between + "y {\"steps\": [...]} changes it" + between + "n or what should be different sends it back"
	}
	how := "y allows" + between + "n [why] denies"
	if always := call.Approval.Always; len(always) > 0 {
		how += between + "a always allows " + text.Line(chat.InWords(always))
	}
	return how
}
