package toolset_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/tool/toolset"
)

func TestRows_AreReadOncePerUserAndVersion(t *testing.T) {
	var rows toolset.Rows[int]
	reads := 0
	at := func(user, version int64) int {
		got, err := rows.At(toolset.Place{User: chat.UserID(user), Version: version}, func() (int, error) { reads++; return reads, nil })
		require.NoError(t, err)
		return got
	}
	require.Equal(t, 1, at(1, 7))
	require.Equal(t, 1, at(1, 7), "nothing has changed")
	require.Equal(t, 2, at(2, 7), "another user")
	require.Equal(t, 3, at(1, 8), "something has changed")
	require.Equal(t, 3, at(1, 7), "a step that began before the change may see it")
	require.Equal(t, 4, at(1, 0), "the version is not known")
	require.Equal(t, 3, at(1, 8), "what was read without a version is not kept")
}

func TestRows_ReadWhileTheyChangedAreReadAgain(t *testing.T) {
	var rows toolset.Rows[string]
	read := func(version int64, text string, during func()) string {
		got, err := rows.At(toolset.Place{User: 1, Version: version}, func() (string, error) {
			if during != nil {
				during()
			}
			return text, nil
		})
		require.NoError(t, err)
		return got
	}
	read(1, "old", func() { read(2, "new", nil) })
	require.Equal(t, "new", read(2, "never", nil))
}

func TestRows_KeepNoErrors(t *testing.T) {
	var rows toolset.Rows[string]
	at := toolset.Place{User: 1, Version: 1}
	_, err := rows.At(at, func() (string, error) { return "", errors.New("away") })
	require.Error(t, err)
	got, err := rows.At(at, func() (string, error) { return "there", nil })
	require.NoError(t, err)
	require.Equal(t, "there", got)
}
