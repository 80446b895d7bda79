package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIdentityLinks_AnAccountGoesToOtherIDsOnlyByConfirmation(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	file := filepath.Join(t.TempDir(), "policy.json5")
	write := func(ids string) {
		require.NoError(t, os.WriteFile(file, []byte(`{session: {identityLinks: {alice: [`+ids+`]}},
			channels: {matrix: {dmPolicy: "open", allowFrom: ["*"]}, irc: {dmPolicy: "open", allowFrom: ["*"]}}}`), 0o600))
	}
	write(`"matrix:@alice"`)
	s.operated("policy", "set", file)
	alice := s.bridge(direct("m1", "@alice", "say my secret"))
	require.Equal(t, "my secret", s.answered(alice))

	write(`"irc:mallory"`)
	for _, verb := range []string{"check", "set"} {
		said, err := s.operate("policy", verb, file)
		require.Error(t, err)
		require.Contains(t, said, `session.identityLinks.alice: the account "alice" (conversations: 1) was used by matrix:@alice`)
	}
	require.NotEqual(t, alice.Session, s.bridge(onIRC(direct("i1", "mallory", "say hello"))).Session)

	require.Contains(t, s.operated("policy", "links"), "matrix:@alice")
	s.operated("policy", "unlink", "alice")
	s.operated("policy", "set", file)
	s.crash()
	s.boot()
	other := s.bridge(onIRC(direct("i2", "mallory", "say hello")))
	require.NotEqual(t, alice.Session, other.Session)
	require.Equal(t, "hello", s.answered(other))

	write(`"matrix:@bob"`)
	s.operated("policy", "set", "--transfer", "alice", file)
	require.Contains(t, s.operated("policy", "history"), "alice")
	require.Equal(t, "hello", s.answered(s.bridge(direct("m2", "@bob", "say hello"))))
	require.Regexp(t, `alice +Carol +3 +matrix:@bob`, s.operated("policy", "links"))
}

func TestUnlink_AnIdentityIsAnAccountOfItsOwnAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(openOnTwo)
	home := s.bridge(direct("m1", "@carol", "say hi"))
	s.answered(home)
	code := codeForm.FindString(s.told(direct("m2", "@carol", "/link")))
	s.told(onIRC(direct("i1", "carol", "/link "+code)))
	require.Contains(t, s.operated("user", "unlink", "Carol"), "irc:carol")
	require.Contains(t, s.told(onIRC(direct("i2", "carol", "/unlink"))), "not linked any more")
	require.NotContains(t, s.operated("user", "unlink", "Carol"), "irc:carol")
	said, err := s.operate("user", "unlink", "Carol", "irc:carol")
	require.Error(t, err)
	require.Contains(t, said, "has no identity")
}
