package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/user/settings"
	"xbot/internal/user/users"
)

// changed lists what is known of the changes of a kind, the newest first.
func (b *bundle) changed(owner chat.UserID, kind string) []chat.SettingChange {
	b.t.Helper()
	list, err := b.Settings.Changes(b.t.Context(), settings.ChangeFilter{Owner: owner, Installation: true, Kind: kind, Limit: 100})
	require.NoError(b.t, err)
	return list
}

func (b *bundle) prefer(user chat.UserID, key settings.UserSetting, value string) int64 {
	b.t.Helper()
	require.NoError(b.t, b.Settings.SetUserSetting(b.t.Context(), user, key, value))
	_, version, err := b.Settings.Preferences(b.t.Context(), user)
	require.NoError(b.t, err)
	return version
}

func TestPreferences_OfTheContextHoldWhereTheSessionSaysNothing(t *testing.T) {
	b := setup(t)
	require.Empty(t, b.window().Mode)
	for _, c := range [][2]string{{"none", chat.ContextNone}, {"auto", chat.ContextDefault}} {
		b.prefer(b.user.ID, settings.ContextMode, c[0])
		require.Equal(t, c[1], b.window().Mode)
	}
	require.NoError(t, b.Conversations.SetContextMode(t.Context(), key, chat.ContextNone))
	require.Equal(t, chat.ContextNone, b.window().Mode, "the session is nearer")
}

func TestPreferences_EachChangeIsAVersionAndTheyComeBackAsTheyWere(t *testing.T) {
	b := setup(t)
	ctx, ann := t.Context(), b.member("ann")
	none, version, err := b.Settings.Preferences(ctx, ann.ID)
	require.NoError(t, err)
	require.Empty(t, none)
	require.Zero(t, version)
	b.prefer(b.user.ID, settings.Language, "de")
	first := b.prefer(ann.ID, settings.Language, "zh")
	second := b.prefer(ann.ID, settings.Theme, "dark")
	require.Equal(t, second, b.prefer(ann.ID, settings.Theme, "dark"), "what is there already changes nothing")
	b.prefer(ann.ID, settings.Language, "fr")
	last := b.prefer(ann.ID, settings.Theme, "")

	versions, err := b.Settings.PreferenceVersions(ctx, ann.ID)
	require.NoError(t, err)
	require.Len(t, versions, 4, "nobody else's are among them")
	require.Equal(t, "ann", versions[0].ChangedBy)
	require.WithinDuration(t, time.Now(), versions[0].ChangedAt, time.Minute)
	require.Equal(t, [3]string{"theme", "dark", ""}, [3]string{versions[0].Name, versions[0].Before, versions[0].After})
	require.Equal(t, [3]string{"language", "zh", "fr"}, [3]string{versions[1].Name, versions[1].Before, versions[1].After})
	require.Equal(t, first, versions[3].Version)

	require.Equal(t, fault.Conflict, b.kind(b.Settings.RollPreferencesBack(ctx, ann.ID, second, second)), "they were changed since")
	require.Equal(t, fault.NotFound, b.kind(b.Settings.RollPreferencesBack(ctx, b.user.ID, second, last)), "it is somebody else's")
	require.NoError(t, b.Settings.RollPreferencesBack(ctx, ann.ID, second, last))
	now, _, err := b.Settings.Preferences(ctx, ann.ID)
	require.NoError(t, err)
	require.Equal(t, map[settings.UserSetting]string{settings.Language: "zh", settings.Theme: "dark"}, now)
	require.Len(t, b.changed(ann.ID, "preference"), 6, "each that differs is a change of its own")
}

func TestChanges_NameWhoDidItWhenAndWhatWasBeforeAndNeverASecret(t *testing.T) {
	b := setup(t)
	ctx, ann := pg.Acting(t.Context(), b.user.ID), b.member("ann")
	require.NoError(t, b.Users.SetRole(ctx, ann.ID, users.RoleAdmin))
	require.NoError(t, b.Users.SetPassword(ctx, ann.ID, "a hash of hers", users.PasswordEffect{}))
	require.NoError(t, b.ToolKeys.SetToolKey(ctx, toolKey(0, 0), b.user.ID))
	require.NoError(t, b.ToolKeys.SetToolKey(ctx, toolKey(0, 1), b.user.ID))
	require.NoError(t, b.ToolKeys.RemoveToolKey(ctx, 0, "image"))
	sealed := secret.Key{1}.Seal([]byte("a secret of the bot"))
	require.NoError(t, b.Channels.AddChannelAccount(ctx, accountstore.ChannelAccount{Channel: "qq", Enabled: true, Secrets: sealed}, b.user.ID))
	require.NoError(t, b.Channels.DeleteChannelAccount(ctx, "qq", ""))

	person := b.changed(0, "person")
	require.Equal(t, "ann", person[0].Owner)
	require.JSONEq(t, `{}`, string(person[0].Before), "she had no password")
	require.JSONEq(t, `{"password_hash":"new"}`, string(person[0].After))
	require.JSONEq(t, `{"role":"member"}`, string(person[1].Before))
	require.JSONEq(t, `{"role":"admin"}`, string(person[1].After))
	keys := b.changed(0, "key")
	require.Len(t, keys, 3)
	require.JSONEq(t, `{"model":"m","secrets":"set"}`, string(keys[0].Before), "it was removed")
	require.JSONEq(t, `{}`, string(keys[0].After))
	channel := b.changed(0, "channel")
	require.Len(t, channel, 2)
	for _, c := range append(append(person[:2], keys...), channel...) {
		require.Equal(t, "admin", c.ChangedBy)
		require.WithinDuration(t, time.Now(), c.ChangedAt, time.Minute)
	}
	all, err := json.Marshal(b.changed(0, ""))
	require.NoError(t, err)
	require.NotContains(t, string(all), "a hash of hers")
	require.NotContains(t, string(all), "\\\\x", "no bytes are kept")
}

func TestChanges_OfAPersonAreSeenByNobodyElseAndGoWithThem(t *testing.T) {
	b := setup(t)
	ctx, ann := t.Context(), b.member("ann")
	b.prefer(ann.ID, settings.Language, "fr")
	require.NoError(t, b.Permissions.SetPermission(ctx, ann.ID, chat.ToolRule{Tool: "Shell", Pattern: "git status", Rule: chat.RuleAllow}))
	require.NoError(t, b.Permissions.RemovePermission(ctx, ann.ID, "Shell", "git status"))
	own, err := b.Settings.Changes(ctx, settings.ChangeFilter{Owner: ann.ID, Kind: "permission", Limit: 10})
	require.NoError(t, err)
	require.Len(t, own, 2)
	require.Equal(t, "Shell git status", own[0].Name)
	require.Equal(t, "ann", own[0].ChangedBy)
	require.Empty(t, b.changed(b.user.ID, "permission"), "an administrator does not read what people allow their tools")
	require.Empty(t, b.changed(b.user.ID, "preference"))
	_, err = b.pool.Exec(ctx, "DELETE FROM users WHERE id = $1", ann.ID)
	require.NoError(t, err)
	var left int
	require.NoError(t, b.pool.QueryRow(ctx, "SELECT count(*) FROM changes WHERE owner = $1", ann.ID).Scan(&left))
	require.Zero(t, left)
}

func TestChanges_AreBounded(t *testing.T) {
	b := setup(t)
	for range 160 {
		b.prefer(b.user.ID, settings.Theme, "dark")
		b.prefer(b.user.ID, settings.Theme, "light")
	}
	var kept int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM changes WHERE owner = $1 AND kind = 'preference'", b.user.ID).Scan(&kept))
	require.Equal(t, 300, kept)
}

func TestChanges_ASecretThatIsSealedAnewIsNone(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.ToolKeys.SetToolKey(t.Context(), toolKey(0, 0), b.user.ID))
	sealed, err := b.Secrets.Secrets(t.Context())
	require.NoError(t, err)
	before := len(b.changed(0, ""))
	for _, s := range sealed {
		done, err := b.Secrets.Reseal(t.Context(), s, secret.Key{2}.Seal([]byte("k")))
		require.NoError(t, err)
		require.True(t, done)
	}
	require.Len(t, b.changed(0, ""), before)
}

func TestMemorize_NotForAPersonWhoSwitchedMemoryOff(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "first: "+lasting)
	b.prefer(b.user.ID, settings.Memory, "off")
	b.reset("r1", "hello")
	require.Empty(t, b.jobs())
	w, err := b.Settings.ModelWanted(t.Context(), key)
	require.NoError(t, err)
	require.True(t, w.NoMemory)
	require.False(t, w.NoSoul)

	b.prefer(b.user.ID, settings.Memory, "")
	b.prefer(b.user.ID, settings.AgentNotes, "locked")
	b.exchange("tl", "locked: "+lasting)
	b.reset("rl", "hello")
	require.Empty(t, b.jobs())
	w, err = b.Settings.ModelWanted(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, chat.MemoryChoices{NotesLocked: true}, w.MemoryChoices)
	b.prefer(b.user.ID, settings.AgentNotes, "")
	b.exchange("t1", "second: "+lasting)
	b.reset("r2", "hello")
	require.Len(t, b.jobs(), 1)
	require.Equal(t, []string{"second: " + lasting, "answer to second: " + lasting}, b.goesIntoMemory(b.jobs()[0]), "what was said meanwhile stays out")
}

func TestLocalSandbox_IsInOneUntilAnAdministratorChoosesAndSaysWhoDid(t *testing.T) {
	b := setup(t)
	ann := b.member("ann")
	got, err := b.Runners.LocalSandbox(t.Context())
	require.NoError(t, err)
	require.Equal(t, chat.RunnerSandbox{Confine: chat.ConfineAuto}, got)
	choose := func(confine string, by chat.UserID) chat.RunnerSandbox {
		require.NoError(t, b.Runners.SetLocalSandbox(t.Context(), confine, by))
		got, err := b.Runners.LocalSandbox(t.Context())
		require.NoError(t, err)
		require.Equal(t, confine, got.Confine)
		return got
	}
	off := choose(chat.ConfineOff, b.user.ID)
	require.Equal(t, b.user.Name, off.ChangedBy)
	require.WithinDuration(t, time.Now(), *off.ChangedAt, time.Hour)
	require.Equal(t, off, choose(chat.ConfineOff, ann.ID), "the same choice again keeps who made it")
	require.Equal(t, "ann", choose(chat.ConfineAuto, ann.ID).ChangedBy)
	changes := b.changed(b.user.ID, "sandbox")
	require.Len(t, changes, 2)
	require.JSONEq(t, `{"confine":"off"}`, string(changes[0].Before))
	require.JSONEq(t, `{"confine":"auto"}`, string(changes[0].After))
	require.Equal(t, []string{"ann", b.user.Name}, []string{changes[0].ChangedBy, changes[1].ChangedBy})
	require.Equal(t, "local", changes[0].Name)
	require.Error(t, b.Runners.SetLocalSandbox(t.Context(), "none", b.user.ID), "there is no other word")
}
