// Package decodetest decodes hostile files beside a small one of somebody else.
package decodetest

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/decode"
	"xbot/internal/fault"
)

const (
	// smallTime is how long a small file may take on a machine with other work; a hostile one before it takes longer, unless they run beside each other.
	smallTime = 10 * time.Second
	// maxGrowth is how much memory the process of the test may take beside what it had, in MB: the hostile file and its answer, no more.
	maxGrowth = 256
)

// Attack decodes a hostile file as one person and, meanwhile, a small one as another. It returns the error of the hostile one: nil where it was decoded
// after all. The small one must arrive, the error must be of the file, and the process of the test must be unharmed.
func Attack(t *testing.T, hostile, small func(ctx context.Context) error) error {
	t.Helper()
	before := resident(t)
	done := make(chan error, 1)
	go func() { done <- hostile(decode.WithOwner(t.Context(), "attacker")) }()
	limited, cancel := context.WithTimeout(decode.WithOwner(t.Context(), "somebody else"), smallTime)
	defer cancel()
	require.NoError(t, small(limited), "the small file of somebody else")
	err := <-done
	if err != nil {
		require.Contains(t, []fault.Kind{fault.Invalid, fault.TooLarge}, fault.KindOf(err), "%v", err)
		require.Less(t, len(err.Error()), 1000)
	}
	require.Less(t, resident(t)-before, maxGrowth, "MB")
	return err
}

// resident is the memory of this process, in MB.
func resident(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	raw, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize() >> 20
}
