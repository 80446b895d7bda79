package trigger

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/hex"
	"strings"

	"xbot/internal/automation/trigger/triggerstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/turn/session"
	"xbot/internal/user/users"
)

// Prefix begins the paths at which triggers are called.
const Prefix = "/hooks/"

// defaultPerMinute is the default limit of the calls of a trigger in a minute.
const defaultPerMinute = 60

// Store holds the triggers of users, with their secrets sealed. It is safe for concurrent use.
type Store struct {
	Triggers *triggerstore.Store
	Users    *users.Store
	Key      secret.Sealer
	// Base is the public address of this installation, without a slash at its end; empty: it is not known here.
	Base string
}

// Made is a trigger with its secret and example, which are shown once.
type Made struct {
	Trigger chat.Trigger `json:"trigger"`
	Secret  string       `json:"secret" doc:"Shown only once."`
	Example string       `json:"example" doc:"Shell commands that call the trigger. They hold the secret."`
}

// Add makes a trigger with a fresh secret. madeBy is the id of the request, which makes one trigger however often it is repeated;
// empty: a user. Invalid describes a mistake in the draft; Denied: the owner is a group.
func (b *Store) Add(ctx context.Context, owner chat.UserID, d chat.TriggerDraft, madeBy string) (Made, error) {
	who, err := b.Users.UserByID(ctx, owner)
	if err != nil {
		return Made{}, err
	}
	if who.Group {
		return Made{}, fault.Errorf(fault.Denied, "triggers belong to people, not to groups; make it in a direct conversation")
	}
	id := newID()
	d.Off = false
	if d.Source = cmp.Or(d.Source, chat.TriggerGeneric); !known(d.Source) {
		return Made{}, fault.Errorf(fault.Invalid, "the source %q is not known; there are github, gitlab and generic", d.Source)
	}
	if d, err = b.check(ctx, owner, id, d); err != nil {
		return Made{}, err
	}
	plain := newSecret()
	made, err := b.Triggers.AddTrigger(ctx, triggerstore.OwnedTrigger{
		Trigger: chat.Trigger{ID: id, TriggerDraft: d}, Owner: owner, Secret: b.Key.Seal([]byte(plain)), MadeBy: madeBy,
	})
	return b.withSecret(made, plain), err
}

func (b *Store) withSecret(t chat.Trigger, plain string) Made {
	t = b.placed(t)
	return Made{Trigger: t, Secret: plain, Example: Example(t, plain)}
}

// placed returns a trigger with the address at which it is called.
func (b *Store) placed(t chat.Trigger) chat.Trigger {
	t.URL = b.Base + Prefix + t.ID
	return t
}

func known(s chat.TriggerSource) bool {
	return s == chat.TriggerGitHub || s == chat.TriggerGitLab || s == chat.TriggerGeneric
}

// check completes a draft, or returns an error that describes its mistake.
func (b *Store) check(ctx context.Context, owner chat.UserID, id string, d chat.TriggerDraft) (chat.TriggerDraft, error) {
	d.Name = strings.Join(strings.Fields(unmarked.Replace(chat.Clean(d.Name))), " ")
	d.PerMinute = cmp.Or(d.PerMinute, defaultPerMinute)
	own := session.Key{Kind: session.KindHook, ID: id}.String()
	d.Session = cmp.Or(d.Session, own)
	switch {
	case d.Name == "" || len([]rune(d.Name)) > 60:
		return d, fault.Errorf(fault.Invalid, "a trigger needs a name of at most 60 characters")
	case d.PerMinute < 1 || d.PerMinute > 600:
		return d, fault.Errorf(fault.Invalid, "a trigger accepts 1 to 600 calls in a minute")
	}
	if strings.TrimSpace(d.Template) == "" {
		d.Template = ""
	} else if _, err := ParseTemplate(d.Template); err != nil {
		return d, err
	}
	if d.Session != own {
		if _, err := b.Triggers.SessionPlace(ctx, owner, d.Session); err != nil {
			return d, err
		}
	}
	if d.AnswerIn != "" {
		place, err := b.Triggers.SessionPlace(ctx, owner, d.AnswerIn)
		if err != nil {
			return d, err
		}
		if place == nil {
			return d, fault.Errorf(fault.Invalid, "the conversation %q is on no platform, so nothing can be delivered there; let it be called itself", d.AnswerIn)
		}
	}
	return d, nil
}

// List returns the triggers of a user.
func (b *Store) List(ctx context.Context, owner chat.UserID) ([]chat.Trigger, error) {
	all, err := b.Triggers.Triggers(ctx, owner)
	for i, t := range all {
		all[i] = b.placed(t)
	}
	return all, err
}

// Find returns a trigger of a user by its id or name.
func (b *Store) Find(ctx context.Context, owner chat.UserID, word string) (chat.Trigger, error) {
	t, err := b.Triggers.FindTrigger(ctx, owner, word)
	return b.placed(t.Trigger), err
}

// OnPlatform reports whether a conversation of a user is on a platform, where replies can be delivered.
func (b *Store) OnPlatform(ctx context.Context, owner chat.UserID, key chat.SessionKey) (bool, error) {
	place, err := b.Triggers.SessionPlace(ctx, owner, key)
	return place != nil, err
}

// Change replaces the fields of a trigger that its owner may change.
func (b *Store) Change(ctx context.Context, owner chat.UserID, id string, d chat.TriggerDraft) (chat.Trigger, error) {
	now, err := b.own(ctx, owner, id)
	if err != nil {
		return chat.Trigger{}, err
	}
	if d.Source != "" && d.Source != now.Source {
		return chat.Trigger{}, fault.Errorf(fault.Invalid, "the source of a trigger cannot be changed; make another one")
	}
	if d, err = b.check(ctx, owner, id, d); err != nil {
		return chat.Trigger{}, err
	}
	if err := b.Triggers.ReplaceTrigger(ctx, owner, id, d); err != nil {
		return chat.Trigger{}, err
	}
	return b.Find(ctx, owner, id)
}

// Enable switches a trigger on or off.
func (b *Store) Enable(ctx context.Context, owner chat.UserID, word string, enabled bool) (chat.Trigger, error) {
	t, err := b.Find(ctx, owner, word)
	if err != nil {
		return t, err
	}
	t.Off = !enabled
	return t, b.Triggers.ReplaceTrigger(ctx, owner, t.ID, t.TriggerDraft)
}

// Renew gives a trigger another secret. Calls that are signed with the one before are refused from then on.
func (b *Store) Renew(ctx context.Context, owner chat.UserID, id string) (Made, error) {
	t, err := b.own(ctx, owner, id)
	if err != nil {
		return Made{}, err
	}
	plain := newSecret()
	return b.withSecret(t, plain), b.Triggers.SetTriggerSecret(ctx, owner, id, b.Key.Seal([]byte(plain)))
}

// Remove deletes a trigger and its history. The conversation that it called stays.
func (b *Store) Remove(ctx context.Context, owner chat.UserID, word string) (chat.Trigger, error) {
	t, err := b.Find(ctx, owner, word)
	if err != nil {
		return t, err
	}
	return t, b.Triggers.DeleteTrigger(ctx, owner, t.ID)
}

func (b *Store) own(ctx context.Context, owner chat.UserID, id string) (chat.Trigger, error) {
	t, err := b.Triggers.Trigger(ctx, id)
	if err == nil && t.Owner != owner {
		err = fault.Errorf(fault.NotFound, "there is no such trigger")
	}
	return t.Trigger, err
}

// newID returns an id that cannot be guessed: 128 bits in lower case.
func newID() string {
	raw := make([]byte, 16)
	rand.Read(raw) // never fails
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw))
}

// newSecret returns 256 random bits in hexadecimal digits, which need no quoting in a shell or a form.
func newSecret() string {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails
	return hex.EncodeToString(raw)
}
