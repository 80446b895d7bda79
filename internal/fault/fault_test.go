package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

func TestKindOf_TheOutermostKindDecides(t *testing.T) {
	inner := fault.Errorf(fault.Unavailable, "the disk is away")
	for name, c := range map[string]struct {
		err  error
		want fault.Kind
	}{
		"no error":                       {nil, ""},
		"an error without a kind":        {io.EOF, fault.Internal},
		"an error with a kind":           {inner, fault.Unavailable},
		"a fact was added around it":     {fmt.Errorf("read the file: %w", inner), fault.Unavailable},
		"another kind was put around it": {fault.Errorf(fault.NotFound, "no such file: %w", inner), fault.NotFound},
		"one of several causes has one":  {errors.Join(io.EOF, inner), fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, fault.KindOf(c.err))
		})
	}
}

func TestPartOf_NamesThePartThatIsAwayWhateverIsPutAroundIt(t *testing.T) {
	away := fault.Away("Postgres", "read a row: %w", io.ErrUnexpectedEOF)
	require.Equal(t, fault.Unavailable, fault.KindOf(away))
	require.ErrorIs(t, away, io.ErrUnexpectedEOF)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no error":          {nil, ""},
		"without a kind":    {io.EOF, ""},
		"of a part":         {away, "Postgres"},
		"with a fact":       {fmt.Errorf("call the model: %w", away), "Postgres"},
		"with another kind": {fault.Errorf(fault.Invalid, "refused: %w", away), "Postgres"},
		"one of several":    {errors.Join(io.EOF, away), "Postgres"},
		"of something else": {fault.Errorf(fault.Unavailable, "the provider is away"), ""},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, fault.PartOf(c.err)) })
	}
}

func TestIs_NoErrorIsOfNoKind(t *testing.T) {
	require.False(t, fault.Is(nil, ""))
	require.False(t, fault.Is(nil, fault.Internal))
	require.True(t, fault.Is(io.EOF, fault.Internal))
}

func TestError_KeepsTheChainOfItsCauses(t *testing.T) {
	single := fault.Errorf(fault.Unavailable, "read: %w", io.EOF)
	require.ErrorIs(t, single, io.EOF)
	require.EqualError(t, single, "read: EOF")
	several := fault.Errorf(fault.Unavailable, "%w after %w", io.ErrUnexpectedEOF, io.ErrShortWrite)
	require.ErrorIs(t, several, io.ErrUnexpectedEOF)
	require.ErrorIs(t, several, io.ErrShortWrite)
	require.NotErrorIs(t, fault.Errorf(fault.Unavailable, "read: %v", io.EOF), io.EOF)
}

func TestAfter_IsTheDelayOfTheOutermostKind(t *testing.T) {
	limited := fault.Limited(3*time.Second, "asked too often")
	require.Equal(t, fault.RateLimited, fault.KindOf(limited))
	require.Equal(t, 3*time.Second, fault.After(fmt.Errorf("call the model: %w", limited)))
	require.Zero(t, fault.After(fault.Errorf(fault.RateLimited, "asked too often")))
	require.Zero(t, fault.After(io.EOF))
	require.Zero(t, fault.After(nil))
}
