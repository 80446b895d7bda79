package api_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	apiregistry "xbot/ingress/api/registry"
	"xbot/internal/extension/registry"
	"xbot/internal/extension/registry/registrystore"
	"xbot/internal/extension/role"
	"xbot/internal/user/users"
)

// skillZip is an archive of a skill with a script.
func skillZip(t *testing.T, name, script string) string {
	t.Helper()
	return zipped(t, map[string]string{
		name + "/SKILL.md": "---\nname: " + name + "\ndescription: Does " + name + ".\ntags: words\n---\nRun scripts/run.sh.", name + "/scripts/run.sh": script,
	})
}

func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, text := range files {
		head := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if strings.HasSuffix(name, ".link") {
			head.SetMode(fs.ModeSymlink | 0o777)
		}
		to, err := w.CreateHeader(head)
		require.NoError(t, err)
		_, err = to.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.String()
}

// published publishes a skill and installs it.
func (p *person) published(name string) (entry, install int64) {
	p.t.Helper()
	var e registry.Entry
	p.do(p, http.MethodPost, "/api/registry/entries", skillZip(p.t, name, "echo 1")).is(http.StatusCreated, &e)
	var done registry.Install
	p.post("/api/registry/installs", object{"entry": e.ID}).is(http.StatusOK, &done)
	return e.ID, done.ID
}

func (p *person) browse(query string) []registry.Entry {
	p.t.Helper()
	var body apiregistry.Entries
	p.get("/api/registry/entries"+query).is(http.StatusOK, &body)
	return body.Entries
}

func (p *person) installs() []registry.Install {
	p.t.Helper()
	var body apiregistry.Installs
	p.get("/api/registry/installs").is(http.StatusOK, &body)
	return body.Installs
}

func TestRegistry_IsPublishedBrowsedInstalledAndUpdated(t *testing.T) {
	b := setup(t)
	var e registry.Entry
	b.do(b.alice, http.MethodPost, "/api/registry/entries?visibility=everybody&notes=first", skillZip(t, "deploy", "echo 1")).is(http.StatusCreated, &e)
	require.Equal(t, 1, e.Version.Number)
	require.Equal(t, "first", e.Version.Notes)
	b.do(b.alice, http.MethodPost, "/api/registry/entries", skillZip(t, "deploy", "echo 1")).is(http.StatusCreated, &e)
	require.Equal(t, 1, e.Version.Number, "the same files make no version")
	require.Equal(t, registry.Everybody, e.Visibility, "and leave it as it is")

	require.Len(t, b.bob.browse(""), 1)
	require.Len(t, b.bob.browse("?q=words+ALICE&kind=skill"), 1)
	require.Empty(t, b.bob.browse("?q=words+nothing"))
	require.Empty(t, b.bob.browse("?kind=role"))
	require.Empty(t, b.bob.browse("?own=true"))
	at := fmt.Sprint("/api/registry/entries/", e.ID)
	var d apiregistry.RegistryDetail
	b.bob.get(at).is(http.StatusOK, &d)
	require.Equal(t, []apiregistry.BundleFile{{Name: "SKILL.md", Size: 78}, {Name: "scripts/run.sh", Size: 6}}, d.Files)
	require.Contains(t, d.Main.Text, "Run scripts/run.sh.")
	var file apiregistry.BundleText
	b.bob.get(at+"/versions/1/file?name=scripts/run.sh").is(http.StatusOK, &file)
	require.Equal(t, "echo 1", file.Text)
	b.bob.get(at + "/versions/1/file?name=../run.sh").problem(http.StatusNotFound)
	b.bob.get(at + "/versions/2/file?name=SKILL.md").problem(http.StatusNotFound)

	var done registry.Install
	b.bob.post("/api/registry/installs", object{"entry": e.ID}).is(http.StatusOK, &done)
	require.Equal(t, "deploy", done.Name)
	b.do(b.alice, http.MethodPost, "/api/registry/entries", skillZip(t, "deploy", "echo 2")).is(http.StatusCreated, &e)
	require.Equal(t, 2, e.Version.Number)
	has := b.bob.installs()
	require.Len(t, has, 1)
	require.Equal(t, []int{1, 2}, []int{has[0].Number, has[0].Newest}, "a new version is shown, and not installed by itself")
	b.bob.post("/api/registry/installs", object{"entry": e.ID}).is(http.StatusOK, &done)
	require.Equal(t, 2, done.Number)
	b.bob.post("/api/registry/installs", object{"entry": e.ID, "version": 1}).is(http.StatusOK, &done)
	require.Equal(t, 1, done.Number, "and back")
	require.Len(t, b.bob.installs(), 1)

	got := b.bob.get(fmt.Sprintf("/api/registry/installs/%d/bundle", done.ID))
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, `attachment; filename="deploy.zip"`, strings.Split(got.header.Get("Content-Disposition"), "; filename*")[0])
	require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
	again, err := registry.Read(got.body, "x")
	require.NoError(t, err)
	require.Equal(t, done.Digest, again.Digest())
	b.bob.post(fmt.Sprintf("/api/registry/installs/%d/publish", done.ID), object{}).is(http.StatusCreated, &e)
	require.True(t, e.Own)
	require.Equal(t, registry.Private, e.Visibility)
	require.Contains(t, b.bob.post("/api/registry/installs", object{"entry": e.ID}).problem(http.StatusConflict), "uninstall that first")

	b.bob.delete(fmt.Sprint("/api/registry/installs/", done.ID)).is(http.StatusNoContent, nil)
	require.Empty(t, b.bob.installs())
}

func TestRegistry_RefusesHostileArchives(t *testing.T) {
	b := setup(t)
	ok := "---\nname: a\ndescription: d\n---\n"
	for name, archive := range map[string]string{
		"up":         zipped(t, map[string]string{"SKILL.md": ok, "../evil": "x"}),
		"absolute":   zipped(t, map[string]string{"SKILL.md": ok, "/evil": "x"}),
		"a link":     zipped(t, map[string]string{"SKILL.md": ok, "a.link": "/etc/passwd"}),
		"no archive": "PK nothing",
		"nothing":    "",
	} {
		got := b.do(b.alice, http.MethodPost, "/api/registry/entries", archive)
		require.Equal(t, http.StatusBadRequest, got.status, "%s: %s", name, got.body)
	}
	bomb := zipped(t, map[string]string{"SKILL.md": ok, "bomb": strings.Repeat("0", 50<<20)})
	b.do(b.alice, http.MethodPost, "/api/registry/entries", bomb).problem(http.StatusRequestEntityTooLarge)
	b.do(b.alice, http.MethodPost, "/api/registry/entries", strings.Repeat("0", registry.MaxArchive+1)).problem(http.StatusRequestEntityTooLarge)
	require.Empty(t, b.alice.browse(""))
}

func TestRegistry_APrivateOneIsForItsOwnerAlone(t *testing.T) {
	b := setup(t)
	entry, _ := b.bob.published("mine")
	at := fmt.Sprint("/api/registry/entries/", entry)
	require.Empty(t, b.alice.browse(""), "not even administrators find it")
	b.alice.get(at).problem(http.StatusNotFound)
	b.alice.get(at + "/versions/1/bundle").problem(http.StatusNotFound)
	b.alice.post("/api/registry/installs", object{"entry": entry}).problem(http.StatusNotFound)
	b.do(b.alice, http.MethodPatch, at, object{"withdrawn": true}).problem(http.StatusNotFound)

	b.do(b.bob, http.MethodPatch, at, object{"visibility": "everybody"}).is(http.StatusOK, nil)
	b.alice.post("/api/registry/installs", object{"entry": entry}).is(http.StatusOK, nil)
	require.Contains(t, b.do(b.alice, http.MethodPatch, at, object{"visibility": "private"}).problem(http.StatusForbidden), "only its owner")
	b.alice.delete(at).problem(http.StatusNotFound)
	b.do(b.bob, http.MethodPatch, at, object{"visibility": "private"}).is(http.StatusOK, nil)
	has := b.alice.installs()
	require.Len(t, has, 1, "who has it keeps it")
	require.Zero(t, has[0].Newest, "and is shown no newer versions")
	b.bob.delete(at).is(http.StatusNoContent, nil)
	require.Len(t, b.alice.installs(), 1)
	require.Len(t, b.bob.installs(), 1)
}

func TestRegistry_WhatAnAdministratorWithdrawsGoesFromEverybody(t *testing.T) {
	b := setup(t)
	entry, _ := b.bob.published("bad")
	member, err := b.store.Users.CreateUser(t.Context(), "carol", users.RoleMember)
	require.NoError(t, err)
	carol := b.person(member)
	at := fmt.Sprint("/api/registry/entries/", entry)
	b.do(b.bob, http.MethodPatch, at, object{"visibility": "everybody"}).is(http.StatusOK, nil)
	carol.post("/api/registry/installs", object{"entry": entry}).is(http.StatusOK, nil)
	b.alice.post("/api/registry/installs", object{"entry": entry, "shared": true}).is(http.StatusOK, nil)
	require.Contains(t, b.do(carol, http.MethodPatch, at, object{"withdrawn": true}).problem(http.StatusForbidden), "only its owner")

	b.do(b.alice, http.MethodPatch, at, object{"withdrawn": true}).is(http.StatusOK, nil)
	require.Empty(t, carol.installs())
	require.Empty(t, carol.browse(""))
	require.Empty(t, b.bob.installs(), "his own copy, too")
	require.Equal(t, registry.ByAdministrator, b.alice.browse("")[0].Withdrawn, "administrators can let it back in")
	for _, got := range []answer{
		b.do(b.bob, http.MethodPatch, at, object{"withdrawn": false}), b.do(b.bob, http.MethodPatch, at, object{"visibility": "private"}), b.bob.delete(at), b.bob.post("/api/registry/installs", object{"entry": entry}),
		b.do(b.bob, http.MethodPost, "/api/registry/entries", skillZip(t, "bad", "echo again")),
	} {
		require.Contains(t, got.problem(http.StatusForbidden), "administrator has withdrawn")
	}
	b.do(b.alice, http.MethodPatch, at, object{"withdrawn": false}).is(http.StatusOK, nil)
	require.Len(t, carol.browse(""), 1)
}

func TestRegistry_ForEverybodyIsForAdministrators(t *testing.T) {
	b := setup(t)
	entry, _ := b.alice.published("all")
	b.bob.post("/api/registry/installs", object{"entry": entry, "shared": true}).problem(http.StatusForbidden)
	var done registry.Install
	b.alice.post("/api/registry/installs", object{"entry": entry, "shared": true}).is(http.StatusOK, &done)
	at := fmt.Sprint("/api/registry/installs/", done.ID)
	has := b.bob.installs()
	require.Len(t, has, 1)
	require.True(t, has[0].Shared)
	b.bob.delete(at + "?shared=true").problem(http.StatusForbidden)
	b.bob.delete(at).problem(http.StatusNotFound)
	b.do(b.bob, http.MethodPatch, at, object{"enabled": false}).problem(http.StatusNotFound)
	require.Equal(t, http.StatusOK, b.bob.get(at+"/bundle").status, "he may read what he works with")
	b.do(b.alice, http.MethodPatch, at+"?shared=true", object{"enabled": false}).is(http.StatusOK, &done)
	require.False(t, done.Enabled)
}

func TestRegistry_ARoleOfOnesOwnIsPublished(t *testing.T) {
	b := setup(t)
	var own role.OwnRole
	b.alice.post("/api/roles", scout(object{"name": "scout"})).is(http.StatusCreated, &own)
	var e registry.Entry
	b.alice.post("/api/registry/roles", object{"role": own.ID, "visibility": "everybody"}).is(http.StatusCreated, &e)
	require.Equal(t, registry.Role, e.Kind)
	b.bob.post("/api/registry/roles", object{"role": own.ID}).problem(http.StatusNotFound)
	b.bob.post("/api/registry/installs", object{"entry": e.ID}).is(http.StatusOK, nil)
	file := "---\nname: reader\ndescription: Reads.\n---\nRead.\n"
	b.do(b.bob, http.MethodPost, "/api/registry/entries?name=reader.md", file).is(http.StatusCreated, &e)
	require.Equal(t, "reader", e.Name)
}

func TestRegistry_NoOwnerPutsWhatOthersHaveInstalledOutOfReachOfAdministrators(t *testing.T) {
	b := setup(t)
	member, err := b.store.Users.CreateUser(t.Context(), "carol", users.RoleMember)
	require.NoError(t, err)
	carol := b.person(member)
	for name, hide := range map[string]object{"kept": {"visibility": "private"}, "gone": {"withdrawn": true}} {
		entry, _ := b.bob.published(name)
		at := fmt.Sprint("/api/registry/entries/", entry)
		b.do(b.bob, http.MethodPatch, at, object{"visibility": "everybody"}).is(http.StatusOK, nil)
		carol.post("/api/registry/installs", object{"entry": entry}).is(http.StatusOK, nil)
		b.do(b.bob, http.MethodPatch, at, hide).is(http.StatusOK, nil)
		require.Empty(t, carol.browse("?q="+name))
		require.Len(t, b.alice.browse("?q="+name), 1)
		b.alice.get(at).is(http.StatusOK, nil)
		b.alice.post("/api/registry/installs", object{"entry": entry}).problem(http.StatusForbidden)
		b.do(b.alice, http.MethodPatch, at, object{"withdrawn": true}).is(http.StatusOK, nil)
		require.Empty(t, carol.installs())
		require.Len(t, b.alice.browse("?q="+name), 1, "it can be let back in")
	}
	entry, _ := b.bob.published("deleted")
	at := fmt.Sprint("/api/registry/entries/", entry)
	b.do(b.bob, http.MethodPatch, at, object{"visibility": "everybody"}).is(http.StatusOK, nil)
	carol.post("/api/registry/installs", object{"entry": entry}).is(http.StatusOK, nil)
	b.bob.delete(at).is(http.StatusNoContent, nil)
	digest := "/api/registry/digests/" + carol.installs()[0].Digest
	b.bob.delete(digest).problem(http.StatusForbidden)
	require.Len(t, carol.installs(), 1)
	b.alice.delete(digest).is(http.StatusOK, nil)
	require.Empty(t, carol.installs())
}

func TestRegistry_AChangeOfNothingIsNoneAndAWithdrawalStays(t *testing.T) {
	b := setup(t)
	entry, _ := b.bob.published("ship")
	at := fmt.Sprint("/api/registry/entries/", entry)
	b.do(b.bob, http.MethodPatch, at, object{"visibility": "everybody"}).is(http.StatusOK, nil)
	member, err := b.store.Users.CreateUser(t.Context(), "carol", users.RoleMember)
	require.NoError(t, err)
	require.Contains(t, b.do(b.person(member), http.MethodPatch, at, object{}).problem(http.StatusForbidden), "only its owner")

	b.do(b.bob, http.MethodPatch, at, object{"withdrawn": true}).is(http.StatusOK, nil)
	var e registry.Entry
	b.do(b.bob, http.MethodPost, "/api/registry/entries", skillZip(t, "ship", "echo again")).is(http.StatusCreated, &e)
	require.Equal(t, registry.ByOwner, e.Withdrawn, "a new version does not let it back in")

	own, _ := b.alice.published("hers")
	require.NoError(t, b.withdraws(own))
	b.do(b.alice, http.MethodPatch, fmt.Sprint("/api/registry/entries/", own), object{"withdrawn": true}).is(http.StatusOK, &e)
	require.Equal(t, registry.ByAdministrator, e.Withdrawn, "said again by whoever is its owner and an administrator it is the same")
}

// withdraws has an administrator who is not its owner withdraw an entry.
func (b *bundle) withdraws(entry int64) error {
	member, err := b.store.Users.CreateUser(b.t.Context(), "root", users.RoleAdmin)
	if err != nil {
		return err
	}
	yes := true
	if _, err = b.store.Registry.ReviseRegistryEntry(b.t.Context(), registrystore.Viewer{User: b.alice.user.ID}, entry, registrystore.Revision{Visibility: new(registry.Everybody)}); err != nil {
		return err
	}
	_, err = b.store.Registry.ReviseRegistryEntry(b.t.Context(), registrystore.Viewer{User: member.ID, Admin: true}, entry, registrystore.Revision{Withdrawn: &yes})
	return err
}

func TestRegistry_NoFileMakesAnUploadPublic(t *testing.T) {
	b := setup(t)
	var e registry.Entry
	b.do(b.bob, http.MethodPost, "/api/registry/entries?name=reader.md", "---\nname: reader\ndescription: Reads.\nsharing: public\n---\nRead.\n").is(http.StatusCreated, &e)
	require.Equal(t, registry.Private, e.Visibility)
	b.alice.post("/api/registry/installs", object{"entry": e.ID, "version": 1 << 40}).problem(http.StatusUnprocessableEntity)
	require.Equal(t, http.StatusCreated, b.do(b.bob, http.MethodPost, "/api/registry/entries?notes="+strings.Repeat("%E6%96%B0", 1000), skillZip(t, "cn", "echo")).status, "notes are counted in characters")
}
