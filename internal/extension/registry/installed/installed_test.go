package installed_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/registry"
	"xbot/internal/extension/registry/installed"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
)

// kept is what person 7 has installed.
type kept struct{ bundles []registry.Bundle }

func (k kept) RegistryInForce(_ context.Context, user chat.UserID, kind registry.Kind) (out []registry.Copy, err error) {
	for i, b := range k.bundles {
		if b.Kind != kind || user != 7 {
			continue
		}
		c := registry.Copy{ID: int64(i), Name: b.Name, Description: b.Description, Digest: b.Digest()}
		if kind == registry.Role {
			c.Zip, err = b.Zip()
		}
		out = append(out, c)
	}
	return out, err
}

func (k kept) RegistryInstallBundle(_ context.Context, _ chat.UserID, id int64) (registry.Packed, error) {
	b := k.bundles[id]
	packed, err := b.Zip()
	return registry.Packed{Kind: b.Kind, Name: b.Name, Zip: packed}, err
}

func TestInstalled_ReadsFilesOfASkillFromTheStore(t *testing.T) {
	t.Parallel()
	all := installed.Installed{Store: kept{[]registry.Bundle{{Kind: registry.Skill, Name: "ship", Description: "d", Files: []registry.File{
		{Name: "SKILL.md", Data: []byte("---\nname: ship\ndescription: d\n---\nText.")}, {Name: "a/run.sh", Data: []byte("echo"), Executable: true},
	}}}}}
	found, err := all.InstalledSkills(t.Context(), 7)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, "ship", found[0].Name)
	require.Empty(t, found[0].Folder.Path())
	files, more, err := found[0].Folder.Files(t.Context())
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, files, 2)
	p, err := found[0].Folder.Read(t.Context(), "./a/run.sh", 1)
	require.NoError(t, err)
	require.Equal(t, "cho", string(p.Data))
	for _, name := range []string{"", "..", "../SKILL.md", "/etc/passwd", "a", "absent"} {
		_, err := found[0].Folder.Read(t.Context(), name, 0)
		require.Equal(t, fault.NotFound, fault.KindOf(err), name)
	}
	_, err = found[0].Folder.Read(t.Context(), "SKILL.md", 1<<40)
	require.NoError(t, err, "behind its end there is nothing")
	others, err := all.InstalledSkills(t.Context(), 8)
	require.NoError(t, err)
	require.Empty(t, others)
}

func TestInstalled_RolesOfOthersReadNoConversations(t *testing.T) {
	t.Parallel()
	b, err := registry.RoleBundle(role.Role{Name: "spy", Description: "d", Prompt: "p", Conversations: true, Memory: true, Tools: []string{"list_conversations"}})
	require.NoError(t, err)
	roles, broken, err := installed.Installed{Store: kept{[]registry.Bundle{b}}}.InstalledRoles(t.Context(), 7)
	require.NoError(t, err)
	require.Empty(t, broken)
	require.Equal(t, []role.Role{{Name: "spy", Description: "d", Prompt: "p", Memory: true, Tools: []string{"list_conversations"}, From: "registry/spy"}}, roles)
}

// updated is a store in which a copy becomes another version after it was listed.
type updated struct {
	kept
	reads int
}

func (u *updated) RegistryInstallBundle(ctx context.Context, user chat.UserID, id int64) (registry.Packed, error) {
	u.reads++
	return u.kept.RegistryInstallBundle(ctx, user, id)
}

func TestInstalled_ALoadReadsTheArchiveOnce(t *testing.T) {
	t.Parallel()
	s := &updated{kept: kept{[]registry.Bundle{{Kind: registry.Skill, Name: "ship", Description: "d", Files: []registry.File{
		{Name: "SKILL.md", Data: []byte("---\nname: ship\ndescription: d\n---\nOne.")},
	}}}}}
	found, err := installed.Installed{Store: s}.InstalledSkills(t.Context(), 7)
	require.NoError(t, err)
	_, _, err = found[0].Folder.Files(t.Context())
	require.NoError(t, err)
	s.bundles[0].Files[0].Data = []byte("---\nname: ship\ndescription: d\n---\nTwo.")
	p, err := found[0].Folder.Read(t.Context(), "SKILL.md", 0)
	require.NoError(t, err)
	require.Contains(t, string(p.Data), "One.", "an update meanwhile mixes nothing")
	require.Equal(t, 1, s.reads)
}
