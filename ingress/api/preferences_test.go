package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/account"
	"xbot/internal/chat"
	"xbot/internal/user/preference"
)

// preferences are somebody's settings by name.
func (p *person) preferences() (map[string]preference.Setting, int64) {
	p.t.Helper()
	var body account.PreferencesBody
	p.get("/api/preferences").is(http.StatusOK, &body)
	out := map[string]preference.Setting{}
	for _, s := range body.Settings {
		out[s.Name] = s
	}
	return out, body.Version
}

func (p *person) prefer(name, value string) answer {
	p.t.Helper()
	return p.do(p, http.MethodPut, "/api/preferences/"+name, map[string]any{"value": value})
}

func TestPreferences_AreOfWhoeverAsksAndInForceAtOnce(t *testing.T) {
	b := setup(t)
	var set preference.Setting
	b.bob.prefer("language", "zh").is(http.StatusOK, &set)
	require.Equal(t, "Chinese", set.Shown)
	b.bob.prefer("theme", "dark").is(http.StatusOK, nil)
	b.bob.prefer("page-language", "ZH").is(http.StatusOK, nil)
	b.bob.prefer("timezone", "Asia/Shanghai").is(http.StatusOK, nil)
	b.bob.prefer("swift", "demo/demo").is(http.StatusOK, nil)
	b.bob.prefer("memory", "off").is(http.StatusOK, nil)
	b.bob.prefer("preset", "read-only").is(http.StatusOK, nil)

	now, version := b.bob.preferences()
	require.Positive(t, version)
	require.Equal(t, "demo/demo", now["tier_swift"].Value)
	require.Equal(t, "read_only", now["preset"].Value)
	require.Contains(t, now["theme"].Options, preference.Option{Value: "light", Title: "light"})
	var me account.Me
	b.bob.get("/api/me").is(http.StatusOK, &me)
	require.Equal(t, "dark", me.Theme)
	require.Equal(t, "zh", me.Language)
	var profile chat.UserProfile
	b.bob.get("/api/profile").is(http.StatusOK, &profile)
	require.Equal(t, "Asia/Shanghai", profile.Timezone)
	chosen, err := b.store.Settings.UserSetting(t.Context(), b.bob.user.ID, "language")
	require.NoError(t, err)
	require.Equal(t, "zh", chosen, "it is what /language sets")

	hers, none := b.alice.preferences()
	require.Zero(t, none)
	require.Empty(t, hers["theme"].Value)
	var list account.PreferencesBody
	b.bob.get("/api/preferences?lang=zh").is(http.StatusOK, &list)
	require.Equal(t, "回答语言", list.Settings[0].Title)
	require.Equal(t, "中文", list.Settings[0].Shown)
}

func TestPreferences_ComeBackAsTheyWereAfterAChange(t *testing.T) {
	b := setup(t)
	b.bob.prefer("theme", "dark").is(http.StatusOK, nil)
	_, first := b.bob.preferences()
	b.bob.prefer("theme", "light").is(http.StatusOK, nil)
	_, last := b.bob.preferences()
	var versions account.PreferenceVersionsBody
	b.bob.get("/api/preferences/versions").is(http.StatusOK, &versions)
	require.Len(t, versions.Versions, 2)
	require.Equal(t, "bob", versions.Versions[0].ChangedBy)
	require.Equal(t, "dark", versions.Versions[0].Before)

	back := func(p *person, to, version int64) answer {
		return p.post("/api/preferences/rollback", map[string]any{"to": to, "version": version})
	}
	back(b.alice, first, last).problem(http.StatusNotFound)
	back(b.bob, first, first).problem(http.StatusConflict)
	back(b.bob, 0, last).problem(http.StatusUnprocessableEntity)
	back(b.bob, first, last).is(http.StatusOK, nil)
	now, _ := b.bob.preferences()
	require.Equal(t, "dark", now["theme"].Value)
	b.alice.get("/api/preferences/versions").is(http.StatusOK, &versions)
	require.Empty(t, versions.Versions)
}

func TestPreferences_RefuseWhatTheyCannotBe(t *testing.T) {
	b := setup(t)
	b.bob.prefer("nothing", "x").problem(http.StatusNotFound)
	for name, value := range map[string]string{"theme": "pink", "model": "nobody/nothing", "timezone": "Mars/Base", "language": "\u0000{}", "preset": "root", "page_language": "de", "memory": "maybe"} {
		b.bob.prefer(name, value).problem(http.StatusBadRequest)
	}
	b.bob.prefer("language", strings.Repeat("x", 201)).problem(http.StatusUnprocessableEntity)
	b.bob.prefer(strings.Repeat("x", 65), "x").problem(http.StatusUnprocessableEntity)
	b.bob.get("/api/preferences?lang=fr").problem(http.StatusUnprocessableEntity)
	_, version := b.bob.preferences()
	require.Zero(t, version, "nothing was changed")
}

func TestChanges_SayWhoDidWhatAndThoseOfTheInstallationAreForAdministrators(t *testing.T) {
	b := setup(t)
	b.bob.prefer("language", "fr").is(http.StatusOK, nil)
	var made struct{ Token string }
	b.bob.post("/api/tokens", map[string]string{"name": "script"}).is(http.StatusCreated, &made)
	b.do(b.alice, http.MethodPatch, fmt.Sprint("/api/users/", b.bob.user.ID), map[string]any{"role": "admin"}).is(http.StatusNoContent, nil)
	b.do(b.alice, http.MethodPut, "/api/keys/image", map[string]any{"shared": true, "key": "sk-very-secret", "model": "m"}).is(http.StatusOK, nil)
	b.do(b.alice, http.MethodDelete, "/api/keys/image?shared=true", nil).is(http.StatusNoContent, nil)

	list := func(p *person, query string) (body account.ChangesBody, text string) {
		t.Helper()
		p.get("/api/changes"+query).is(http.StatusOK, &body)
		data, err := json.Marshal(body)
		require.NoError(t, err)
		require.NotContains(t, string(data), "very-secret")
		require.NotContains(t, string(data), made.Token)
		return body, string(data)
	}
	_, own := list(b.bob, "")
	require.Contains(t, own, `"script"`)
	require.Contains(t, own, `"fr"`)
	all, text := list(b.alice, "?installation=true&limit=200")
	require.NotContains(t, text, `"fr"`, "what people set for themselves is theirs")
	require.Contains(t, text, `"image"`)
	for _, c := range all.Changes {
		if c.Kind == "key" {
			require.Equal(t, "alice", c.ChangedBy)
		}
	}
	people, _ := list(b.alice, "?installation=true&kind=person&limit=1")
	require.Equal(t, "bob", people.Changes[0].Owner)
	require.Equal(t, "alice", people.Changes[0].ChangedBy)
	require.JSONEq(t, `{"role":"member"}`, string(people.Changes[0].Before))

	carl, err := b.store.Users.CreateUser(t.Context(), "carl", "member")
	require.NoError(t, err)
	c := b.person(carl)
	c.get("/api/changes?installation=true").problem(http.StatusForbidden)
	body, _ := list(c, "")
	for _, change := range body.Changes {
		require.Equal(t, "carl", change.Owner)
	}
	c.get("/api/changes?limit=0").problem(http.StatusUnprocessableEntity)
}
