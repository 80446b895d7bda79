package gateway

import (
	"context"
	"strings"
	"time"

	"xbot/ingress/intake"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/question"
	"xbot/internal/turn/session"
	"xbot/internal/user/users"
)

// pressTimeout bounds an answer by a card: platforms wait for three seconds.
const pressTimeout = 2500 * time.Millisecond

// The looks of a toast.
const (
	toastDone  = "success"
	toastLate  = "warning" // it was answered before
	toastNo    = "error"
	toastPlain = "info"
)

// Press accepts an answer to a question by the buttons of a card, as /approve and /deny accept one in words: from a user
// who has access where the question was asked, and who may answer it. The same event may arrive again. The returned text is
// shown to the user; it reveals nothing about a question that is not theirs.
func (g *Gateway) Press(ctx context.Context, p channel.Press) channel.Toast {
	ctx, cancel := context.WithTimeout(ctx, pressTimeout)
	defer cancel()
	toast, err := g.press(ctx, p)
	if err != nil {
		g.Log.Warn("an answer by a card was not recorded", "channel", channel.Name(p.Channel, p.Account), "call", p.Question, "error", err)
		return inBoth(toastNo, i18n.AskRetry)
	}
	return toast
}

func (g *Gateway) press(ctx context.Context, p channel.Press) (channel.Toast, error) {
	if strings.HasPrefix(p.Question, settingsID) {
		return g.pressSettings(ctx, p)
	}
	q, err := g.Stores.Calls.Question(ctx, p.Channel, p.Account, chat.CallID(p.Question))
	if fault.Is(err, fault.NotFound) {
		return inBoth(toastPlain, i18n.AskClosed), nil
	}
	if err != nil {
		return channel.Toast{}, err
	}
	user, known, err := g.presser(ctx, q.Place, p)
	if err != nil || !known {
		return inBoth(toastNo, i18n.AskNotYours), err
	}
	a, ok := answerOf(q, user, p)
	if !ok {
		return inBoth(toastPlain, i18n.AskClosed), nil
	}
	lang, err := g.Stores.Users.Speaks(ctx, user.ID, q.Session, "")
	if err != nil {
		return channel.Toast{}, err
	}
	call, err := g.Dispatch.Answer(ctx, a, p.Channel)
	switch fault.KindOf(err) {
	case "":
		return done(lang, call), nil
	case fault.Conflict:
		return g.tooLate(ctx, lang, a.Call)
	case fault.NotFound:
		return channel.Toast{Kind: toastNo, Text: i18n.Say(lang, i18n.AskNotYours)}, nil
	case fault.Invalid, fault.TooLarge:
		return channel.Toast{Kind: toastNo, Text: i18n.Explain(lang, err)}, nil
	default:
		return channel.Toast{}, err
	}
}

// presser returns the user who has pressed a button, if they have access where the question was asked.
func (g *Gateway) presser(ctx context.Context, at chat.Address, p channel.Press) (u users.User, known bool, err error) {
	m, err := g.newRequest(ctx, chat.Envelope{
		Source: chat.Source{Channel: p.Channel, Account: p.Account, ChatType: at.ChatType, Chat: at.Chat, Thread: at.Thread},
		ID:     p.Event, Sender: chat.Peer{ID: p.Sender, Union: p.Union},
	})
	if err != nil {
		return u, false, err
	}
	if m.direct() && at.Peer != p.Sender {
		m.e.Chat = "" // a card that was passed on is pressed somewhere else
	}
	if v, err := m.verdict(ctx); err != nil || v.Access != session.Allowed {
		return u, false, err
	}
	err = m.findUser(ctx)
	return m.user, m.known && !m.user.Disabled, err
}

// answerOf reads a press; ok is false for a button of another program.
func answerOf(q calls.Question, user users.User, p channel.Press) (a calls.Answer, ok bool) {
	a = calls.Answer{
		Session: q.Session, User: user.ID, UserName: intake.Answerer(user.Name, q.Place.Names[p.Sender]), Call: chat.CallID(p.Question), Key: strings.Join([]string{p.Channel, p.Account, "press", p.Event}, "/"),
	}
	if p.Button != chat.PressSend {
		a.Note = strings.TrimSpace(strings.Join(p.Values[chat.PressNote], "\n"))
	}
	switch p.Button {
	case chat.PressAllow:
		a.Allow = true
	case chat.PressAlways:
		a.Allow, a.Always = true, true
	case chat.PressSend:
		a.Allow, a.Answers = true, chat.Answers(p.Values)
	case chat.PressDeny:
	default:
		return a, false
	}
	return a, true
}

func done(lang i18n.Lang, call chat.ToolCall) channel.Toast {
	say, allowed := i18n.Denied, call.Approval != nil && call.Approval.State == chat.ApprovalAllowed
	switch {
	case call.Plan != nil:
		return channel.Toast{Kind: toastDone, Text: question.Decided(lang, call, allowed)}
	case allowed && len(call.Approval.Questions) > 0:
		return channel.Toast{Kind: toastDone, Text: i18n.Say(lang, i18n.AskTaken)}
	case allowed:
		say = i18n.Allowed
	}
	return channel.Toast{Kind: toastDone, Text: i18n.Say(lang, say, call.Name)}
}

// tooLate shows a user who may answer how the question was closed.
func (g *Gateway) tooLate(ctx context.Context, lang i18n.Lang, id chat.CallID) (channel.Toast, error) {
	call, err := g.Stores.Calls.Call(ctx, id)
	if err != nil {
		return channel.Toast{}, err
	}
	return channel.Toast{Kind: toastLate, Text: outcomeOf(lang, call)}, nil
}

func outcomeOf(lang i18n.Lang, call chat.Call) string {
	if call.Approval == nil {
		return i18n.Say(lang, i18n.AskClosed)
	}
	return i18n.Outcome(lang, *call.Approval)
}

// inBoth returns a sentence to a user whose language is not known.
func inBoth(kind string, id i18n.ID) channel.Toast {
	return channel.Toast{Kind: kind, Text: i18n.Say(i18n.English, id) + " / " + i18n.Say(i18n.Chinese, id)}
}
