// Package delivery sends answers, questions and progress to platforms.
package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"xbot/activities"
	"xbot/activities/files"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// Outbox keeps what is on its way to a platform.
type Outbox interface {
	NextOutbound(ctx context.Context, key chat.SessionKey) (next chat.OutboundNext, ok bool, err error)
	Outbound(ctx context.Context, id int64) (chat.Outbound, error)
	// SavePieces is a Conflict once the delivery has ended, and where another attempt has gone on with it.
	SavePieces(ctx context.Context, o *chat.Outbound, trying bool) error
	NoteDelivery(ctx context.Context, id int64, reason string) error
	EndDelivery(ctx context.Context, id int64, state, reason string) error
}

// Replies records which conversation a sent message, and the thread that it opened, belong to.
type Replies interface {
	LeadBack(ctx context.Context, o chat.Outbound) error
}

// Rules say what happens to late deliveries.
type Rules struct {
	MaxAge time.Duration // older deliveries are dropped
	Late   time.Duration // older deliveries say when they were written
}

// LatePolicy returns the delivery rules of channels.
type LatePolicy interface {
	DeliveryRules(ctx context.Context, channel string) (Rules, error)
}

// Turns runs the transactions of turns.
type Turns interface {
	ZoneOfSession(ctx context.Context, key chat.SessionKey) (*time.Location, error)
}

// Users returns the language of a user.
type Users interface {
	Speaks(ctx context.Context, user chat.UserID, key chat.SessionKey, text string) (i18n.Lang, error)
}

// AccountLinks returns the pages where users connect the accounts that calls wait for. Everyone in the chat may read one that is not private.
// Empty: it is not known.
type AccountLinks interface {
	Link(call chat.CallID, private bool) string
}

// Deliverer sends answers, notices and questions to platforms.
type Deliverer struct {
	Outbox   Outbox
	Accounts files.Accounts
	// Cards are the progress cards that answers replace; nil: there are none.
	Cards AnswerCards
	Files *files.Folders // what answers link is sent from there; nil: their texts alone are sent
	// Split divides a text into messages of at most so many characters of a dialect.
	Split  func(text string, dialect channel.Dialect, most int) []string
	Policy LatePolicy
	// Replies records what was sent, so that a reply to it finds the conversation; nil: a reply finds it by its chat alone.
	Replies Replies
	// Messages finds a newer message to answer if the answer comes too late for its own; nil: there is none.
	Messages MessageFinder
	// Turns and Users give the language and timezone of notes on missing files and late deliveries; nil: in English, in UTC.
	Turns Turns
	Users Users
	// Links returns the page where users connect the account that a call waits for; nil: unknown.
	Links AccountLinks
	Tally Tally // of deliveries that ended; nil: not counted
	Words bool  // allows the first words of messages in Temporal histories
}

// NextDeliveryInput asks what is sent next in a session.
type NextDeliveryInput struct {
	Session chat.SessionKey `json:"session"`
}

// NextDeliveryOutput names it; an id of 0 means that nothing waits. Then Follow may name a turn whose progress is to be shown.
type NextDeliveryOutput struct {
	ID      int64             `json:"id,omitempty"`
	Kind    chat.OutboundKind `json:"kind,omitempty"`
	Follow  chat.TurnID       `json:"follow,omitempty"`
	Channel string            `json:"channel,omitempty"`
	Words   string            `json:"words,omitempty"`
}

// NextDelivery finds what is sent next.
func (d *Deliverer) NextDelivery(ctx context.Context, in NextDeliveryInput) (NextDeliveryOutput, error) {
	next, ok, err := d.Outbox.NextOutbound(ctx, in.Session)
	if err == nil && !ok && d.Cards != nil {
		return d.nextFollow(ctx, in)
	}
	if err != nil || !ok {
		return NextDeliveryOutput{}, activities.Failure(ctx, err)
	}
	out := NextDeliveryOutput{ID: next.ID, Kind: next.Kind, Channel: next.Channel}
	if d.Words {
		out.Words = chat.FirstWords(next.Words, chat.SummaryWords)
	}
	return out, nil
}

// SendInput names what is to be sent.
type SendInput struct {
	ID int64 `json:"id"`
}

// SendOutput is the end of a delivery.
type SendOutput struct {
	State string `json:"state"`
}

// Send delivers one answer, notice or question, piece by piece, or settles a question that users see. Each piece is
// recorded before it is sent, with the key by which the platform recognizes a repetition. Where the platform forgets keys, a
// piece of unknown outcome is searched for and never sent again. Send succeeds once the end of the delivery is recorded;
// after an error Temporal tries again.
func (d *Deliverer) Send(ctx context.Context, in SendInput) (SendOutput, error) {
	stop := activities.Heartbeat(ctx)
	defer stop()
	o, err := d.Outbox.Outbound(ctx, in.ID)
	if err != nil || !o.Open {
		return SendOutput{}, activities.Failure(ctx, err)
	}
	state, reason, err := d.deliver(ctx, o)
	if errors.Is(err, errEnded) {
		return SendOutput{}, nil
	}
	if err != nil {
		return SendOutput{}, activities.Failure(ctx, errors.Join(d.Outbox.NoteDelivery(ctx, o.ID, err.Error()), err))
	}
	if err := d.Outbox.EndDelivery(ctx, o.ID, state, reason); err != nil {
		return SendOutput{}, activities.Failure(ctx, err)
	}
	d.recordOutcome(ctx, o, state, reason)
	return SendOutput{State: state}, nil
}

// GiveUp ends a delivery in which worker processes crashed. Its outcome is unknown: a part may have been sent.
func (d *Deliverer) GiveUp(ctx context.Context, in SendInput) (SendOutput, error) {
	o, err := d.Outbox.Outbound(ctx, in.ID)
	if err != nil || !o.Open {
		return SendOutput{}, activities.Failure(ctx, err)
	}
	const state, reason = chat.OutboundUncertain, "the server crashed twice while sending it, so it is not sent again"
	if err := d.Outbox.EndDelivery(ctx, o.ID, state, reason); err != nil {
		return SendOutput{}, activities.Failure(ctx, err)
	}
	d.recordOutcome(ctx, o, state, reason)
	return SendOutput{State: state}, nil
}

// deliver returns the end of a delivery, or an error with the reason why it has none yet.
func (d *Deliverer) deliver(ctx context.Context, o chat.Outbound) (state, reason string, err error) {
	rules, err := d.Policy.DeliveryRules(ctx, o.Channel)
	if err != nil {
		return "", "", err
	}
	age := time.Since(o.Written)
	if state, over := overdue(o.Pieces, age, rules.MaxAge); over {
		return state, fmt.Sprintf("it could not be delivered within %s", rules.MaxAge), nil
	}
	account, err := d.Accounts.Account(ctx, o.Channel, o.Account)
	if fault.Is(err, fault.NotFound) {
		return chat.OutboundFailed, err.Error(), nil
	}
	if err != nil {
		return "", "", err
	}
	s := sending{Deliverer: d, account: account, o: o}
	switch {
	case o.Kind == chat.OutboundSettled:
		return s.settle(ctx)
	case o.Kind == chat.OutboundQuestion:
		if d.Links != nil && connects(*o.Asked) != nil {
			o.Asked.Link = d.Links.Link(o.Asked.Call.ID, o.Place.ChatType == chat.ChatDirect)
			s.o.Pieces = withLink(o.Pieces, o.Asked.Link)
		}
		if ended := s.ask(); ended {
			return chat.OutboundExpired, "it was closed before it could be sent", nil
		}
	case o.Kind == chat.OutboundCard:
		if err := s.showCard(); err != nil {
			return "", "", err
		}
	case !divided(o.Pieces): // divided again at each try, so that a late text has a note that it is late
		if s.o.Pieces, err = d.pieces(ctx, o, channel.TraitsAt(account, o.Place), age > rules.Late); err != nil {
			return "", "", err
		}
	}
	return s.send(ctx)
}

// send sends the pieces that were not sent before.
func (s *sending) send(ctx context.Context) (state, reason string, err error) {
	if err := s.findCard(ctx); err != nil {
		return "", "", err
	}
	for n := range s.o.Pieces {
		if err := s.piece(ctx, n); err != nil {
			return s.gaveUp(err)
		}
	}
	if s.Replies != nil && !s.o.Place.Aside {
		if err := s.Replies.LeadBack(ctx, s.o); err != nil {
			return "", "", err
		}
	}
	if s.lost {
		return chat.OutboundUncertain, "the connection broke while it was sent", nil
	}
	return chat.OutboundSent, "", nil
}

// divided reports whether the division of a text into pieces must not change: one was sent, or has another address by now.
func divided(pieces []chat.Piece) bool {
	return slices.ContainsFunc(pieces, func(p chat.Piece) bool { return p.State != chat.PieceWaiting || p.To != "" })
}

// pieces divides the text; the files that it links follow it. A late text has a note that it is late.
func (d *Deliverer) pieces(ctx context.Context, o chat.Outbound, t channel.Traits, late bool) ([]chat.Piece, error) {
	text, files, err := d.linked(ctx, o, t)
	if err != nil {
		return nil, err
	}
	if late {
		written, err := d.written(ctx, o)
		if err != nil {
			return nil, err
		}
		text = i18n.Say(d.spoken(ctx, o), i18n.Delayed, written) + "\n\n" + text
	}
	pieces := d.divide(text, o.Before, t)
	for i := range files {
		pieces = append(pieces, chat.Piece{File: &files[i], Seq: o.Before + len(pieces) + 1, Follows: len(pieces) > 0})
	}
	return pieces, nil
}

// spoken returns the language of notes on a text: that of the text, if it is known; else that of the conversation.
func (d *Deliverer) spoken(ctx context.Context, o chat.Outbound) i18n.Lang {
	lang, tells := i18n.DetectLanguage(o.Text)
	if tells || d.Users == nil {
		return lang
	}
	if spoken, err := d.Users.Speaks(ctx, 0, o.Session, ""); err == nil { // else it is not worth to hold the answer back
		return spoken
	}
	return lang
}

// written returns when a delivery was written, in the timezone of the conversation's owner.
func (d *Deliverer) written(ctx context.Context, o chat.Outbound) (string, error) {
	zone := time.UTC
	if d.Turns != nil {
		var err error
		if zone, err = d.Turns.ZoneOfSession(ctx, o.Session); err != nil {
			return "", err
		}
	}
	return o.Written.In(zone).Format("2006-01-02 15:04 MST"), nil
}

func (d *Deliverer) divide(text string, before int, t channel.Traits) (pieces []chat.Piece) {
	for _, part := range d.Split(text, t.Dialect, t.MaxText) {
		if strings.TrimSpace(part) != "" {
			pieces = append(pieces, chat.Piece{Text: part, Seq: before + len(pieces) + 1, Follows: len(pieces) > 0})
		}
	}
	return pieces
}

// sending is a delivery in progress.
type sending struct {
	*Deliverer
	account channel.Account
	o       chat.Outbound
	card    *channel.Question // replaces the text of the only piece
	shown   *chat.Card        // that the first piece takes the place of; nil: none
	lost    bool              // a piece may or may not have arrived
}

// errEnded means that nothing is left to do here: a question was withdrawn in the meantime, or another attempt continues with the delivery, because Temporal
// had given this one up.
var errEnded = errors.New("the delivery has ended")

// note records the state of the pieces; trying means that one is about to be sent.
func (s *sending) note(ctx context.Context, trying bool) error {
	kept := s.withoutLink()
	err := s.Outbox.SavePieces(ctx, &kept, trying)
	s.o.Tries = kept.Tries
	return ended(err)
}

func ended(err error) error {
	if fault.Is(err, fault.Conflict) {
		return errEnded
	}
	return err
}

// piece sends the n-th piece, unless it was sent before.
func (s *sending) piece(ctx context.Context, n int) error {
	p := &s.o.Pieces[n]
	if p.State == chat.PieceSent || p.State == chat.PieceLost {
		s.lost = s.lost || p.State == chat.PieceLost
		return nil
	}
	m := channel.Message{Key: fmt.Sprintf("%s.%d", s.o.Nonce, n), Text: p.Text, Card: s.card, Seq: p.Seq, Mentions: s.o.Place.Names, Follows: p.Follows}
	if replaced, err := s.replace(ctx, n, m); err != nil || replaced {
		return err
	}
	place, err := s.addressOf(ctx, p, &m)
	if err != nil {
		return err
	}
	if m.Card != nil {
		if err := s.pictures(ctx, m.Card); err != nil {
			return err
		}
	}
	if p.File != nil {
		if ready, err := s.load(ctx, n, place, &m); err != nil || !ready {
			return err
		}
	}
	open := p.State == chat.PieceTried
	if window := channel.TraitsAt(s.account, place).Window; open && window != channel.Forever && time.Since(p.Tried) >= window {
		if absent, err := s.find(ctx, n, place, m); err != nil || !absent {
			return err
		}
		open = false
	}
	return s.handOver(ctx, n, place, m, open)
}

// handOver sends a piece and records the outcome; open means that an earlier attempt may have sent it.
func (s *sending) handOver(ctx context.Context, n int, place chat.Address, m channel.Message, open bool) error {
	p := &s.o.Pieces[n]
	if paced, can := s.account.(channel.Paced); can { // what dies while it waits for its turn was certainly not sent
		if err := paced.Pace(ctx); err != nil {
			return err
		}
	}
	if p.State == chat.PieceWaiting {
		p.State, p.Tried = chat.PieceTried, time.Now()
	}
	if err := s.note(ctx, true); err != nil {
		return err
	}
	sent, err := s.account.Send(ctx, place, m)
	switch {
	case err == nil:
		return s.arrived(ctx, n, sent)
	case channel.TooLate(err) && open: // an earlier attempt may have been in time
		if absent, lost := s.find(ctx, n, place, m); lost != nil || !absent {
			return lost
		}
		return s.redirect(ctx, n, err)
	case channel.TooLate(err) || p.To == chat.Own && refusesOwnMessages(err):
		return s.redirect(ctx, n, err)
	}
	if !channel.Unknown(err) && ctx.Err() == nil && !open { // it is certain that nothing was sent, now or before
		p.State, p.Tried = chat.PieceWaiting, time.Time{}
		switch {
		case p.File != nil && channel.Final(err):
			return s.instead(ctx, n, err)
		case s.card != nil && (fault.Is(err, fault.Invalid) || fault.Is(err, fault.TooLarge)):
			return s.unasked(ctx)
		}
		err = errors.Join(err, s.note(ctx, false))
	}
	return err
}

// find searches the history of the platform for a piece of unknown outcome. absent is true if the history has everything that
// the platform accepted, and not this piece: only then may it be sent again.
func (s *sending) find(ctx context.Context, n int, place chat.Address, m channel.Message) (absent bool, err error) {
	p := &s.o.Pieces[n]
	finder, can := s.account.(channel.Finder)
	if !can {
		return false, s.isLost(ctx, p)
	}
	sent, found, err := finder.Find(ctx, place, m, p.Tried)
	recorder, records := s.account.(channel.Recorder)
	switch {
	case err != nil && !channel.Final(err):
		return false, err
	case err == nil && found:
		return false, s.arrived(ctx, n, sent)
	case err != nil || !records: // who may not look does not know either
		return false, s.isLost(ctx, p)
	}
	if early := recorder.Settles(m) - time.Since(p.Tried); early > 0 {
		return false, fault.Limited(early, "the platform may still send what it was handed")
	}
	p.State, p.Tried = chat.PieceWaiting, time.Time{}
	return true, nil
}

// isLost records that it will never be known whether a piece arrived.
func (s *sending) isLost(ctx context.Context, p *chat.Piece) error {
	s.lost = true
	p.State = chat.PieceLost
	return s.note(ctx, false)
}

func (s *sending) arrived(ctx context.Context, n int, sent channel.Sent) error {
	p := &s.o.Pieces[n]
	p.State, p.ID, p.Quoted, p.Thread = chat.PieceSent, sent.ID, sent.Quoted, sent.Thread
	return s.note(ctx, false)
}

// gaveUp ends the delivery if the platform refuses it permanently. Another error is returned, and the delivery is tried again.
func (s *sending) gaveUp(err error) (state, reason string, again error) {
	if channel.Final(err) {
		return chat.OutboundFailed, cmp.Or(err.Error(), "the platform refused it"), nil
	}
	return "", "", err
}
