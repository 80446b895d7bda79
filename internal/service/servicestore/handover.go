package servicestore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/service/dbsqlc"
	"xbot/internal/turn/attachments"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/users"
)

// OutcomeTaken is the outcome of a message that an administrator answers, and no turn.
const OutcomeTaken = "taken"

// Actor is an administrator who acts on a conversation of a consumer, and from where.
type Actor struct {
	User chat.UserID
	Name string
	// From is the chat of a platform in which they write, with channel and account: they get the consumer's messages there, while the
	// conversation is theirs. Nil: they are on the page.
	From *chat.Address
}

// Handover is the state of who answers in a conversation of a consumer.
type Handover struct {
	Session              chat.SessionKey
	Service, ServiceName string
	Conversation, Title  string
	Consumer             chat.UserID
	Admin                chat.UserID // whose service it is
	Taken                chat.UserID // the administrator who answers; 0: the agent answers
	TakenName            string
	SaidFrom             *chat.Address // the chat of an administrator; nil: no administrator is notified
}

func handoverOf(key chat.SessionKey, r dbsqlc.ServiceHandoverHoldRow) (Handover, error) {
	h := Handover{
		Session: key, Service: r.ServiceID, ServiceName: r.ServiceName, Conversation: r.ID, Title: r.Title, Consumer: r.UserID, Admin: r.AdminID, TakenName: r.TakenName,
	}
	if r.TakenBy != nil {
		h.Taken = chat.UserID(*r.TakenBy)
	}
	if len(r.SaidFrom) == 0 || !r.Tells {
		return h, nil
	}
	h.SaidFrom = &chat.Address{}
	if err := json.Unmarshal(r.SaidFrom, h.SaidFrom); err != nil {
		return h, fmt.Errorf("read from where somebody speaks in %s: %w", key, err)
	}
	return h, nil
}

// LockHandover returns who answers in a session, and locks that until the transaction ends. ok is false for a session that is no consumer's.
func LockHandover(ctx context.Context, tx *pg.Tx, key chat.SessionKey) (h Handover, ok bool, err error) {
	if _, _, is := service.Of(key); !is {
		return Handover{}, false, nil
	}
	row, err := dbsqlc.Q.ServiceHandoverHold(ctx, tx, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return Handover{}, false, nil
	}
	if err != nil {
		return Handover{}, false, fmt.Errorf("look who answers in %s: %w", key, err)
	}
	h, err = handoverOf(key, row)
	return h, err == nil, err
}

// lockForChange is LockHandover for callers that change it. It returns NotFound if the conversation is gone.
func lockForChange(ctx context.Context, tx *pg.Tx, c service.Conversation) (Handover, error) {
	row, err := dbsqlc.Q.ServiceHandoverLock(ctx, tx, c.Session)
	if errors.Is(err, pgx.ErrNoRows) {
		return Handover{}, fault.Errorf(fault.NotFound, "there is no conversation %q", c.ID)
	}
	if err != nil {
		return Handover{}, fmt.Errorf("lock conversation %s: %w", c.ID, err)
	}
	return handoverOf(c.Session, dbsqlc.ServiceHandoverHoldRow(row))
}

// Handovers returns which of some conversations are handed over, and to whom.
func (s *Store) Handovers(ctx context.Context, sessions []chat.SessionKey) (map[chat.SessionKey]string, error) {
	keys := make([]string, len(sessions))
	for i, key := range sessions {
		keys[i] = string(key)
	}
	rows, err := dbsqlc.Q.ServiceHandoverOf(ctx, s.db.Pool, keys)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look who has taken conversations: %w", err))
	}
	out := map[chat.SessionKey]string{}
	for _, r := range rows {
		out[r.SessionKey] = r.Name
	}
	return out, nil
}

// TakeIn has an administrator answer in place of the agent: the turn that runs is stopped, and waiting messages go into the transcript for
// them to answer, stamped in the first of the zones that is known if the administrator has set none. Tasks wait. Done again it changes
// nothing but who has it. It returns Denied if they are no administrator. It returns the turn that is stopped, empty if none ran.
func (s *Store) TakeIn(ctx context.Context, c service.Conversation, by Actor, zones []string) (chat.TurnID, error) {
	var stops chat.TurnID
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		stops = ""
		if err := cronstore.LockTrack(ctx, tx); err != nil {
			return err
		}
		if err := mayAnswer(ctx, tx, by.User); err != nil {
			return err
		}
		h, err := lockForChange(ctx, tx, c)
		if err != nil {
			return err
		}
		if err := s.noteFrom(ctx, tx, c.Session, by); err != nil {
			return err
		}
		if h.Taken == by.User {
			return nil
		}
		if h.Taken == 0 {
			if err := keepWaiting(ctx, tx, h, zones); err != nil {
				return err
			}
			if err := cronstore.PutBack(ctx, tx, c.Session); err != nil {
				return err
			}
		}
		if err := dbsqlc.Q.ServiceHandoverSet(ctx, tx, dbsqlc.ServiceHandoverSetParams{SessionKey: c.Session, TakenBy: new(int64(by.User))}); err != nil {
			return fmt.Errorf("take conversation %s: %w", c.ID, err)
		}
		if h.Taken == 0 {
			tx.Emit(c.Session, chat.EventHandover, chat.Handover{Person: true})
			stops, err = stopTurn(ctx, tx, c.Session, by.User)
		}
		return err
	})
	return stops, err
}

// mayAnswer is Denied unless a user is an administrator, and locks that role until the transaction ends.
func mayAnswer(ctx context.Context, tx *pg.Tx, user chat.UserID) error {
	_, err := dbsqlc.Q.ServiceHandoverMay(ctx, tx, user)
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.Errorf(fault.Denied, "only administrators answer in conversations of services")
	}
	if err != nil {
		return fmt.Errorf("look whether user %d is an administrator: %w", user, err)
	}
	return nil
}

// keepWaiting puts what waits for a turn into the transcript. A turn that claims at the same time comes first, and is stopped.
func keepWaiting(ctx context.Context, tx *pg.Tx, h Handover, zones []string) error {
	rows, err := dbsqlc.Q.ServiceHandoverWaiting(ctx, tx, h.Session)
	if err != nil {
		return fmt.Errorf("read what waits in %s: %w", h.Session, err)
	}
	for _, r := range rows {
		kept, err := dbsqlc.Q.ServiceHandoverKept(ctx, tx, r.ID)
		if err != nil {
			return fmt.Errorf("keep message %d: %w", r.ID, err)
		}
		if kept == 0 {
			continue
		}
		w := ConsumerMessage{ID: r.ID, ClientID: r.PlatformID, Text: r.Body, At: r.AcceptedAt}
		if r.Files > 0 {
			files, err := attachments.Of(ctx, tx, w.ID)
			if err != nil {
				return err
			}
			w.Text = chat.TextWithAttachments(w.Text, files)
			for _, f := range files {
				if f.Picture != nil {
					w.Pictures = append(w.Pictures, *f.Picture)
				}
			}
		}
		if err := appendWritten(ctx, tx, h, w, zones); err != nil {
			return err
		}
	}
	return nil
}

// stopTurn stops the turn that runs by a row that names it, as a user's stop does. The conversation is taken before, which looks at all that
// waits: a claim that took some of it has ended by then.
func stopTurn(ctx context.Context, tx *pg.Tx, key chat.SessionKey, by chat.UserID) (chat.TurnID, error) {
	turn, err := dbsqlc.Q.TurnRunning(ctx, tx, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("find the running turn: %w", err)
	}
	err = dbsqlc.Q.ServiceStopTurn(ctx, tx, dbsqlc.ServiceStopTurnParams{
		SessionKey: key, UserID: by, Channel: service.InboxChannel, PlatformID: "take-" + rand.Text(), Turn: string(turn),
	})
	if err != nil {
		return "", fmt.Errorf("stop the turn: %w", err)
	}
	tx.WakeTurn(key, service.Channel, "taken")
	return turn, nil
}

// GiveConversation lets the agent answer again, from the next message on. given is false if there was no handover.
func (s *Store) GiveConversation(ctx context.Context, c service.Conversation) (given bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		h, err := lockForChange(ctx, tx, c)
		if given = err == nil && h.Taken != 0; !given {
			return err
		}
		if err := dbsqlc.Q.ServiceHandoverSet(ctx, tx, dbsqlc.ServiceHandoverSetParams{SessionKey: c.Session}); err != nil {
			return fmt.Errorf("give conversation %s back: %w", c.ID, err)
		}
		tx.Emit(c.Session, chat.EventHandover, chat.Handover{})
		tx.WakeTurn(c.Session, service.Channel, "given back") // jobs may have finished in the meantime
		tx.WakeTrack()
		return nil
	})
	return given && err == nil, err
}

// noteFrom records the chat from which an administrator writes.
func (s *Store) noteFrom(ctx context.Context, tx *pg.Tx, key chat.SessionKey, by Actor) error {
	p := dbsqlc.ServiceSaidFromParams{SessionKey: key, SaidBy: int64(by.User)}
	if by.From != nil {
		at := *by.From
		at.ReplyTo, at.InThread, at.Names, at.Aside = "", false, nil, false
		p.SaidFrom, _ = json.Marshal(at) //nolint:errchkjson // strings only
	}
	if err := dbsqlc.Q.ServiceSaidFrom(ctx, tx, p); err != nil {
		return fmt.Errorf("note from where somebody speaks in %s: %w", key, err)
	}
	return nil
}

// saidBefore is the line before an administrator's message that the model reads.
const saidBefore = "[A person of the house said this to the visitor, in your place.]\n"

// Say adds an administrator's message to a conversation, in place of the agent, with or without a handover. The same id again adds it once.
// It returns Denied if the user is no administrator.
func (s *Store) Say(ctx context.Context, c service.Conversation, by Actor, id, text string) (said chat.Message, err error) {
	return s.sayAbout(ctx, c, by, id, text, "")
}

// sayAbout is Say where it answers an item of the inbox, which is handled by that; an empty item: none.
func (s *Store) sayAbout(ctx context.Context, c service.Conversation, by Actor, id, text, item string) (said chat.Message, err error) {
	if text = chat.Clean(text); text == "" || utf8.RuneCountInString(text) > service.MaxSaid {
		return said, fault.Errorf(fault.Invalid, "write 1 to %d characters", service.MaxSaid)
	}
	if id == "" || len(id) > maxSaidID || chat.Clean(id) != id {
		return said, fault.Errorf(fault.Invalid, "client_message_id must have between 1 and %d bytes", maxSaidID)
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if said, err = s.say(ctx, tx, c, by, id, text); err != nil || item == "" {
			return err
		}
		if _, err := dbsqlc.Q.ServiceInboxSet(ctx, tx, dbsqlc.ServiceInboxSetParams{ID: item, Status: string(service.ItemHandled), AnsweredBy: new(int64(by.User))}); err != nil {
			return fmt.Errorf("note the answer to %s: %w", item, err)
		}
		return nil
	})
	return said, err
}

const maxSaidID = 160

func (s *Store) say(ctx context.Context, tx *pg.Tx, c service.Conversation, by Actor, id, text string) (chat.Message, error) {
	if err := mayAnswer(ctx, tx, by.User); err != nil {
		return chat.Message{}, err
	}
	if _, err := lockForChange(ctx, tx, c); err != nil {
		return chat.Message{}, err
	}
	m := chat.Message{Session: c.Session, Role: chat.RoleAssistant, Origin: chat.OriginPerson, Content: saidBefore + text, Sender: by.Name, ClientMessageID: id}
	known, err := dbsqlc.Q.ServiceSaidBefore(ctx, tx, dbsqlc.ServiceSaidBeforeParams{SessionKey: c.Session, ClientMessageID: id})
	if err == nil {
		if known.Said != text {
			return m, fault.Errorf(fault.Conflict, "client_message_id %q was used before for something else: use a new one", id)
		}
		m.ID, m.Content = known.ID, text
		return m, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return m, fmt.Errorf("look whether it was said: %w", err)
	}
	if err := s.noteFrom(ctx, tx, c.Session, by); err != nil {
		return m, err
	}
	err = conversation.AppendShown(ctx, tx, &m, "", nil, &text)
	m.Content = text
	return m, err
}

// ConsumerMessage is a consumer's message during a handover.
type ConsumerMessage struct {
	ID       chat.InboxID
	ClientID string
	Text     string // with a line about each file
	Pictures []chat.PictureRef
	At       time.Time // zero: now
}

// Keep puts a consumer's message into the transcript of a conversation under handover, and notifies the administrator of it in the chat that they
// write from.
func Keep(ctx context.Context, tx *pg.Tx, h Handover, w ConsumerMessage, zones []string) error {
	if err := appendWritten(ctx, tx, h, w, zones); err != nil {
		return err
	}
	return tellWritten(ctx, tx, h, w)
}

func appendWritten(ctx context.Context, tx *pg.Tx, h Handover, w ConsumerMessage, zones []string) error {
	zone, err := users.ZoneOf(ctx, tx, h.Admin, zones)
	if err != nil {
		return err
	}
	if w.At.IsZero() {
		w.At = time.Now()
	}
	m := chat.Message{Session: h.Session, Role: chat.RoleUser, Content: w.Text, Inbox: w.ID, ClientMessageID: w.ClientID, Pictures: w.Pictures}
	return conversation.AppendMessage(ctx, tx, &m, chat.PrefaceIn(w.At, zone, ""))
}
