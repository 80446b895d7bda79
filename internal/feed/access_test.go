package feed_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/store"
	"xbot/internal/user/users"
)

func TestAccessChanges_ReachEveryProcessWithTheCommit(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	a, b := d.process(), d.process()
	d.connected(a, b)
	there, leaveThere := a.AccessChanges()
	defer leaveThere()
	here, leave := b.AccessChanges()
	for _, changes := range []<-chan struct{}{there, here} {
		select { // a process asks once as it connects
		case <-changes:
		default:
		}
	}
	ann, err := a.store.Users.CreateUser(t.Context(), "ann", users.RoleMember)
	require.NoError(t, err)
	require.NoError(t, store.New(d.pool, store.Options{}).Users.Disable(t.Context(), ann.ID, nil), "by a program that listens to nothing")
	for _, changes := range []<-chan struct{}{there, here} {
		select {
		case <-changes:
		case <-time.After(limit):
			require.Fail(t, "nobody heard of it")
		}
	}
	require.NoError(t, a.store.Users.DeleteWebSession(t.Context(), []byte("nobody's")))
	require.Empty(t, here, "nothing has changed")
	bob, err := a.store.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	require.NoError(t, a.store.Users.CreateWebSession(t.Context(), bob.ID, []byte("a cookie"), time.Now().Add(time.Hour)))
	require.NoError(t, a.store.Users.DeleteWebSession(t.Context(), []byte("a cookie")), "bob signs out")
	for _, changes := range []<-chan struct{}{there, here} {
		select {
		case <-changes:
		case <-time.After(limit):
			require.Fail(t, "his streams in the other process go on")
		}
	}
	leave()
	require.NoError(t, a.store.Users.SetPassword(t.Context(), ann.ID, "", users.PasswordEffect{}))
	<-there
	require.Empty(t, here, "nobody asks there any more")
}
