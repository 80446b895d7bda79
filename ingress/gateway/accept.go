package gateway

import (
	"context"
	"errors"

	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
)

// accept hands the message over, once.
func (m *inboundRequest) accept(ctx context.Context) (Outcome, error) {
	if out, known, err := m.duplicate(ctx); err != nil || known {
		return out, err
	}
	if gone, err := m.takenBack(ctx, false); err != nil || gone { // before it arrived
		return Outcome{Result: ResultIgnored}, err
	}
	if m.text == "" {
		m.text, m.wordless = m.inContext(""), true
	}
	if m.text == "" && !m.begins && !m.expectsAnswer() {
		return Outcome{Result: ResultIgnored}, nil
	}
	if err := m.ensureSession(ctx); err != nil {
		return Outcome{}, err
	}
	if err := m.tellLacking(ctx); err != nil {
		return Outcome{}, err
	}
	in, out := m.inbound(), Outcome{Session: m.key}
	got, err := m.submit(ctx, in)
	if errors.Is(err, intake.ErrIgnored) {
		return Outcome{Result: ResultIgnored}, nil
	}
	if refused(err) {
		return m.refuse(ctx, in, out, err)
	}
	if err != nil {
		return Outcome{}, err
	}
	if err := m.rehome(ctx, got.ID); err != nil {
		return Outcome{}, err
	}
	if gone, err := m.takenBack(ctx, true); err != nil || gone { // while it was accepted
		return Outcome{Result: ResultIgnored}, err
	}
	out.Result, out.Inbox = ResultAccepted, got.ID
	switch {
	case got.Duplicate:
		out.Result = ResultDuplicate
	case got.Ended != "":
		out.Result, out.Reply = ResultDropped, got.Ended
	}
	if out, err = m.reply(ctx, in, out, got.Answer); err != nil || out.Result != ResultAccepted {
		return out, err
	}
	return m.withFeedback(ctx, out)
}

// withFeedback adds how the sender learns that a message was accepted.
func (m *inboundRequest) withFeedback(ctx context.Context, out Outcome) (_ Outcome, err error) {
	out.Feedback, out.Emoji = m.c.Feedback, m.c.FeedbackEmoji
	if out.Feedback != policy.FeedbackReply {
		return out, nil
	}
	if !m.expectsAnswer() {
		out.Feedback = ""
		return out, nil
	}
	out.Lang, err = m.spoken(ctx)
	return out, err
}

// refuse sends the reason why a message was not accepted: by a row that is delivered like an answer, so that no end of this process loses
// it, and by which the message is known when it is delivered again.
func (m *inboundRequest) refuse(ctx context.Context, in intake.Message, out Outcome, why error) (Outcome, error) {
	if fault.Is(why, fault.Conflict) { // another process may have refused or accepted it in the meantime
		if known, is, err := m.duplicate(ctx); err != nil || is {
			return known, err
		}
	}
	lang, err := m.spoken(ctx)
	if err != nil {
		return Outcome{}, err
	}
	out.Result, out.Reply = ResultRefused, i18n.Explain(lang, why)
	said, kept, err := engine.Refusals{Store: m.Stores.Turns}.Refuse(ctx, in.NewRow, refusal(lang, why))
	switch {
	case err != nil:
		return Outcome{}, err
	case kept:
		out.Reply = said
	default:
		out.Direct = out.Reply
	}
	return out, nil
}

// refusal returns why the message was not accepted. A sender who floods a full queue is not notified of every message.
func refusal(lang i18n.Lang, why error) engine.Refusal {
	return engine.Refusal{Say: i18n.Explain(lang, why), Flood: i18n.Says(why, i18n.QueueFull), Lang: lang}
}

// submit gives the message to the dispatch. A message without words, such as a bare mention, is answered without a model.
func (m *inboundRequest) submit(ctx context.Context, in intake.Message) (engine.Accepted, error) {
	if m.isAnswer() {
		return m.answerConsumer(ctx, in)
	}
	if m.text != "" {
		return m.Dispatch.Message(ctx, in)
	}
	in.Text = m.e.Text
	return m.Stores.Turns.Command(ctx, in.NewRow, func(ctx context.Context) (string, error) {
		lang, err := m.spoken(ctx)
		if !m.begins {
			return i18n.Say(lang, i18n.NoWords), err
		}
		return i18n.Say(lang, i18n.WorkMade, m.key), err
	})
}

// rehome gives the row of a /link or /unlink to the user that its sender has become by it.
func (m *inboundRequest) rehome(ctx context.Context, id chat.InboxID) error {
	if typed, _ := command.Parse(m.text); typed.Name != "link" && typed.Name != "unlink" {
		return nil
	}
	now, known, err := m.Stores.Users.KnownPerson(ctx, m.e.Channel, m.e.Account, m.e.Sender.ID)
	if err != nil || !known || now.ID == m.user.ID {
		return err
	}
	return m.Stores.Links.Rehome(ctx, id, now.ID)
}

// expectsAnswer reports whether a message is certain to be answered: where the agent may keep silent, words that say no more than that
// it arrived would be noise.
func (m *inboundRequest) expectsAnswer() bool {
	return m.direct() || m.e.Mentioned || m.scene == chat.SceneWork
}
