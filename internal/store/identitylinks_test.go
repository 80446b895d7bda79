package store_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/turn/policy"
	"xbot/internal/user/settings"
	"xbot/internal/user/users"
)

// try puts a policy with these links in force.
func (b *bundle) try(links map[string][]string, transfer ...string) error {
	b.t.Helper()
	p := policy.Policy{Session: policy.Session{IdentityLinks: links}}
	version, _, err := b.Settings.PolicyAfter(b.t.Context(), 0)
	require.NoError(b.t, err)
	_, err = b.Settings.ReplacePolicy(b.t.Context(), settings.PolicyChange{By: b.user.ID, Body: p.JSON(), From: version, Transfer: transfer})
	return err
}

func (b *bundle) putLinks(links map[string][]string, transfer ...string) {
	b.t.Helper()
	require.NoError(b.t, b.try(links, transfer...))
}

// linked is the user as whom an id of a policy writes.
func (b *bundle) linked(name, id string) chat.UserID {
	b.t.Helper()
	channel, peer, _ := strings.Cut(id, ":")
	u, err := b.Links.Linked(b.t.Context(), name, channel, "", peer)
	require.NoError(b.t, err)
	return u.ID
}

func TestLinked_IsTheOperatorsUserAndNoNamesake(t *testing.T) {
	b := setup(t)
	b.putLinks(map[string][]string{"admin": {"feishu:ou_1"}, "alice": {"feishu:ou_1"}})
	u, err := b.Links.Linked(t.Context(), "admin", "feishu", "", "ou_1")
	require.NoError(t, err)
	require.Equal(t, b.user.ID, u.ID, "the policy's administrator named their own account")

	stranger, err := b.Users.Person(t.Context(), "feishu", "", "ou_9", "alice")
	require.NoError(t, err)
	require.Equal(t, "alice", stranger.Name)
	alice, err := b.Links.Linked(t.Context(), "alice", "feishu", "", "ou_1")
	require.NoError(t, err)
	require.NotEqual(t, stranger.ID, alice.ID, "who calls themselves alice is not the alice of the policy")
	again, err := b.Links.Linked(t.Context(), "alice", "feishu", "", "ou_1")
	require.NoError(t, err)
	require.Equal(t, alice.ID, again.ID)
}

func TestLinked_KeepsTheUserThatThePeerHas(t *testing.T) {
	b := setup(t)
	bob, err := b.Users.Person(t.Context(), "feishu", "", "ou_1", "Bob")
	require.NoError(t, err)
	b.putLinks(map[string][]string{"robert": {"feishu:ou_1", "qq:u2"}})
	u, err := b.Links.Linked(t.Context(), "robert", "feishu", "", "ou_1")
	require.NoError(t, err)
	require.Equal(t, bob.ID, u.ID)
	other, err := b.Links.Linked(t.Context(), "robert", "qq", "", "u2")
	require.NoError(t, err)
	require.Equal(t, bob.ID, other.ID, "the name keeps its user, whichever peer writes")
}

// identityLinks are those of a policy, written short.
type identityLinks = map[string][]string

func TestIdentityLinks_NoAccountGoesToOtherIDsUnconfirmed(t *testing.T) {
	for name, c := range map[string]struct {
		before  identityLinks
		writes  []string // ids that write as alice, in order
		met     []string // ids that had accounts before the link
		after   identityLinks
		refused bool
	}{
		"a corrected id":                                {before: identityLinks{"alice": {"telegram:1"}}, writes: []string{"telegram:1"}, after: identityLinks{"alice": {"telegram:2"}}, refused: true},
		"a corrected id that nobody used":               {before: identityLinks{"alice": {"telegram:1", "qq:1"}}, writes: []string{"qq:1"}, after: identityLinks{"alice": {"telegram:2", "qq:1"}}},
		"a corrected id, and the right one has written": {before: identityLinks{"alice": {"telegram:1", "qq:1"}}, writes: []string{"telegram:1", "qq:1"}, after: identityLinks{"alice": {"qq:1"}}},
		"the right one was listed and has not written":  {before: identityLinks{"alice": {"telegram:1", "qq:1"}}, writes: []string{"telegram:1"}, after: identityLinks{"alice": {"qq:1"}}, refused: true},
		"nobody has written":                            {before: identityLinks{"alice": {"telegram:1"}}, after: identityLinks{"alice": {"telegram:2"}}},
		"an id that is added":                           {before: identityLinks{"alice": {"telegram:1"}}, writes: []string{"telegram:1"}, after: identityLinks{"alice": {"telegram:1", "qq:1"}}},
		"another person":                                {before: identityLinks{"alice": {"telegram:1"}}, writes: []string{"telegram:1"}, after: identityLinks{"alice": {"telegram:1"}, "bob": {"telegram:2"}}},
		"two names that are exchanged":                  {before: identityLinks{"alice": {"telegram:1"}, "bob": {"telegram:2"}}, writes: []string{"telegram:1"}, after: identityLinks{"alice": {"telegram:2"}, "bob": {"telegram:1"}}, refused: true},
		"a name without ids":                            {before: identityLinks{"alice": {"telegram:1"}}, writes: []string{"telegram:1"}, after: identityLinks{"alice": {}}},
		"the account was a stranger's before the link":  {before: identityLinks{"alice": {"telegram:1", "qq:1"}}, met: []string{"telegram:1"}, writes: []string{"telegram:1", "qq:1"}, after: identityLinks{"alice": {"qq:1"}}, refused: true},
		"a stranger who wrote second had an account":    {before: identityLinks{"alice": {"telegram:1", "qq:1"}}, met: []string{"telegram:1"}, writes: []string{"qq:1", "telegram:1"}, after: identityLinks{"alice": {"qq:1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			for _, id := range c.met {
				channel, peer, _ := strings.Cut(id, ":")
				_, err := b.Users.Person(t.Context(), channel, "", peer, "")
				require.NoError(t, err)
			}
			b.putLinks(c.before)
			for _, id := range c.writes {
				b.linked("alice", id)
			}
			p := policy.Policy{Session: policy.Session{IdentityLinks: c.after}}
			transfers, err := b.Links.Transfers(t.Context(), &p)
			require.NoError(t, err)
			err = b.try(c.after)
			if !c.refused {
				require.NoError(t, err)
				require.Empty(t, transfers)
				return
			}
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			require.Len(t, transfers, 1)
			require.Equal(t, []string{transfers[0].Fault()}, policy.FaultsOf(err))
			require.Contains(t, err.Error(), "session.identityLinks.alice")
			require.Contains(t, err.Error(), c.writes[0])

			_, body, err := b.Settings.PolicyAfter(t.Context(), 0)
			require.NoError(t, err)
			var inForce policy.Policy
			require.NoError(t, json.Unmarshal(body, &inForce))
			require.Equal(t, c.before, inForce.Session.IdentityLinks, "the document before it is in force")
			b.putLinks(c.after, "alice")
		})
	}
}

func TestIdentityLinks_ANameThatIsUsedAgainGetsNoAccount(t *testing.T) {
	b := setup(t)
	b.putLinks(identityLinks{"alice": {"feishu:ou_1"}})
	first := b.linked("alice", "feishu:ou_1")
	b.putLinks(identityLinks{})
	require.Error(t, b.try(identityLinks{"alice": {"telegram:1"}}))
	b.putLinks(identityLinks{"alice": {"feishu:ou_1"}})
	require.Equal(t, first, b.linked("alice", "feishu:ou_1"), "the person themselves is known again")

	b.putLinks(identityLinks{})
	require.NoError(t, b.Links.RemoveIdentityLink(t.Context(), "alice"))
	b.putLinks(identityLinks{"alice": {"telegram:1"}})
	require.NotEqual(t, first, b.linked("alice", "telegram:1"))
	require.True(t, fault.Is(b.Links.RemoveIdentityLink(t.Context(), "bob"), fault.NotFound))
}

func TestIdentityLinks_ATransferShutsTheFormerIDsOutAndIsRecorded(t *testing.T) {
	b := setup(t)
	stranger, err := b.Users.Person(t.Context(), "telegram", "", "1", "Mallory")
	require.NoError(t, err)
	b.putLinks(identityLinks{"alice": {"telegram:1"}})
	require.Equal(t, stranger.ID, b.linked("alice", "telegram:1"))
	_, hash := secret.NewToken()
	_, err = b.Users.CreateToken(t.Context(), stranger.ID, users.Token{Name: "phone"}, hash)
	require.NoError(t, err)

	require.Error(t, b.try(identityLinks{"alice": {"telegram:2"}}, "bob"), "confirms another name")
	b.putLinks(identityLinks{"alice": {"telegram:2"}}, "alice")
	require.Equal(t, stranger.ID, b.linked("alice", "telegram:2"), "the account is alice's")
	again, err := b.Users.Person(t.Context(), "telegram", "", "1", "Mallory")
	require.NoError(t, err)
	require.NotEqual(t, stranger.ID, again.ID, "the stranger has another account")
	tokens, err := b.Users.Tokens(t.Context(), stranger.ID)
	require.NoError(t, err)
	require.Empty(t, tokens)
	versions, err := b.Settings.PolicyVersions(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, []string{"alice"}, versions[0].Transfers)
	require.Empty(t, versions[1].Transfers)

	err = b.try(identityLinks{"alice": {"telegram:2"}}, "alice")
	require.True(t, fault.Is(err, fault.Invalid), "nothing is transferred: %v", err)
}

func TestIdentityLinks_AnIDThatTheNewestPolicyDoesNotListGetsNoAccount(t *testing.T) {
	b := setup(t)
	b.putLinks(identityLinks{"alice": {"telegram:1"}})
	b.linked("alice", "telegram:1")
	for _, name := range []string{"alice", "bob"} {
		_, err := b.Links.Linked(t.Context(), name, "telegram", "", "9")
		require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	}
}
