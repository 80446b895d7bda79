package sharing_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/registry"
	"xbot/internal/extension/registry/registrystore"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/users"
	slashregistry "xbot/slash/sharing"
)

// shelf is what is installed. Person 1 is an administrator.
type shelf struct {
	slashregistry.Registry

	installs []registry.Install
}

func (s *shelf) UserByID(_ context.Context, user chat.UserID) (users.User, error) {
	return users.User{ID: user, Admin: user == 1}, nil
}

func (s *shelf) RegistryInstalls(context.Context, chat.UserID) ([]registry.Install, error) {
	return slices.Clone(s.installs), nil
}

func (s *shelf) RegistryUninstall(_ context.Context, _ registrystore.Viewer, shared bool, id int64) error {
	s.installs = slices.DeleteFunc(s.installs, func(one registry.Install) bool { return one.ID == id && one.Shared == shared })
	return nil
}

func (s *shelf) left() (ids []int64) {
	for _, one := range s.installs {
		ids = append(ids, one.ID)
	}
	return ids
}

func TestApp_UninstallNeverRemovesAnotherCopy(t *testing.T) {
	t.Parallel()
	s := &shelf{installs: []registry.Install{
		{ID: 1, Kind: registry.Skill, Name: "ship"},
		{ID: 2, Kind: registry.Skill, Name: "ship", Shared: true},
		{ID: 3, Kind: registry.Role, Name: "Ship"},
	}}
	run := func(user chat.UserID, args string) (string, error) {
		return slashregistry.App{Registry: s, Users: s}.Run(t.Context(), slashcommand.Request{User: user, Lang: i18n.English}, args)
	}
	_, err := run(1, "uninstall ship")
	require.Equal(t, fault.Conflict, fault.KindOf(err), "a skill and a role have the name")
	require.Equal(t, []int64{1, 2, 3}, s.left())
	for range 2 { // a command may run twice
		said, err := run(1, "uninstall skill ship")
		require.NoError(t, err)
		require.Equal(t, "`ship` is uninstalled.", said)
		require.Equal(t, []int64{2, 3}, s.left())
	}
	for range 2 {
		_, err = run(1, "uninstall ship")
		require.NoError(t, err)
		require.Equal(t, []int64{2}, s.left(), "that for everybody stays")
	}
	_, err = run(2, "uninstall ship everybody")
	require.Equal(t, fault.Denied, fault.KindOf(err))
	require.Equal(t, []int64{2}, s.left())
	for range 2 {
		said, err := run(1, "uninstall ship everybody")
		require.NoError(t, err)
		require.Equal(t, "`ship` is not installed for everybody any more.", said)
		require.Empty(t, s.left())
	}
	_, err = run(1, "uninstall a ship twice")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}
