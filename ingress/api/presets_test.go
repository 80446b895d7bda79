package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/settings"
	"xbot/internal/chat"
)

func TestInstallationPresets_AdministratorsChooseThemForWhoeverChoseNothing(t *testing.T) {
	b := setup(t)
	const at = "/api/policy/presets"
	var got settings.InstallationPresets
	b.alice.get(at).is(http.StatusOK, &got)
	require.Equal(t, settings.InstallationPresets{Administrators: chat.PresetAuto, Others: chat.PresetAsk}, got)
	var his settings.Permissions
	b.bob.get("/api/permissions").is(http.StatusOK, &his)
	require.Equal(t, chat.PresetAsk, his.Default)

	b.bob.get(at).problem(http.StatusForbidden)
	b.bob.put(at, got).problem(http.StatusForbidden)
	b.do(nil, http.MethodPut, at, got).problem(http.StatusUnauthorized)
	b.alice.put(at, map[string]any{"version": 0, "administrators": "auto", "others": "perhaps"}).problem(http.StatusUnprocessableEntity)

	b.alice.put("/api/policy", policyInput{Text: "{limits: {turns: 7}}"}).is(http.StatusOK, nil)
	require.Contains(t, b.alice.put(at, got).problem(http.StatusConflict), "changed meanwhile")
	b.alice.get(at).is(http.StatusOK, &got)
	require.False(t, got.Chosen, "another part of the policy was written")
	b.alice.put(at, settings.InstallationPresets{Administrators: chat.PresetAsk, Others: chat.PresetReadOnly, Version: got.Version}).is(http.StatusOK, &got)
	require.Equal(t, chat.PresetReadOnly, got.Others)
	require.True(t, got.Chosen)
	var text settings.PolicyText
	b.alice.get("/api/policy").is(http.StatusOK, &text)
	require.JSONEq(t, `{"limits": {"turns": 7}, "permissions": {"administrators": "ask", "others": "read_only"}}`, text.Text)
	versions, err := b.store.Settings.PolicyVersions(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, "alice", versions[0].By)
}
