package users

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
)

// Kinds of users and identities.
const (
	KindPerson = "person" // of a person who writes
	kindGroup  = "group"
	kindLink   = "link" // a name of identityLinks in the policy

	KindService  = "service"  // an agent that an administrator has published
	KindConsumer = "consumer" // one conversation of a consumer with a service
)

// ChannelSignOn is the channel of identities that come from an OpenID Connect provider.
const ChannelSignOn = "oidc"

const (
	// maxNameRunes bounds the name of a user that is made here.
	maxNameRunes = 64
	// maxNames is the number of names that are tried for a new user before it is given up.
	maxNames = 1000
)

// identity is the person, group or link name behind a user.
type identity struct {
	kind, channel, account, peer string

	userKind string
	names    []string // for a new user, the best first; the last one gets a number where it is taken, too
	met      bool     // the name is self-chosen

	writes *identity // of a link: the peer who writes

	union, member string // of a person, if the platform gives it
}

// Person returns the user of a peer on a channel, making one at their first accepted message. The user is called by their
// display name if no other user has it, ignoring case, else by channel and peer. A name gives no rights: a person with
// the name of a user of the installation is another user.
func (s *Store) Person(ctx context.Context, channel, account, peer, name string) (User, error) {
	return s.Meet(ctx, channel, account, chat.Peer{ID: peer, Name: name})
}

// Meet is Person for a peer whose id under all bots of one owner the platform may give: at a second bot they are the same
// user as at the first. Meet stores that id.
func (s *Store) Meet(ctx context.Context, channel, account string, who chat.Peer) (User, error) {
	id := identity{
		kind: KindPerson, channel: channel, account: account, peer: who.ID, userKind: KindPerson, met: true, union: who.Union, member: who.Member,
		names: namesOf(channel, who),
	}
	u, err := s.userFor(ctx, id)
	if err != nil || id.union == "" && id.member == "" {
		return u, err
	}
	return u, pg.Classify(dbsqlc.Q.IdentityNote(ctx, s.db.Pool, dbsqlc.IdentityNoteParams{
		Channel: channel, Account: account, Peer: who.ID, UnionID: id.union, MemberID: id.member,
	}))
}

// namesOf returns the names that the user of a person may have, the best first.
func namesOf(channel string, who chat.Peer) (names []string) {
	if shown := CleanName(who.Name); shown != "" && !strings.Contains(shown, ":") { // only xbot makes ids with colons
		names = append(names, shown)
	}
	return append(names, CleanName(channel+":"+who.ID))
}

// Separate makes a user for a person who has another one until now.
func Separate(ctx context.Context, t *pg.Tx, channel string, who chat.Peer) (User, error) {
	row, err := newUser(ctx, t, identity{userKind: KindPerson, names: namesOf(channel, who), met: true})
	return UserOf(row), err
}

// Recognized is the known user of a peer who writes.
type Recognized struct {
	User  User
	Known bool // they have a user
	Noted bool // there is nothing that Meet would add
}

// Recognize returns the user of a peer: by their id at this bot, else by the one that they have under all bots of its owner.
func (s *Store) Recognize(ctx context.Context, channel, account string, who chat.Peer) (Recognized, error) {
	row, err := dbsqlc.Q.IdentityRecognize(ctx, s.db.Pool, dbsqlc.IdentityRecognizeParams{Channel: channel, Account: account, Peer: who.ID, UnionID: who.Union})
	if errors.Is(err, pgx.ErrNoRows) {
		return Recognized{}, nil
	}
	if err != nil {
		return Recognized{}, pg.Classify(err)
	}
	noted := row.Here && (who.Union == "" || row.UnionID == who.Union) && (who.Member == "" || row.MemberID == who.Member)
	return Recognized{User: UserOf(row.User), Known: true, Noted: noted}, nil
}

// ForLink returns the user of a name of identityLinks: the one that an operator made under this name, not one who has this name on a
// channel; else the user that the peer who writes has already; else a new one.
func ForLink(ctx context.Context, t *pg.Tx, name, channel, account, peer string) (User, error) {
	link := identity{kind: kindLink, peer: name, userKind: KindPerson, names: []string{CleanName(name)}}
	link.writes = &identity{kind: KindPerson, channel: channel, account: account, peer: peer}
	row, err := makeUser(ctx, t, link)
	return UserOf(row), err
}

// KnownPerson returns the user of a peer on a channel; ok is false for a person who was never admitted.
func (s *Store) KnownPerson(ctx context.Context, channel, account, peer string) (u User, ok bool, err error) {
	row, err := dbsqlc.Q.IdentityUser(ctx, s.db.Pool, identity{kind: KindPerson, channel: channel, account: account, peer: peer}.params())
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, false, nil
	}
	return UserOf(row), err == nil, pg.Classify(err)
}

// GroupUser returns the user that the conversations of a group or channel belong to, so that rights, runners, memory and
// usage are the group's, no matter who writes there. No person can sign in as such a user.
func (s *Store) GroupUser(ctx context.Context, channel string, t chat.ChatType, id string) (User, error) {
	kind := kindGroup
	if t == chat.ChatChannel {
		kind = string(chat.ChatChannel)
	}
	name := CleanName(channel + ":" + kind + ":" + id)
	return s.userFor(ctx, identity{kind: kind, channel: channel, peer: id, userKind: kindGroup, names: []string{name}})
}

// userFor finds the user of an identity, or makes it: once, even if several transactions ask at the same time.
func (s *Store) userFor(ctx context.Context, id identity) (User, error) {
	row, err := dbsqlc.Q.IdentityUser(ctx, s.db.Pool, id.params())
	if errors.Is(err, pgx.ErrNoRows) {
		err = s.db.InTx(ctx, func(tx *pg.Tx) error {
			row, err = makeUser(ctx, tx, id)
			return err
		})
	}
	if err != nil {
		return User{}, pg.Classify(fmt.Errorf("find the user of a %s on %s: %w", id.kind, id.channel, err))
	}
	return UserOf(row), nil
}

func (id identity) params() dbsqlc.IdentityUserParams {
	return dbsqlc.IdentityUserParams{Kind: id.kind, Channel: id.channel, Account: id.account, Peer: id.peer}
}

func makeUser(ctx context.Context, t *pg.Tx, id identity) (dbsqlc.User, error) {
	locks := []string{strings.Join([]string{"identity", id.kind, id.channel, id.account, id.peer}, "\x1f")}
	if id.union != "" {
		locks = append(locks, strings.Join([]string{"union", id.channel, id.union}, "\x1f"))
	}
	for _, lock := range locks {
		if err := t.LockName(ctx, lock); err != nil {
			return dbsqlc.User{}, fmt.Errorf("lock the identity: %w", err)
		}
	}
	row, err := dbsqlc.Q.IdentityUser(ctx, t, id.params())
	if !errors.Is(err, pgx.ErrNoRows) {
		return row, err
	}
	if row, err = chooseUser(ctx, t, id); err != nil {
		return row, err
	}
	return row, dbsqlc.Q.IdentityAdd(ctx, t, dbsqlc.IdentityAddParams{
		Kind: id.kind, Channel: id.channel, Account: id.account, Peer: id.peer, UserID: row.ID, UnionID: id.union, MemberID: id.member,
	})
}

// chooseUser returns the user that an operator made for a name of the policy, the one of the same person at another bot, or a new one
// of the first free name.
func chooseUser(ctx context.Context, t *pg.Tx, id identity) (dbsqlc.User, error) {
	if id.kind == kindLink {
		row, err := dbsqlc.Q.UserOfOperator(ctx, t, id.names[0])
		if errors.Is(err, pgx.ErrNoRows) {
			row, err = dbsqlc.Q.IdentityUser(ctx, t, id.writes.params())
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return row, err
		}
	}
	if id.union != "" {
		row, err := dbsqlc.Q.IdentityRecognize(ctx, t, dbsqlc.IdentityRecognizeParams{Channel: id.channel, Account: id.account, Peer: id.peer, UnionID: id.union})
		if !errors.Is(err, pgx.ErrNoRows) {
			return row.User, err
		}
	}
	return newUser(ctx, t, id)
}

// newUser makes a user of the first free name.
func newUser(ctx context.Context, t *pg.Tx, id identity) (dbsqlc.User, error) {
	last := id.names[len(id.names)-1]
	for n := range maxNames {
		name := last + "#" + strconv.Itoa(n-len(id.names)+2)
		if n < len(id.names) {
			name = id.names[n]
		}
		row, err := dbsqlc.Q.UserAdd(ctx, t, dbsqlc.UserAddParams{Name: name, Kind: id.userKind, Met: id.met})
		if !errors.Is(err, pgx.ErrNoRows) {
			return row, err
		}
	}
	return dbsqlc.User{}, fault.Errorf(fault.Conflict, "no free name for another %q", last)
}

// CleanName makes a name that fits on one line out of a platform's display name: without control and format
// characters, spaces as one space, at most 64 characters. It may come out empty.
func CleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, chat.Clean(name))
	name = strings.Join(strings.Fields(name), " ")
	if r := []rune(name); len(r) > maxNameRunes {
		name = strings.TrimSpace(string(r[:maxNameRunes]))
	}
	return name
}

// SessionOwner returns the user that a conversation belongs to. NotFound where there is no such session.
func (s *Store) SessionOwner(ctx context.Context, key chat.SessionKey) (User, error) {
	row, err := dbsqlc.Q.SessionOwner(ctx, s.db.Pool, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, fault.Errorf(fault.NotFound, "there is no session %q", key)
	}
	return UserOf(row), pg.Classify(err)
}
