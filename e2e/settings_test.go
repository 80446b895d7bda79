package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/apiclient"
)

// prefer sets something for the person of the server's client.
func (s *server) prefer(name, value string) {
	s.t.Helper()
	_, err := s.client.SetPreference(s.t.Context(), name, value)
	require.NoError(s.t, err)
}

// TestSettings_HoldForTheNextMessageSurviveAKillAndComeBack sees them where they arrive: at the model.
func TestSettings_HoldForTheNextMessageSurviveAKillAndComeBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	require.NotContains(t, k.replied("say hello").System, "The person chose")
	s.prefer("language", "de")
	require.Contains(t, k.replied("say hallo").System, "The person chose German")
	s.prefer("language", "fr")
	s.prefer("theme", "dark")
	s.crash()
	s.boot()
	require.Contains(t, s.newTalk().replied("say salut").System, "The person chose French")
	versions, err := s.client.ListPreferenceVersions(t.Context())
	require.NoError(t, err)
	require.Len(t, versions, 3)
	require.Equal(t, "fr", versions[1].After)
	require.Equal(t, "admin", versions[1].ChangedBy)
	_, err = s.client.RollPreferencesBack(t.Context(), apiclient.PreferencesRollback{To: versions[2].Version, Version: versions[0].Version})
	require.NoError(t, err)
	require.Contains(t, s.newTalk().replied("say hallo").System, "The person chose German")
	bob := s.colleague("bob").newTalk().replied("say hello")
	require.NotContains(t, bob.System, "The person chose")
}

func TestSettings_SoulFilesAreOffForWhoeverSwitchesThemOff(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{memory: {soul: {read: true, write: true}}}`)
	k := s.newTalk()
	k.untilSoulful(true)
	s.prefer("soul", "off")
	require.Empty(t, soulful(k.replied("say quiet")))
	require.NotEmpty(t, soulful(s.colleague("bob").newTalk().replied("say hello")), "others have them")
	s.prefer("soul", "")
	require.NotEmpty(t, soulful(k.replied("say again")))
}
