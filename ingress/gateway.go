package ingress

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/command"
	"xbot/internal/fault"
	"xbot/internal/phrase"
	"xbot/internal/policy"
	"xbot/internal/session"
	"xbot/internal/store"
)

// Gateway turns the messages of platforms into conversations: who may write, who they are, whether the bot is meant,
// which conversation it is, and then what Dispatch does with every message. It keeps nothing in memory, so any replica
// may receive any message, also the same one as another at the same instant.
type Gateway struct {
	Store    *store.Store
	Policies interface {
		Get(ctx context.Context) (*policy.Policy, error)
	}
	Dispatch *Dispatch
	Log      *slog.Logger
}

// Results of what a platform delivered.
const (
	ResultAccepted  = "accepted"  // it is committed, and a turn will answer it or its end is recorded
	ResultAnswered  = "answered"  // it was a command or an answer; the reply says what became of it
	ResultOverheard = "overheard" // it was not for the bot, and is kept as context for what is
	ResultIgnored   = "ignored"   // it was not for the bot, or not worth a word; nothing is kept
	ResultRefused   = "refused"   // its sender is not let in, or there is no room; nothing is kept
	ResultDropped   = "dropped"   // it is recorded, and no turn will answer it: the queue is full, or a newer message took its place
	ResultDuplicate = "duplicate" // it was delivered before
)

// Outcome says what became of an envelope.
type Outcome struct {
	Result  string          `json:"outcome" enum:"accepted,overheard,ignored,refused,answered,dropped,duplicate"`
	Session chat.SessionKey `json:"session,omitempty" doc:"The conversation. Its events hold the answer."`
	Inbox   chat.InboxID    `json:"inbox_id,omitempty" doc:"The accepted row; the message that comes from it has the same inbox_id."`
	Reply   string          `json:"reply,omitempty" doc:"Sentence for the sender at once: a pairing code, a refusal, the answer of a command. Markdown."`
	// Direct is the part of Reply that stands in no conversation: whoever delivers what is written in one says it beside.
	Direct string `json:"-"`
	// Feedback is how its sender is told at once that it was taken in: one of policy.Feedback*, or empty where nobody is to
	// be told. Emoji is the reaction, if the policy names one.
	Feedback, Emoji string `json:"-"`
}

// arrival is one envelope on its way.
type arrival struct {
	*Gateway
	p    *policy.Policy
	c    policy.Channel
	e    chat.Envelope
	lang phrase.Lang

	granted, told bool
	wordless      bool // nothing was written, so the text is what stands beside one
	place
}

// Receive takes in a message as a platform delivered it. Access is decided before anything is stored or spent. The same
// message may be delivered again at any distance in time: then nothing new happens. An error is the gateway's (the
// message should be delivered again) or says that the envelope is malformed; a refusal of its sender is an Outcome.
func (g *Gateway) Receive(ctx context.Context, e chat.Envelope) (Outcome, error) {
	m, err := g.arrival(ctx, e)
	if err != nil {
		return Outcome{}, err
	}
	if out, let, err := m.admit(ctx); err != nil || !let {
		out.Direct = out.Reply
		return out, err
	}
	if err := m.find(ctx); err != nil {
		return Outcome{}, err
	}
	if !m.addressed {
		return m.overhear(ctx)
	}
	return m.accept(ctx)
}

func (g *Gateway) arrival(ctx context.Context, e chat.Envelope) (*arrival, error) {
	e, err := normal(e, time.Now())
	if err != nil {
		return nil, err
	}
	p, err := g.Policies.Get(ctx)
	if err != nil {
		return nil, err
	}
	return &arrival{Gateway: g, p: p, c: p.Channel(e.Channel, e.Account), e: e, lang: phrase.Of(e.Text)}, nil
}

// admit lets the sender in, or says what they are told. Approved people are told so with their first message.
func (m *arrival) admit(ctx context.Context) (Outcome, bool, error) {
	if m.direct() {
		var err error
		if m.granted, m.told, err = m.Store.Granted(ctx, m.e.Channel, m.e.Account, m.e.Sender.ID); err != nil {
			return Outcome{}, false, err
		}
	}
	switch v := session.Admit(m.c, m.e, m.granted); v.Access {
	case session.Allowed:
		return Outcome{}, true, nil
	case session.Pair:
		return m.pair(ctx)
	default:
		out := Outcome{Result: ResultRefused}
		if v.Say != "" {
			out.Reply = phrase.Say(m.lang, v.Say)
		}
		return out, false, nil
	}
}

// pair gives an unknown person a code, the same one while it lasts.
func (m *arrival) pair(ctx context.Context) (Outcome, bool, error) {
	code, err := m.Store.Pair(ctx, m.e.Channel, m.e.Account, m.e.Sender.ID, m.e.Sender.Name)
	switch {
	case fault.Is(err, fault.RateLimited):
		return Outcome{Result: ResultRefused, Reply: phrase.Say(m.lang, phrase.PairFull)}, false, nil
	case err != nil:
		return Outcome{}, false, err
	}
	return Outcome{Result: ResultRefused, Reply: phrase.Say(m.lang, phrase.PairAsk, code)}, false, nil
}

// overhear keeps what was not for the bot as context, where the policy wants some.
func (m *arrival) overhear(ctx context.Context) (Outcome, error) {
	limit := *m.c.HistoryLimit
	if m.direct() || limit <= 0 || m.said(m.e.Text) == "" {
		return Outcome{Result: ResultIgnored}, nil
	}
	if err := m.open(ctx); err != nil {
		return Outcome{}, err
	}
	kept, err := m.Store.Overhear(ctx, m.heard(), limit)
	switch {
	case err != nil:
		return Outcome{}, err
	case !kept:
		return Outcome{Result: ResultDuplicate, Session: m.key}, nil
	}
	return Outcome{Result: ResultOverheard, Session: m.key}, nil
}

func (m *arrival) heard() store.Overheard {
	o := store.Overheard{
		Session: m.key, Channel: m.e.Channel, Account: m.e.Account, PlatformID: platformID(m.e), Text: m.said(m.e.Text), SentAt: m.e.SentAt,
	}
	if m.hints {
		o.Sender = senderName(m.e)
	}
	return o
}

// accept hands the message over, once.
func (m *arrival) accept(ctx context.Context) (Outcome, error) {
	if out, known, err := m.before(ctx); err != nil || known {
		return out, err
	}
	if m.text == "" {
		m.text, m.wordless = m.said(""), true
	}
	if m.text == "" && !m.begins {
		return Outcome{Result: ResultIgnored}, nil
	}
	if err := m.open(ctx); err != nil {
		return Outcome{}, err
	}
	in, out := m.inbound(), Outcome{Session: m.key}
	got, err := m.hand(ctx, in)
	if errors.Is(err, ErrIgnored) {
		return Outcome{Result: ResultIgnored}, nil
	}
	if refused(err) {
		out.Result, out.Reply = ResultRefused, phrase.Explain(m.lang, err)
		out.Direct = out.Reply
		return out, nil
	}
	if err != nil {
		return Outcome{}, err
	}
	if err := m.rehome(ctx, got.ID); err != nil {
		return Outcome{}, err
	}
	out.Result, out.Inbox = ResultAccepted, got.ID
	switch {
	case got.Duplicate:
		out.Result = ResultDuplicate
	case got.Ended != "":
		out.Result, out.Reply = ResultDropped, got.Ended
	}
	if out, err = m.reply(ctx, in, out, got.Answer); out.Result == ResultAccepted {
		out.Feedback, out.Emoji = m.c.Feedback, m.c.FeedbackEmoji
	}
	return out, err
}

// hand gives the message to the dispatch. Work that begins without a word is answered without a model.
func (m *arrival) hand(ctx context.Context, in Inbound) (store.Accepted, error) {
	if m.text != "" {
		return m.Dispatch.Message(ctx, in)
	}
	in.Text = m.e.Text
	return m.Store.Command(ctx, in.Inbound, func(context.Context) (string, error) {
		return phrase.Say(m.lang, phrase.WorkMade, m.key), nil
	})
}

// rehome gives the row of a /link to the user that its sender has become by it.
func (m *arrival) rehome(ctx context.Context, id chat.InboxID) error {
	if typed, _ := command.Parse(m.text); typed.Name != "link" {
		return nil
	}
	now, known, err := m.Store.KnownPerson(ctx, m.e.Channel, m.e.Account, m.e.Sender.ID)
	if err != nil || !known || now.ID == m.user.ID {
		return err
	}
	return m.Store.Rehome(ctx, id, now.ID)
}

// reply adds what the sender is told at once, to a command or an answer.
func (m *arrival) reply(ctx context.Context, in Inbound, out Outcome, answer bool) (Outcome, error) {
	if answer || command.Slashed(in.Text) || m.text == "" {
		said, err := m.answerOf(ctx, in, out.Inbox)
		if err != nil {
			return Outcome{}, err
		}
		if said != "" {
			out.Reply = strings.TrimSpace(said + "\n\n" + out.Reply)
			if out.Result == ResultAccepted {
				out.Result = ResultAnswered
			}
		}
	}
	if m.direct() && m.granted && !m.told {
		first, err := m.Store.TellGranted(ctx, m.e.Channel, m.e.Account, m.e.Sender.ID)
		if err != nil {
			m.Log.Warn("not noted that somebody was told that they were let in", "error", err)
		}
		if first {
			out.Direct = phrase.Say(m.lang, phrase.PairWelcome)
			out.Reply = strings.TrimSpace(out.Direct + "\n\n" + out.Reply)
		}
	}
	return out, nil
}

// answerOf is what a command was answered with, or what stood in a message beside its text.
func (m *arrival) answerOf(ctx context.Context, in Inbound, id chat.InboxID) (string, error) {
	said, err := m.Store.CommandAnswer(ctx, id)
	if err != nil || said != "" {
		return said, err
	}
	in.PlatformID += besideMark
	got, _, err := m.Store.Delivered(ctx, in.Inbound)
	return got.Answer, err
}

// before finds a message that was delivered before, wherever it went then.
func (m *arrival) before(ctx context.Context) (Outcome, bool, error) {
	if !m.direct() {
		known, err := m.Store.OverheardBefore(ctx, m.heard())
		if err != nil || known {
			return Outcome{Result: ResultDuplicate, Session: m.key}, known, err
		}
	}
	if !m.known {
		return Outcome{}, false, nil
	}
	got, ok, err := m.deliveredAs(ctx)
	if err != nil || !ok {
		return Outcome{}, false, err
	}
	return Outcome{Result: ResultDuplicate, Session: got.Session, Inbox: got.Inbox, Reply: got.Answer}, true, nil
}

// deliveredAs finds the message among those of its sender, also of whom they were before the policy linked them.
func (m *arrival) deliveredAs(ctx context.Context) (store.Delivered, bool, error) {
	in := m.inbound().Inbound
	got, ok, err := m.Store.Delivered(ctx, in)
	if _, linked := m.p.Person(m.e); !linked || ok || err != nil {
		return got, ok, err
	}
	was, known, err := m.Store.KnownPerson(ctx, m.e.Channel, m.e.Account, m.e.Sender.ID)
	if err != nil || !known || was.ID == in.User {
		return got, false, err
	}
	in.User = was.ID
	return m.Store.Delivered(ctx, in)
}

// refused reports whether the sender can do something about an error: then it is told to them.
func refused(err error) bool {
	switch fault.KindOf(err) {
	case "", fault.Internal, fault.Unavailable:
		return false
	}
	return true
}

func (m *arrival) inbound() Inbound {
	in := Inbound{
		Inbound: store.Inbound{
			Session: m.key, User: m.user.ID, Channel: m.e.Channel, Account: m.e.Account, PlatformID: platformID(m.e), Text: m.text,
			SentAt: m.e.SentAt, Seq: m.e.Seq, Queue: m.session.Queue, To: m.to(), Files: m.e.Attachments,
		},
		UserName: m.user.Name, Peer: m.e.Sender, Place: m.natural, ChatType: m.chatType(),
	}
	if !m.direct() && m.hints {
		in.Sender = senderName(m.e)
	}
	if !m.wordless {
		in.Before, in.After = around(m.e)
	}
	return in
}

// to is where the answer is delivered: as an answer to the message, in its thread or in one that the scene has opened.
func (m *arrival) to() *chat.Address {
	names := map[string]string{}
	for _, who := range append([]chat.Peer{m.e.Sender}, m.e.Mentions...) {
		if who.ID != "" && who.Name != "" {
			names[who.ID] = store.CleanName(who.Name)
		}
	}
	return &chat.Address{
		ChatType: m.e.ChatType, Chat: m.e.Chat, Peer: m.e.Sender.ID, Thread: m.e.Thread, ReplyTo: m.e.ID,
		InThread: !m.direct() && m.settings.CreateThread, Names: names,
	}
}

func (m *arrival) direct() bool { return m.e.ChatType == chat.ChatDirect }

// senderName is what somebody is called where several people write.
func senderName(e chat.Envelope) string {
	return cmp.Or(store.CleanName(e.Sender.Name), store.CleanName(e.Sender.ID))
}

// platformID is the id of a message among those of its sender. In groups the id of the chat is part of it: some
// platforms count the messages of each chat.
func platformID(e chat.Envelope) string {
	id := e.ID
	if e.ChatType != chat.ChatDirect {
		id = e.Chat + "/" + e.ID
	}
	if len(id) > maxIDBytes {
		sum := sha256.Sum256([]byte(id))
		id = "sha256:" + hex.EncodeToString(sum[:])
	}
	return id
}

// channelForm is what channels are called.
var channelForm = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// ownChannels are those on which people sign in: nobody speaks for them there.
var ownChannels = []string{"web", "cli", "api"}

const (
	// maxEnvelopeID bounds every id of an envelope, in bytes.
	maxEnvelopeID = 256
	// maxEnvelopeName bounds every name of an envelope, in bytes.
	maxEnvelopeName = 512
)

// normal checks an envelope and fills in what it leaves open. Older clients write group:<id> for the id of a group.
func normal(e chat.Envelope, now time.Time) (chat.Envelope, error) {
	if id, ok := strings.CutPrefix(e.Chat, "group:"); ok && (e.ChatType == "" || e.ChatType == chat.ChatGroup) {
		e.ChatType, e.Chat = chat.ChatGroup, id
	}
	if e.ChatType == "" {
		e.ChatType = chat.ChatDirect
	}
	if e.Account == session.DefaultAccount {
		e.Account = "" // they are the same bot
	}
	if e.SentAt.IsZero() || e.SentAt.After(now) {
		e.SentAt = now
	}
	if !channelForm.MatchString(e.Channel) || slices.Contains(ownChannels, e.Channel) {
		return e, fault.Errorf(fault.Invalid, "a channel is named by at most 32 lower-case letters, digits, - and _; %s are the server's own", strings.Join(ownChannels, ", "))
	}
	switch e.ChatType {
	case chat.ChatDirect:
	case chat.ChatGroup, chat.ChatChannel:
		if e.Chat == "" {
			return e, fault.Errorf(fault.Invalid, "chat must be the id of the %s", e.ChatType)
		}
	default:
		return e, fault.Errorf(fault.Invalid, "chat_type must be direct, group or channel; a thread is given with its chat")
	}
	return e, checkEnvelope(e)
}

func checkEnvelope(e chat.Envelope) error {
	switch {
	case e.ID == "":
		return fault.Errorf(fault.Invalid, "id must be the platform's id of the message")
	case e.Sender.ID == "":
		return fault.Errorf(fault.Invalid, "sender.id must be the platform's id of who wrote")
	}
	before, after := around(e)
	if size := len(before) + len(e.Text) + len(after); size > MaxTextBytes {
		return fault.Errorf(fault.TooLarge, "the message has %d bytes; at most %d are accepted", size, MaxTextBytes)
	}
	for name, id := range map[string]string{
		"id": e.ID, "account": e.Account, "chat": e.Chat, "thread": e.Thread, "root": e.Root, "parent": e.Parent, "sender.id": e.Sender.ID,
	} {
		if len(id) > maxEnvelopeID || store.Clean(id) != id {
			return fault.Errorf(fault.Invalid, "%s must have at most %d bytes of UTF-8 without NUL", name, maxEnvelopeID)
		}
	}
	for name, text := range map[string]string{"sender.name": e.Sender.Name, "subject": e.Subject, "room": e.Room, "space": e.Space} {
		if len(text) > maxEnvelopeName || store.Clean(text) != text {
			return fault.Errorf(fault.Invalid, "%s must have at most %d bytes of UTF-8 without NUL", name, maxEnvelopeName)
		}
	}
	return nil
}
