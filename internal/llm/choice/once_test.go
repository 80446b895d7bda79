package choice_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/choice"
)

// asked is a store that counts what it is asked, and first fails.
type asked struct {
	times map[chat.SessionKey]int
	fails int
}

func (a *asked) ModelWanted(_ context.Context, key chat.SessionKey) (chat.ModelCriteria, error) {
	if a.fails > 0 {
		a.fails--
		return chat.ModelCriteria{}, fault.Errorf(fault.Unavailable, "the database is away")
	}
	a.times[key]++
	return chat.ModelCriteria{User: chat.UserID(a.times[key])}, nil
}

func TestWanted_IsReadOnceInAContextAndAgainInTheNext(t *testing.T) {
	t.Parallel()
	l := &asked{times: map[chat.SessionKey]int{}, fails: 1}
	wanted := func(ctx context.Context, key chat.SessionKey) int {
		w, err := choice.Wanted(ctx, l, key)
		require.NoError(t, err)
		return int(w.User)
	}
	once := choice.Once(t.Context())
	_, err := choice.Wanted(once, l, "a")
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)

	require.Equal(t, 1, wanted(once, "a"), "a failure is not what was read")
	require.Equal(t, 1, wanted(once, "a"))
	require.Equal(t, 1, wanted(once, "b"), "another session has its own")
	require.Equal(t, 2, wanted(choice.Once(once), "a"))
	require.Equal(t, 3, wanted(t.Context(), "a"))
	require.Equal(t, 4, wanted(t.Context(), "a"))
}
