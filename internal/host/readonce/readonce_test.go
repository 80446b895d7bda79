package readonce_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/host/readonce"
)

func TestGet_ReadsAKeyOnceInAContextAndAgainInTheNext(t *testing.T) {
	t.Parallel()
	type key string
	times := map[key]int{}
	get := func(ctx context.Context, k key) int {
		n, err := readonce.Get(ctx, k, func() (int, error) {
			times[k]++
			return times[k], nil
		})
		require.NoError(t, err)
		return n
	}
	once := readonce.Context(t.Context())
	_, err := readonce.Get(once, key("a"), func() (int, error) { return 0, errors.New("the database is away") })
	require.Error(t, err)

	require.Equal(t, 1, get(once, "a"), "an error is not remembered")
	require.Equal(t, 1, get(once, "a"))
	require.Equal(t, 1, get(once, "b"), "another key has its own value")
	require.Equal(t, 2, get(readonce.Context(once), "a"))
	require.Equal(t, 3, get(t.Context(), "a"), "without a context every Get reads")
	require.Equal(t, 4, get(t.Context(), "a"))
}
