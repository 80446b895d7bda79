package links

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/policy"
	"xbot/internal/user/dbsqlc"
	"xbot/internal/user/users"
)

// IdentityLink is a name of identityLinks with the account of those who have written under it.
type IdentityLink struct {
	Name          string      `json:"name"`
	IDs           []string    `json:"ids" doc:"IDs (channel:id) listed by the policy that have written as this user."`
	User          chat.UserID `json:"user_id"`
	Account       string      `json:"account" doc:"Name of the account."`
	Conversations int         `json:"conversations" doc:"Conversations of the account."`

	former []string // of IDs, those whose account it was before the link
}

// Linked returns the user of a name of identityLinks, for one of the ids that the policy lists under it: the user that an operator
// made under this name, not one who has this name on a channel; else the user that the first id which writes has already; else a new
// one. It is a Conflict if the newest policy does not list the id: the caller has an older one.
func (s *Store) Linked(ctx context.Context, name, channel, account, peer string) (users.User, error) {
	id := channel + ":" + peer
	row, err := dbsqlc.Q.LinkUser(ctx, s.db.Pool, dbsqlc.LinkUserParams{Name: name, ID: id})
	if err == nil && row.Wrote {
		return users.UserOf(row.User), nil
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return users.User{}, pg.Classify(fmt.Errorf("find the user of the link %q: %w", name, err))
	}
	var user users.User
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.LinkPolicyLock(ctx, tx); err != nil {
			return fmt.Errorf("lock policies: %w", err)
		}
		listed, err := dbsqlc.Q.LinkListed(ctx, tx, dbsqlc.LinkListedParams{Name: name, ID: id})
		if err != nil {
			return fmt.Errorf("read the link %q: %w", name, err)
		}
		if !listed {
			return fault.Errorf(fault.Conflict, "the policy does not list %s under %q any more", id, name)
		}
		if user, err = users.ForLink(ctx, tx, name, channel, account, peer); err != nil {
			return err
		}
		return dbsqlc.Q.LinkWrote(ctx, tx, dbsqlc.LinkWroteParams{Name: name, ID: id})
	})
	return user, err
}

// IdentityLinks lists the names of identityLinks that have an account, also those that the policy does not list any more.
func (s *Store) IdentityLinks(ctx context.Context) ([]IdentityLink, error) {
	links, err := identityLinks(ctx, s.db.Pool)
	return links, pg.Classify(err)
}

func identityLinks(ctx context.Context, db pg.DBTX) ([]IdentityLink, error) {
	rows, err := dbsqlc.Q.LinkList(ctx, db)
	if err != nil {
		return nil, fmt.Errorf("list identity links: %w", err)
	}
	links := make([]IdentityLink, len(rows))
	for i, r := range rows {
		links[i] = IdentityLink{
			Name: r.Name, IDs: r.LinkIds, User: r.UserID, Account: r.UserName, Conversations: int(r.Conversations), former: r.Former,
		}
	}
	return links, nil
}

// RemoveIdentityLink takes the account from a name of identityLinks: ids that the policy lists under it begin another one when they write next.
// The account keeps its conversations.
func (s *Store) RemoveIdentityLink(ctx context.Context, name string) error {
	n, err := dbsqlc.Q.LinkDelete(ctx, s.db.Pool, name)
	if err == nil && n == 0 {
		return fault.Errorf(fault.NotFound, "the name %q of identityLinks has no account", name)
	}
	return pg.Classify(err)
}

// Transfers returns the links whose account a policy would give to other people: it lists no id that has used the account, or
// none of those whose account it was before the link.
func (s *Store) Transfers(ctx context.Context, p *policy.Policy) ([]IdentityLink, error) {
	links, err := s.IdentityLinks(ctx)
	return slices.DeleteFunc(links, func(l IdentityLink) bool { return !l.transferred(p) }), err
}

// LinkNotes describes the accounts made by operators that a policy gives to ids under unused names.
func (s *Store) LinkNotes(ctx context.Context, p *policy.Policy) ([]string, error) {
	rows, err := dbsqlc.Q.LinkAccounts(ctx, s.db.Pool, slices.Sorted(maps.Keys(p.Session.IdentityLinks)))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the accounts of identity links: %w", err))
	}
	notes := make([]string, len(rows))
	for i, r := range rows {
		kind := "member"
		if r.Role == users.RoleAdmin {
			kind = "administrator"
		}
		notes[i] = fmt.Sprintf("session.identityLinks.%s: these ids get the account %q of a %s (conversations: %d) and its memory", r.Name, r.Name, kind, r.Conversations)
	}
	return notes, nil
}

func (l IdentityLink) transferred(p *policy.Policy) bool {
	listed := p.Session.IdentityLinks[l.Name]
	if len(listed) == 0 {
		return false
	}
	has := func(id string) bool { return slices.Contains(listed, id) }
	return !slices.ContainsFunc(l.IDs, has) || !slices.ContainsFunc(l.former, has) && len(l.former) > 0
}

// Fault explains why a policy that transfers the account is refused.
func (l IdentityLink) Fault() string {
	ids := l.former
	if len(ids) == 0 {
		ids = l.IDs
	}
	had := cmp.Or(strings.Join(ids, ", "), "ids that xbot has not recorded")
	return fmt.Sprintf("session.identityLinks.%s: the account %q (conversations: %d) was used by %s; list one of these ids, "+
		"or confirm that the ids listed now get the account (xbot policy set --transfer %q), "+
		"or let them begin another one (xbot policy unlink %q)", l.Name, l.Account, l.Conversations, had, l.Name, l.Name)
}

// FollowLinks brings the ids of identity links to those that a policy lists, which is about to be put in force. Accounts that it would
// transfer are Invalid unless confirmed names them; then all ids that are not listed lose access to them.
func FollowLinks(ctx context.Context, t *pg.Tx, p *policy.Policy, confirmed []string) error {
	links, err := identityLinks(ctx, t)
	if err != nil {
		return err
	}
	var faults policy.Faults
	rest := slices.Clone(confirmed)
	for _, l := range links {
		listed := p.Session.IdentityLinks[l.Name]
		if len(listed) == 0 { // the name keeps its account
			continue
		}
		ids := slices.DeleteFunc(slices.Clone(l.IDs), func(id string) bool { return !slices.Contains(listed, id) })
		if l.transferred(p) {
			if !slices.Contains(confirmed, l.Name) {
				faults = append(faults, l.Fault())
				continue
			}
			rest = slices.DeleteFunc(rest, func(name string) bool { return name == l.Name })
			ids = listed
			removed := slices.DeleteFunc(slices.Clone(l.former), func(id string) bool { return slices.Contains(listed, id) })
			if err := dbsqlc.Q.LinkTransfer(ctx, t, dbsqlc.LinkTransferParams{UserID: l.User, Listed: listed, Former: removed}); err != nil {
				return fmt.Errorf("transfer the account of the link %q: %w", l.Name, err)
			}
			if err := t.NotifyAccess(ctx); err != nil {
				return fmt.Errorf("announce the change of access: %w", err)
			}
		}
		if err := dbsqlc.Q.LinkSetIDs(ctx, t, dbsqlc.LinkSetIDsParams{Name: l.Name, Ids: ids}); err != nil {
			return fmt.Errorf("write the ids of the link %q: %w", l.Name, err)
		}
	}
	for _, name := range rest {
		faults = append(faults, fmt.Sprintf("session.identityLinks.%s: this account is not transferred by the document; confirm no transfer of it", name))
	}
	if len(faults) > 0 {
		return fault.Errorf(fault.Invalid, "%w", faults)
	}
	return nil
}
