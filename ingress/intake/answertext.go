package intake

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/question"
)

// answerText takes a plain message as the answer that a turn waits for: to questions of the model in any chat, to the
// question whether a call may run on platforms, if it is a bare yes or no. taken is false if it is a message. A repeated
// delivery is a duplicate.
func (d *Dispatcher) answerText(ctx context.Context, in Message, r Parsed) (got engine.Accepted, taken bool, err error) {
	if !r.isMessage() || in.Options.Plan || slices.ContainsFunc(in.Files, brought) { // a text with files is for the model, which gets files only with a message
		return got, false, nil
	}
	call, open, err := d.Turns.OpenQuestion(ctx, in.Session, in.User)
	if err != nil || !open {
		return got, false, err
	}
	a := calls.Answer{Session: in.Session, User: in.User, UserName: Answerer(in.UserName, in.Peer.Name), Call: call.ID}
	if in.Lang, err = d.speaks(ctx, in); err != nil {
		return got, false, err
	}
	notice, meant := parseAnswer(in, call, r.Text, &a)
	if !meant {
		return got, false, nil
	}
	if in.To != nil && !connects(call) { // an account is connected by a link, in any chat
		shown, err := d.Calls.ShownAt(ctx, call.ID, in.Channel, in.Account, *in.To)
		if err != nil {
			return got, false, err
		}
		if !shown { // users answer only what they have read
			a = calls.Answer{Session: in.Session, User: in.User, UserName: a.UserName, Shows: call.ID}
			notice = shownElsewhere(in.Lang, call)
		}
	}
	in.Text = in.TextForModel(r.Text)
	got, err = d.Turns.AnswerInWords(ctx, in.NewRow, a, notice)
	if engine.NotOpen(err) {
		return got, false, nil // another user has answered: it is an ordinary message
	}
	if err == nil && a.Call != "" && !got.Duplicate {
		d.wake(in, false)
	}
	return got, err == nil, err
}

func connects(call chat.ToolCall) bool {
	return len(call.Questions) > 0 && call.Questions[0].Connect != nil
}

// shownElsewhere shows a question from another chat, or from the page, in the chat where the user writes.
func shownElsewhere(lang i18n.Lang, call chat.ToolCall) string {
	parts := []string{i18n.Say(lang, i18n.InquiryElsewhere)}
	switch {
	case call.Plan != nil:
		parts = append(parts, question.ShowPlan(*call.Plan), i18n.Say(lang, i18n.PlanHow))
	case len(call.Questions) == 0:
		parts = append(parts, "**"+i18n.Say(lang, i18n.AskTitle, call.Name)+"**", markdown.Visible(call.Summary), i18n.Say(lang, i18n.AskHow))
	default:
		parts = append(parts, strings.TrimRight(markdown.Visible(question.List(call.Questions)), "\n"),
			question.How(lang, call.Questions)+" "+i18n.Say(lang, i18n.AskDeclineH))
	}
	return strings.Join(parts, "\n\n")
}

// brought reports whether a file came with the message itself, and not with the one that it answers.
func brought(f chat.Attachment) bool { return f.Of == "" }

// isMessage reports whether a text is nothing but a message.
func (p Parsed) isMessage() bool {
	return len(p.commands) == 0 && !p.stop && p.bang == "" && !p.behindCommand && p.Text != "" && p.options == (chat.Options{}) && p.queue == (chat.Queue{})
}

// parseAnswer reads a text as the answer to a waiting call, and returns a notice to its writer; ok is false if the text
// means something else. If it does not fit the questions, the answer has no call.
func parseAnswer(in Message, call chat.ToolCall, text string, a *calls.Answer) (notice string, ok bool) {
	if call.Plan != nil {
		if _, bare := question.YesOrNo(text); in.Aside && !bare {
			return "", false // users talk to each other
		}
		return parsePlanAnswer(in, text, a), true
	}
	if len(call.Questions) == 0 {
		if a.Allow, ok = question.YesOrNo(text); !ok || in.To == nil {
			return "", false
		}
		return question.Decided(in.Lang, call, a.Allow), true
	}
	if connect := call.Questions[0].Connect; connect != nil {
		if allow, said := question.YesOrNo(text); said && !allow {
			return question.Decided(in.Lang, call, false), true
		}
		a.Call = ""
		return i18n.Row(in.Lang, i18n.Say(in.Lang, i18n.OAuthByLink, connect.Name), i18n.Say(in.Lang, i18n.InquiryLeave)), true
	}
	answers, err := question.Read(call.Questions, text)
	if err != nil {
		a.Call = ""
		return i18n.Row(in.Lang, i18n.Explain(in.Lang, err), i18n.Say(in.Lang, i18n.InquiryLeave)), true
	}
	a.Allow, a.Answers = true, answers
	return i18n.Say(in.Lang, i18n.InquiryAnswered, question.Summary(call.Questions, answers)), true
}

// parsePlanAnswer reads a text as the answer to a plan: a bare word approves it or sends it back, any other text sends it back with
// a note.
func parsePlanAnswer(in Message, text string, a *calls.Answer) (notice string) {
	allow, bare := question.YesOrNo(text)
	if a.Allow = allow; allow {
		return i18n.Say(in.Lang, i18n.PlanTaken)
	}
	if bare {
		return i18n.Say(in.Lang, i18n.PlanBack)
	}
	if a.Note = strings.TrimSpace(text); len(a.Note) > chat.MaxNote {
		a.Call, a.Note = "", "" // the plan continues to wait
		return i18n.Say(in.Lang, i18n.PlanNoteLong, chat.MaxNote)
	}
	return i18n.Say(in.Lang, i18n.PlanBackNote, chat.FirstWords(a.Note, 80))
}
