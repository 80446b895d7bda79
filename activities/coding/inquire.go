package coding

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agents"
	"xbot/internal/codingagent/process"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
)

// inquiries is the arguments of a call of Inquiring.
type inquiries struct {
	Questions []inquiryQuestion `json:"questions"`
}

type inquiryQuestion struct {
	Question string   `json:"question"`
	Options  []option `json:"options,omitempty"`
	Multi    bool     `json:"multi_select,omitempty"`
	Other    bool     `json:"allow_other,omitempty"`
}

type option struct {
	Label string `json:"label"`
}

// askable reports whether a request can be shown to a user in full.
func askable(r codingagent.Request) bool {
	return r.Approval != nil && r.Approval.Whole() || len(r.Questions) > 0 && len(r.Questions) <= chat.MaxInquiries
}

// inquiry returns the questions for a request of an agent.
func inquiry(agent string, r codingagent.Request, lang i18n.Lang) inquiries {
	if a := r.Approval; a != nil {
		said := slices.DeleteFunc([]string{i18n.Say(lang, i18n.AgentAsks, agent, a.Title), a.Dir, a.Reason}, func(line string) bool { return line == "" })
		text := strings.Join(said, "\n")
		return inquiries{[]inquiryQuestion{{Question: short(text, chat.MaxInquiryText), Options: []option{
			{i18n.Say(lang, i18n.AgentAllow)}, {i18n.Say(lang, i18n.AgentAlways)}, {i18n.Say(lang, i18n.AgentRefuse)},
		}}}}
	}
	var out inquiries
	for _, q := range r.Questions {
		one := inquiryQuestion{Question: short(q.Text, chat.MaxInquiryText), Multi: q.Many, Other: q.Free}
		for _, label := range labels(q) {
			one.Options = append(one.Options, option{label})
		}
		out.Questions = append(out.Questions, one)
	}
	return out
}

// labels returns the options of a question as they are shown; nil, for a free answer, if they are too many or not distinct.
func labels(q codingagent.Question) []string {
	if len(q.Options) > chat.MaxOptions {
		return nil
	}
	seen := map[string]bool{}
	var out []string
	for _, o := range q.Options {
		label := short(codingagent.Title(o), chat.MaxOptionLabel)
		if label == "" || seen[label] {
			return nil
		}
		seen[label] = true
		out = append(out, label)
	}
	return out
}

// answered returns the answer of a user to a request. A question without an answer is declined.
func answered(r codingagent.Request, a chat.Approval) codingagent.Answer {
	if a.State != chat.ApprovalAllowed || len(a.Answers) == 0 {
		return codingagent.Answer{Declined: true}
	}
	if r.Approval != nil {
		place := chosen(a)
		return codingagent.Answer{Approved: place == 0 || place == 1, Always: place == 1}
	}
	out := codingagent.Answer{Replies: map[string][]string{}}
	for i, q := range r.Questions {
		shown := labels(q)
		for _, text := range a.Answers[fmt.Sprintf("q%d", i+1)] {
			for n, label := range shown {
				if label == text {
					text = q.Options[n]
				}
			}
			out.Replies[q.ID] = append(out.Replies[q.ID], text)
		}
	}
	return out
}

// chosen returns the index of the chosen option of the first question; -1 if none was.
func chosen(a chat.Approval) int {
	if len(a.Questions) == 0 {
		return -1
	}
	for _, text := range a.Answers[a.Questions[0].Name] {
		for n, o := range a.Questions[0].Options {
			if o.Label == text {
				return n
			}
		}
	}
	return -1
}

func short(text string, runes int) string {
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	return string([]rune(text)[:runes-1]) + "…"
}

// lost returns the outcome of a process that ended without an end of its turn.
func (f *follower) lost(r process.Result, agent string) Outcome {
	how := string(r.Exec.State)
	switch {
	case r.Long:
		how = "it wrote a line that is too long"
	case r.Exec.State == sandbox.ExecExited && r.Exec.Code == missing && f.events.thread == "":
		return failed(fault.NotFound, i18n.AgentMissing, agent, f.run.Runner)
	case r.Exec.State == sandbox.ExecExited:
		how = fmt.Sprintf("exit code %d", r.Exec.Code)
	}
	signalled := r.Exec.State == sandbox.ExecExited && r.Exec.Code > 128 // stderr does not say why
	if why := codingagent.Complaint(r.Exec.Errors); why != "" && !signalled {
		how += ": " + why
	}
	if f.events.deserted {
		return failed(fault.Unavailable, i18n.AgentEnded, agent, how)
	}
	return failed(fault.Unavailable, i18n.AgentLost, agent, how)
}

// missing is the exit code of a shell that does not find a program.
const missing = 127

// logIn returns the command that logs in to an agent.
func logIn(agent string) string {
	check, err := agents.Check(agent)
	if err != nil {
		return agent
	}
	return check.Hint
}
